package bisect

import (
	"context"
	"strings"

	"github.com/tarebench/tare/cmd/tare/internal/build"
	"github.com/tarebench/tare/cmd/tare/internal/process"
)

// List lists the points of the search.
func (s *Spec) List(ctx context.Context, what Axis) (err error) {
	s.Of = what.Of
	dir := s.Session.Dir
	switch what.Of {
	case "commits":
		if err := build.Check(ctx, dir, what.Variants, nil); err != nil {
			return err
		}
		s.Axis, err = commitsBetween(ctx, process.Run, dir, what.Variants[0], what.Variants[1])
	case "hunks":
		if err := build.Check(ctx, dir, what.Variants, nil); err != nil {
			return err
		}
		s.hunksOf = what.Variants
		s.Axis, err = hunksBetween(ctx, dir, what.Variants[0], what.Variants[1], false)
	case "goexperiment":
		s.Axis, err = experimentsBetween(ctx, process.Run, dir, what.Ends[0], what.Ends[1])
	case "go":
		s.Axis, err = goReleases(ctx, process.Run, dir, what.Ends[0], what.Ends[1])
	default:
		s.Axis, err = moduleVersions(ctx, process.Run, dir, strings.TrimPrefix(what.Of, "mod="), what.Ends[0], what.Ends[1])
	}
	return err
}
