package axis

import (
	"errors"
	"fmt"
	"strings"

	"github.com/tarebench/tare/cmd/tare/internal/build"
)

// Search is what a bisection searches, as the user names it.
type Search struct {
	// Of is "commits", "files", "go", "mod=PATH" or "pgo".
	Of string
	// Ends are the good and the bad end; a search of "pgo" has one, the variant
	// with the profile.
	Ends []string
	// Variants are the ends of "commits", "files" and "pgo".
	Variants []build.Spec
}

// Parse reads a search and its ends, which are the first arguments; rest are the
// others.
func Parse(of string, args []string) (s Search, rest []string, err error) {
	ends := 2
	if of == "pgo" {
		ends = 1
	}
	switch {
	case len(args) >= ends:
	case of == "pgo":
		return s, nil, errors.New("bisect -of pgo needs the variant that has the profile, such as: tare bisect -bench Decode -of pgo .,flags=-pgo=cpu.pprof")
	default:
		return s, nil, errors.New("bisect needs two ends, GOOD and BAD, such as: tare bisect -bench Decode v1.4.0 HEAD")
	}
	s = Search{Of: of, Ends: args[:ends]}
	switch path, isModule := strings.CutPrefix(of, "mod="); {
	case isModule && path != "", of == "go":
	case of == "commits", of == "files", of == "pgo":
		s.Variants, err = build.ParseAll(s.Ends...)
	default:
		err = fmt.Errorf("flag -of: %q is none of commits, files, go, mod=PATH, pgo", of)
	}
	return s, args[ends:], err
}
