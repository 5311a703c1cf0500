// Package audit looks for work that a change moved instead of saved: into other
// tests, an init function, a goroutine, the first call, or memory that stays. Each
// finding reports with numbers where the time went, and accuses nobody.
package audit

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/tarebench/tare/cmd/tare/internal/build"
	"github.com/tarebench/tare/cmd/tare/internal/kind"
	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/session"
	"github.com/tarebench/tare/internal/finding"
)

// auditor looks at the first variant and the last one of a measured session.
type auditor struct {
	s    *session.Session
	w    session.Watcher
	spec session.Spec
	old  int
	new  int
}

// Record puts the findings about a session that has measured on record. It runs
// the test binaries again, and measures once more if the tests differ.
func Record(ctx context.Context, s *session.Session, w session.Watcher) error {
	variants := s.Recording().Study.Variants
	if len(variants) < 2 || s.Code() == nil {
		return nil
	}
	a := &auditor{s: s, w: w, spec: s.Spec(), new: len(variants) - 1}
	err := errors.Join(a.sources(ctx), a.recorded())
	for _, pkg := range s.Code().Packages() {
		old, okOld := s.Code().Binary(pkg, a.old)
		new, okNew := s.Code().Binary(pkg, a.new)
		if !okOld || !okNew {
			continue
		}
		w.Step("audit " + pkg)
		err = errors.Join(err, a.inits(ctx, pkg, old, new), a.calls(ctx, pkg, old, new))
	}
	if ctx.Err() != nil {
		return nil // the findings so far are recorded
	}
	return err
}

// sources compares the files of both variants: tests that differ, and code that
// checks whether it is tested.
func (a *auditor) sources(ctx context.Context) error {
	old, new := a.s.Code().Variant(a.old), a.s.Code().Variant(a.new)
	if old.Root() == "" || new.Root() == "" {
		return nil // a kept binary
	}
	changed, err := changedFiles(old.Root(), new.Root())
	if err != nil {
		return fmt.Errorf("audit: %w", err)
	}
	for _, use := range newUses(old.Root(), new.Root(), changed) {
		place := finding.Text("place", fmt.Sprintf("%s:%d", use.file, use.line))
		f := kind.TestAware.Of(use.file, finding.Text("what", use.what), place)
		if use.what == goStatement {
			f = kind.StartsGoroutine.Of(use.file, place)
		}
		if err := a.s.AddFinding(f); err != nil {
			return err
		}
	}
	if tests := testFiles(changed); len(tests) > 0 {
		return a.sameTests(ctx, old, new, tests)
	}
	return nil
}

// recorded compares the figures of the recording: memory that stays, and bytes per
// operation.
func (a *auditor) recorded() error {
	for _, b := range a.s.Comparison().Benchmarks {
		if b.Unit == "sec/op" && b.NewVariant == a.new && b.OldBytes > 0 && b.NewBytes > 0 && b.OldBytes != b.NewBytes {
			f := kind.OtherBytes.Of(b.Name, finding.Quantity("new", b.NewBytes, "B"), finding.Quantity("old", b.OldBytes, "B"))
			if err := a.s.AddFinding(f); err != nil {
				return err
			}
		}
	}
	for _, b := range a.s.Recording().Benchmarks {
		var old, new []float64
		for _, k := range b.Blocks {
			if p := k.Processes; len(p) > a.new && p[a.old].HeapLive > 0 && p[a.new].HeapLive > 0 {
				old, new = append(old, float64(p[a.old].HeapLive)), append(new, float64(p[a.new].HeapLive))
			}
		}
		if before, after, kept := keeps(old, new); kept {
			f := kind.KeepsMemory.Of(b.Name, finding.Quantity("new", after, "B"), finding.Quantity("old", before, "B"))
			if err := a.s.AddFinding(f); err != nil {
				return err
			}
		}
	}
	return nil
}

// faster are the benchmarks of a package whose slices became shorter. A verdict
// that the guard holds back counts too: the time missing from it may be the moved
// work.
func (a *auditor) faster(pkg string) (rows []result.BenchmarkComparison) {
	for _, b := range a.s.Comparison().Benchmarks {
		if b.Pkg == pkg && b.Unit == "sec/op" && b.NewVariant == a.new && b.Change.Hi < 1 {
			rows = append(rows, b)
		}
	}
	return rows
}

// environment is the environment of a plain run of a test binary.
func environment(b build.Binary, extra ...string) []string {
	return append(append(os.Environ(), b.Env...), extra...)
}
