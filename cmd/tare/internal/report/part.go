package report

import (
	"fmt"
	"io"

	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/words"
)

// PartText writes what a part of a study has, and where it is kept.
func PartText(w io.Writer, p result.Part, rec *result.Recording, path string) error {
	blocks := 0
	for _, b := range rec.Benchmarks {
		blocks += len(b.Blocks)
	}
	_, err := fmt.Fprintf(w, "part %d of %d: %s, %s: %s\ntare merge with the other parts judges it\n", p.Number, p.Of,
		words.Plural(len(rec.Benchmarks), "benchmark"), words.Plural(blocks, "block"), path)
	return err
}
