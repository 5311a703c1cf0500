package bisect

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tarebench/tare/cmd/tare/internal/git"
	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/session"
)

// List lists the points of the search: a series, or changes without an order.
func (s *Spec) List(ctx context.Context, what Axis) (err error) {
	s.Of = what.Of
	dir := s.Session.Dir
	switch what.Of {
	case "files":
		files, err := ListFiles(ctx, git.Run, dir, what.Variants[0], what.Variants[1])
		if err != nil {
			return err
		}
		s.Changes, s.Axis = files, []result.Point{files.Old, files.New}
		// The settings of a module are not part of the machine code.
		s.Session.MeasureAll = s.Session.MeasureAll || slices.ContainsFunc(files.Names(), func(name string) bool {
			return strings.HasSuffix(name, "go.mod") || strings.HasSuffix(name, "go.work")
		})
	case "commits":
		s.Axis, err = Commits(ctx, git.Run, dir, what.Variants[0], what.Variants[1])
	case "go":
		s.Axis, err = Releases(ctx, git.Run, dir, what.Ends[0], what.Ends[1])
	default:
		s.Axis, err = Module(ctx, git.Run, dir, strings.TrimPrefix(what.Of, "mod="), what.Ends[0], what.Ends[1])
	}
	return err
}

// Resume restores the specification of the search in its directory. A search
// that another user started needs trust.
func (s *Spec) Resume(ctx context.Context, trust bool) error {
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
	if s.Of != "files" {
		return nil // the series is in the file
	}
	what, _, err := Parse(s.Of, []string{h.Axis[0].Variant, h.Axis[1].Variant})
	if err != nil {
		return err
	}
	return s.List(ctx, what)
}
