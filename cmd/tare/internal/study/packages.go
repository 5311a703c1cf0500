package study

import (
	"cmp"
	"context"
	"errors"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/tarebench/tare/cmd/tare/internal/catalog"
	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/internal/finding"
)

type packageBenchmarks struct {
	pkg      string
	bins     map[int]Binary
	links    *links
	all      []*found // in the order of the source
	of       map[result.Key]*found
	findings []finding.Finding
	err      error
}

// found is a benchmark that some variants have.
type found struct {
	result.Key
	loop string
	// took is the time of its first iteration in the slowest variant, and timed the
	// part that is timed.
	took, timed time.Duration
	first       map[int]result.Slice // iteration, of the variants that have it
	outcome     *Failed
	sameCode    bool // in all variants
}

// gatherAll builds all packages and lists their benchmarks, several packages at
// a time. Nothing is measured yet. Benchmarks of one package run one after the
// other, since variants may need the same port or file. Links continue after
// that, until linking ends.
func (r *runner) gatherAll(ctx, linking context.Context) []*packageBenchmarks {
	all := make([]*packageBenchmarks, len(r.o.Packages))
	for i, pkg := range r.o.Packages {
		all[i] = &packageBenchmarks{pkg: pkg, links: new(links), bins: make(map[int]Binary), of: make(map[result.Key]*found)}
	}
	var several errgroup.Group
	several.SetLimit(runtime.GOMAXPROCS(0))
	for _, g := range r.buildOrder(all) {
		several.Go(func() error {
			if g.err = r.gather(ctx, linking, g); g.err == nil && r.toMeasure(g) > 0 {
				r.first.Do(func() { close(r.gathered) })
			}
			return nil // each package has its own
		})
	}
	several.Wait()
	return all
}

// buildOrder lists packages by the ranks of their benchmarks, since a total
// may end before all are built.
func (r *runner) buildOrder(all []*packageBenchmarks) []*packageBenchmarks {
	rank := func(g *packageBenchmarks) int { return r.o.Rank[result.Key{Pkg: g.pkg}] }
	return slices.SortedStableFunc(slices.Values(all), func(a, b *packageBenchmarks) int { return cmp.Compare(rank(a), rank(b)) })
}

// gather builds a package of every variant and finds its benchmarks, while the
// first function orders are linked. If a variant cannot build or run the
// package, it adds a finding. The benchmarks of the other variants are then
// missing there.
func (r *runner) gather(ctx, linking context.Context, g *packageBenchmarks) error {
	if err := r.build(ctx, g); err != nil {
		return err
	}
	g.links = r.newLinks(linking, g.pkg, g.bins)
	if err := r.discoverAll(ctx, g); err != nil {
		return err
	}
	if r.toMeasure(g) == 0 {
		g.links.cancel()
		g.links.varied = false
	}
	var gone *Failed
	if err := g.links.first(ctx); !errors.As(err, &gone) { // it fails each benchmark
		return err
	}
	return nil
}

func (r *runner) build(ctx context.Context, g *packageBenchmarks) error {
	bins, errs := make([]Binary, len(r.o.Sources)), make([]error, len(r.o.Sources))
	r.event(Event{Phase: "building", Benchmark: result.Benchmark{Key: result.Key{Pkg: g.pkg}}})
	var wg sync.WaitGroup
	for v, source := range r.o.Sources {
		wg.Go(func() { bins[v], errs[v] = source.Binary(ctx, g.pkg, 0) })
	}
	wg.Wait()
	for v, bin := range bins {
		switch err := errs[v]; {
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.Is(err, ErrAbsent):
			continue
		case err != nil:
			g.findings = append(g.findings, catalog.NotBuilt.Of(g.pkg, finding.Text("variant", r.label(v)), finding.Text("why", err.Error())))
			continue
		}
		g.bins[v] = bin
		if bin.Finding != nil {
			g.findings = append(g.findings, *bin.Finding)
		}
		if !bin.Overlaid && bin.Command == nil {
			g.findings = append(g.findings, catalog.PlainProcesses.Of(g.pkg, finding.Text("variant", r.label(v)), finding.Text("why", bin.WhyNot)))
		}
	}
	return nil
}

func (r *runner) discoverAll(ctx context.Context, g *packageBenchmarks) error {
	for _, procs := range r.o.procs() {
		var first *leafBenchmark // of a program
		for v := range r.o.Sources {
			bin, ok := g.bins[v]
			if !ok {
				continue
			}
			r.event(Event{Phase: "discovering", Benchmark: result.Benchmark{Key: result.Key{Pkg: g.pkg}}})
			sel := selection{plan: r.o.Plan, procs: r.procsOf(bin, procs)}
			if r.o.Code != nil {
				sel.log = r.o.Code.FileLog(g.pkg, v)
			}
			found, err := r.processes.discover(ctx, bin, sel)
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if err != nil {
				g.findings = append(g.findings, catalog.NotRun.Of(g.pkg, finding.Text("variant", r.label(v)), finding.Text("why", err.Error())))
				continue
			}
			for i, f := range found {
				if bin.Command != nil {
					f, first = r.compareDryRuns(g, v, first, &found[i])
				}
				function, _, _ := strings.Cut(f.name, "/")
				if r.o.has(g.pkg, function) {
					g.has(f, procs, v)
				}
			}
		}
	}
	for _, f := range g.all {
		f.sameCode = r.o.Code != nil && r.variants() > 1 && len(r.missing(f)) == 0 && f.outcome == nil &&
			r.o.Code.Same(result.Benchmark{Key: f.Key, Loop: f.loop})
	}
	return nil
}

