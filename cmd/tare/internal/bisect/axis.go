package bisect

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/tarebench/tare/cmd/tare/internal/build"
	"github.com/tarebench/tare/cmd/tare/internal/process"
)

// Axis is the kind of points that a bisection searches, as the user names it.
type Axis struct {
	// Of is "commits", "hunks", "go" or "mod=PATH".
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
	case isModule && path != "", of == "go":
	case of == "commits", of == "hunks":
		s.Variants, err = build.ParseAll(s.Ends...)
	default:
		err = fmt.Errorf("flag -of: %q is none of commits, hunks, go, mod=PATH", of)
	}
	return s, args[2:], err
}

// List lists the points of the search.
func (s *Spec) List(ctx context.Context, what Axis) (err error) {
	s.Of = what.Of
	dir := s.Session.Dir
	if err := build.Check(ctx, dir, what.Variants, nil); err != nil {
		return err
	}
	switch what.Of {
	case "commits":
		s.Axis, err = commitsBetween(ctx, process.Run, dir, what.Variants[0], what.Variants[1])
	case "hunks":
		s.hunksOf = what.Variants
		s.Axis, err = hunksBetween(ctx, dir, what.Variants[0], what.Variants[1], false)
	case "go":
		s.Axis, err = goReleases(ctx, process.Run, dir, what.Ends[0], what.Ends[1])
	default:
		s.Axis, err = moduleVersions(ctx, process.Run, dir, strings.TrimPrefix(what.Of, "mod="), what.Ends[0], what.Ends[1])
	}
	return err
}
