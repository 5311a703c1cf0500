package bisect

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/tarebench/tare/cmd/tare/internal/build"
	"github.com/tarebench/tare/cmd/tare/internal/process"
	"github.com/tarebench/tare/cmd/tare/internal/session"
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
		s.Axis, err = Commits(ctx, process.Run, dir, what.Variants[0], what.Variants[1])
	case "go":
		s.Axis, err = Releases(ctx, process.Run, dir, what.Ends[0], what.Ends[1])
	default:
		s.Axis, err = Module(ctx, process.Run, dir, strings.TrimPrefix(what.Of, "mod="), what.Ends[0], what.Ends[1])
	}
	return err
}

// Resume restores the specification of the search in its directory. A search
// that another user started needs trust.
func (s *Spec) Resume(trust bool) error {
	h, err := readHead(s.Folder)
	if err != nil {
		return err
	}
	if !trust && !session.Signed(s.Folder, h) {
		var asked []string
		for _, p := range h.Axis {
			asked = append(asked, fmt.Sprintf("variant %q", p.Variant))
		}
		if len(h.Plan.Args) > 0 {
			asked = append(asked, fmt.Sprintf("arguments %q", h.Plan.Args))
		}
		return fmt.Errorf("resume bisection: %w", session.Untrusted(s.Folder, asked))
	}
	h.apply(s)
	if folder, err := filepath.Abs(s.Folder); err == nil {
		s.Folder = folder
	}
	return nil
}
