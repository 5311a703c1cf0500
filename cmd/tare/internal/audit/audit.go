// Package audit looks for work that a change moved instead of saved: into other
// tests, an init function, a goroutine, the first call, or memory that stays. Each
// finding reports with numbers where the time went, and accuses nobody.
package audit

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"strconv"
	"time"

	"github.com/tarebench/tare/cmd/tare/internal/build"
	"github.com/tarebench/tare/cmd/tare/internal/catalog"
	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/session"
	"github.com/tarebench/tare/cmd/tare/internal/stats"
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

// Record adds the findings to the recording of a measured session. It runs the
// test binaries again, and measures once more if the tests differ.
func Record(ctx context.Context, s *session.Session, w session.Watcher) error {
	variants := s.Recording().Study.Variants
	if len(variants) < 2 || s.Code() == nil {
		return nil
	}
	a := &auditor{s: s, w: w, spec: s.Spec(), new: len(variants) - 1}
	err := errors.Join(a.sources(ctx), a.recorded())
	for _, pkg := range s.Code().Packages() {
		old, okOld := s.Code().Binary(ctx, pkg, a.old)
		new, okNew := s.Code().Binary(ctx, pkg, a.new)
		if !okOld || !okNew {
			continue
		}
		w.Step("audit " + pkg)
		err = errors.Join(err, a.inits(ctx, pkg, old, new), a.calls(ctx, pkg, old, new), a.tests(ctx, pkg, old, new))
	}
	if ctx.Err() != nil {
		return nil // the findings so far are recorded
	}
	return err
}

// sources compares the files of both variants: tests that differ, and code that
// checks whether it is tested.
func (a *auditor) sources(ctx context.Context) error {
	old, new := a.s.Code().Variant(a.old, ""), a.s.Code().Variant(a.new, "")
	if old.Root() == "" || new.Root() == "" {
		return nil // a kept binary
	}
	changed, err := build.ChangedFiles(ctx, old.Root(), new.Root(), audited)
	if err != nil {
		return fmt.Errorf("audit: %w", err)
	}
	var found []finding.Finding
	for _, use := range newUses(old.Root(), new.Root(), changed) {
		place := finding.Text("place", fmt.Sprintf("%s:%d", use.file, use.line))
		f := catalog.TestAware.Of(use.file, finding.Text("what", use.what), place)
		if use.what == goStatement {
			f = catalog.StartsGoroutine.Of(use.file, place)
		}
		found = append(found, f)
	}
	for _, known := range knownInputs(old.Root(), new.Root(), changed) {
		found = append(found, catalog.KnowsInput.Of(known.file, finding.Text("place", fmt.Sprintf("%s:%d", known.file, known.line)),
			finding.Text("text", strconv.Quote(known.text)), finding.Text("test", known.test)))
	}
	if err := a.s.AddFindings(found...); err != nil {
		return err
	}
	if tests := testFiles(changed); len(tests) > 0 && old.Spec.Tests+new.Spec.Tests == "" {
		return a.sameTests(ctx, tests)
	}
	return nil
}

// recorded compares the figures of the recording: time outside of slices, memory
// that stays, bytes per operation, and the time of an empty loop.
func (a *auditor) recorded() error {
	var found []finding.Finding
	empty := emptyLoop()
	for _, b := range a.s.Comparison().Benchmarks {
		if b.Unit != "sec/op" || b.NewVariant != a.new {
			continue
		}
		if b.OldBytes > 0 && b.NewBytes > 0 && b.OldBytes != b.NewBytes {
			found = append(found, catalog.OtherBytes.Of(b.Name, finding.Quantity("new", b.NewBytes, "B"), finding.Quantity("old", b.OldBytes, "B")))
		}
		if b.Change.Hi < 1 && b.New.Center < mostEmpty*empty && b.Old.Center > leastGain*b.New.Center {
			found = append(found, catalog.LittleWork.Of(b.Name, finding.Quantity("new", b.New.Center, "sec"), finding.Quantity("old", b.Old.Center, "sec"),
				finding.Quantity("empty", empty, "sec")))
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
			found = append(found, catalog.KeepsMemory.Of(b.Name, finding.Quantity("new", after, "B"), finding.Quantity("old", before, "B")))
		}
		if f, moved := outside(b.Name, b.Unpacked().Blocks, a.old, a.new); moved {
			found = append(found, f)
		}
	}
	return a.s.AddFindings(found...)
}

// mostEmpty empty iterations are little work. leastGain is the factor by which
// a benchmark must have become faster.
const (
	mostEmpty = 1.5
	leastGain = 10
)

func emptyLoop() float64 {
	const n = 100_000
	best := math.Inf(1)
	for range 20 {
		began := time.Now()
		for i := range n {
			runtime.KeepAlive(i)
		}
		best = min(best, time.Since(began).Seconds()/n)
	}
	return best
}

// outside reports that CPU time moved out of the slices. In every block the new
// process uses more CPU time outside of its slices than the old one, goroutines
// that outlive their operations included. The difference is more than half of the
// time that the slices save. It is CPU time of many operations, so one block is enough.
func outside(name string, blocks []result.Block, old, new int) (f finding.Finding, moved bool) {
	var before, after, saved []float64
	for _, k := range blocks {
		if len(k.Processes) <= new || !k.Good() {
			continue
		}
		x, xOutside, okOld := perOperation(k, old)
		y, yOutside, okNew := perOperation(k, new)
		if !okOld || !okNew {
			continue
		}
		if yOutside-xOutside <= (x-y)/2 || x <= y {
			return f, false
		}
		before, after, saved = append(before, xOutside), append(after, yOutside), append(saved, x-y)
	}
	if len(saved) == 0 {
		return f, false
	}
	return catalog.WorkOutside.Of(name, finding.Quantity("new", stats.Median(after), "sec"), finding.Quantity("old", stats.Median(before), "sec"),
		finding.Quantity("saved", stats.Median(saved), "sec")), true
}

// perOperation is the timed part of an operation in a block, and the other CPU
// time of the process, in seconds.
func perOperation(k result.Block, v int) (timed, outside float64, ok bool) {
	p := k.Processes[v]
	n := 0.0
	for _, r := range k.Timed() {
		timed, n = timed+r.Slices[v].Own(), n+float64(r.Slices[v].N)
	}
	if n == 0 || p.N == 0 || p.User+p.System == 0 {
		return 0, 0, false
	}
	timed /= n
	return timed / 1e9, max(0, (p.User+p.System)/float64(p.N)-timed) / 1e9, true
}

// faster are the benchmarks of a package whose slices became shorter. A verdict
// that the guard blocks counts too: the missing time may be the moved work.
func (a *auditor) faster(pkg string) (rows []result.BenchmarkComparison) {
	for _, b := range a.s.Comparison().Benchmarks {
		if b.Pkg == pkg && b.Unit == "sec/op" && b.NewVariant == a.new && b.Change.Hi < 1 {
			rows = append(rows, b)
		}
	}
	return rows
}