// needless reports whether a benchmark needs no measurement.
func (r *runner) needless(f *found) bool { return f.sameCode && !r.o.MeasureAll }

func (r *runner) missing(f *found) (variants []int) {
	for v := range r.o.Sources {
		if _, ok := f.first[v]; !ok {
			variants = append(variants, v)
		}
	}
	return variants
}

// oneSided reports whether a benchmark has nothing to compare with, since some
// variants do not have it.
func (r *runner) oneSided(missing []int) bool {
	return len(missing) > 0 && r.variants() > 1 && (len(missing) >= r.variants()-1 || missing[0] == 0)
}

func (r *runner) toMeasure(g *packageBenchmarks) (n int) {
	for _, f := range g.all {
		if b := r.announced(f.Key); b != nil && b.done {
			continue
		}
		if f.outcome == nil && !r.needless(f) && !r.oneSided(r.missing(f)) {
			n++
		}
	}
	return n
}

func (g *packageBenchmarks) has(leaf leafBenchmark, procs, variant int) {
	key := result.Key{Pkg: g.pkg, Name: strings.TrimPrefix(leaf.name, "Benchmark"), Procs: procs}
	f := g.of[key]
	if f == nil {
		f = &found{Key: key, loop: leaf.loop, first: make(map[int]result.Slice)}
		g.of[key], g.all = f, append(g.all, f)
	}
	f.first[variant] = leaf.first
	f.took, f.timed = max(f.took, leaf.took), max(f.timed, leaf.iteration)
	before := f.outcome
	everywhere := leaf.outcome == failedReason && len(f.first) == variant+1 && (variant == 0 || before != nil && before.Everywhere)
	if leaf.outcome != "" && (before == nil || leaf.outcome == failedReason) {
		f.outcome = &Failed{Variant: variant, Everywhere: everywhere, Reason: leaf.outcome, Message: leaf.message}
	} else if before != nil {
		before.Everywhere = everywhere
	}
}

// countsDiffer reports whether the first iterations of the variants allocate
// differently. It only orders the benchmarks of a total, since a count may
// vary by chance. It uses no times.
func (f *found) countsDiffer() bool {
	old := f.first[0]
	for _, new := range f.first {
		if old.Counted && new.Counted && (old.Mallocs != new.Mallocs || old.Bytes != new.Bytes) {
			return true
		}
	}
	return false
}

func (r *runner) announce(g *packageBenchmarks) ([]*bench, error) {
	for _, f := range g.findings {
		if err := r.find(f); err != nil {
			return nil, err
		}
	}
	var all []*bench
	for _, f := range g.all {
		b := r.announced(f.Key)
		if b != nil { // in the recording that this study resumes
			g.links.draws.FuncOrders = b.FuncOrders
			b.links, b.took, b.iteration = g.links, f.took, f.timed
			all = append(all, b)
			continue
		}
		b = &bench{index: len(r.benches), links: g.links, took: f.took, iteration: f.timed, Benchmark: result.Benchmark{Key: f.Key, Loop: f.loop, FuncOrders: g.links.draws.FuncOrders}}
		b.Missing, b.pilot.Alone = r.missing(f), r.o.Alone
		switch {
		case f.countsDiffer():
			b.turn = -1
		case f.sameCode:
			b.turn = 1
		}
		r.benches = append(r.benches, b)
		all = append(all, b)
		line := b.Benchmark // b.Benchmark will get more blocks
		if err := r.o.Write(result.Line{Benchmark: &line}); err != nil {
			return nil, err
		}
	}
	findSiblings(all)
	for i, f := range g.all {
		b, reason := all[i], ""
		switch {
		case b.done:
			continue
		case f.outcome != nil:
			reason = f.outcome.Reason
		case r.oneSided(b.Missing):
			reason = "one side only" // nothing to compare with: list it, but do not measure it
		case r.needless(f):
			r.sameCode++
			reason = result.SameCode
		default:
			continue
		}
		if err := r.stop(b, reason, f.outcome); err != nil {
			return nil, err
		}
	}
	return all, nil
}

func (r *runner) label(v int) string { return r.o.Study.Variants[v].Label }

// find writes a finding unless it is recorded.
func (r *runner) find(f finding.Finding) error { return r.findOnce(f, f.Same) }

// once writes a finding at most once for a subject, whatever its figures are.
func (r *runner) once(f finding.Finding) error {
	return r.findOnce(f, func(g finding.Finding) bool {
		return g.ID == f.ID && g.Severity == f.Severity && g.Subject == f.Subject
	})
}

// findOnce writes a finding unless it is recorded, in this study or in the one
// that it resumes.
func (r *runner) findOnce(f finding.Finding, is func(finding.Finding) bool) error {
	if slices.ContainsFunc(r.recorded, is) {
		return nil
	}
	r.recorded = append(r.recorded, f)
	return r.o.Write(result.Line{Finding: &f})
}

// unreached drops a package that the total gave too little time to build and
// list. Otherwise the benchmarks of some variants would be missing in the
// others.
func (g *packageBenchmarks) unreached() {
	g.all, g.err = nil, nil
	g.findings = []finding.Finding{catalog.PackageNotReached.Of(g.pkg)}
}
