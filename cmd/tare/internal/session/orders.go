package session

import (
	"bytes"
	"cmp"
	"encoding/json"
	"os"
	"path/filepath"

	"github.com/tarebench/tare/cmd/tare/internal/file"
	"github.com/tarebench/tare/cmd/tare/internal/result"
)

// funcOrderSeed returns the seed of the function orders that the newest comparison of
// the same commit with other machine code drew. The commit's binaries are linked
// in these. It is 0 if there is none, or if the same code was compared before: a
// second comparison has to be independent of the first, whatever else changed in
// the working tree.
func (s *Session) funcOrderSeed() (seed uint64) {
	code := s.sides.variants[1].Code
	root, err := Root(s.spec.Dir)
	if code == "" || err != nil {
		return 0
	}
	entries, _ := os.ReadDir(root) // by name, which begins with the time
	for i := len(entries) - 1; i >= 0; i-- {
		head, ok := headOf(file.Open(filepath.Join(root, entries[i].Name()), "result.jsonl"))
		if !ok || !commitAndTree(head.Variants) || head.Variants[0].Revision != s.sides.variants[0].Revision || head.Variants[1].Code == "" {
			continue
		}
		if head.Variants[1].Code == code {
			return 0
		}
		seed = cmp.Or(seed, head.FuncOrderSeed, head.Seed)
	}
	return seed
}

// commitAndTree reports whether the variants are a commit and changes to a
// working tree.
func commitAndTree(of []result.Variant) bool {
	return len(of) == 2 && of[0].Revision != "" && of[1].Digest != "" && of[1].Dirty
}

// headOf reads the study from the beginning of an opened recording, and closes it.
func headOf(f *os.File, err error) (head result.Study, ok bool) {
	if err != nil {
		return head, false
	}
	defer f.Close()
	for lines := linesOf(f); lines.Scan(); {
		var line result.Line
		if bytes.HasPrefix(lines.Bytes(), []byte(`{"study"`)) && json.Unmarshal(lines.Bytes(), &line) == nil && line.Study != nil {
			return *line.Study, true
		}
	}
	return head, false
}
