package bisect

import (
	"errors"
	"fmt"
	"strings"

	"github.com/tarebench/tare/cmd/tare/internal/build"
)

// Axis is the kind of points that a bisection searches, as the user names it.
type Axis struct {
	// Of is "commits", "files", "go" or "mod=PATH".
	Of string
	// Ends are the good and the bad end.
	Ends []string
	// Variants are the ends of "commits" and "files".
	Variants []build.Spec
}

// Parse reads a search and its ends, which are the first arguments, and returns
// the others as rest.
func Parse(of string, args []string) (s Axis, rest []string, err error) {
	if len(args) < 2 {
		return s, nil, errors.New("bisect needs two ends, GOOD and BAD, such as: tare bisect -bench Decode v1.4.0 HEAD")
	}
	s = Axis{Of: of, Ends: args[:2]}
	switch path, isModule := strings.CutPrefix(of, "mod="); {
	case isModule && path != "", of == "go":
	case of == "commits", of == "files":
		s.Variants, err = build.ParseAll(s.Ends...)
	case of == "pgo":
		err = errors.New("flag -of: pgo was removed: tare explain -prove tells what a profile accounts for")
	default:
		err = fmt.Errorf("flag -of: %q is none of commits, files, go, mod=PATH", of)
	}
	return s, args[2:], err
}
