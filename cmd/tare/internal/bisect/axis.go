package bisect

import (
	"errors"
	"fmt"
	"strings"

	"github.com/tarebench/tare/cmd/tare/internal/build"
)

// Axis is the kind of points that a bisection searches, as the user names it.
type Axis struct {
	// Of is "commits", "hunks", "go", "goexperiment" or "mod=PATH".
	Of string
	// Ends are the good and the bad end.
	Ends []string
	// Variants are the ends of "commits" and "hunks".
	Variants []build.Spec
}

// Parse reads a search and its ends, the first arguments. It returns the other
// arguments as rest.
func Parse(of string, args []string) (s Axis, rest []string, err error) {
	if len(args) < 2 {
		return s, nil, errors.New("bisect needs two ends, GOOD and BAD, such as: tare bisect -bench Decode v1.4.0 HEAD")
	}
	s = Axis{Of: of, Ends: args[:2]}
	switch path, isModule := strings.CutPrefix(of, "mod="); {
	case isModule && path != "", of == "go", of == "goexperiment":
	case of == "commits", of == "hunks":
		s.Variants, err = build.ParseAll(s.Ends...)
	default:
		err = fmt.Errorf("flag -of: %q is none of commits, hunks, go, goexperiment, mod=PATH", of)
	}
	return s, args[2:], err
}
