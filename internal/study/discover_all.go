package study

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/tarebench/tare/finding"
	"github.com/tarebench/tare/internal/kind"
	"github.com/tarebench/tare/internal/result"
)

// gathered is what a package has: its binaries, and the benchmarks in them.
type gathered struct {
	pkg      string
	bins     map[int]Binary
	links    *links
	order    []result.Key
	loops    map[result.Key]string
	here     map[result.Key]map[int]bool // variants that have it
	outcomes map[result.Key]*failure
	findings []finding.Finding
	err      error
}

// gatherAll builds and asks all packages for their benchmarks, several at a
// time: nothing is measured yet. Benchmarks of one package run one after the
// other, since variants may want the same port or file.
func (r *runner) gatherAll(ctx context.Context) []*gathered {
	all := make([]*gathered, len(r.o.Packages))
	var wg sync.WaitGroup
	tokens := make(chan struct{}, runtime.GOMAXPROCS(0))
	for i, pkg := range r.o.Packages {
		g := &gathered{
			pkg: pkg, links: new(links), bins: make(map[int]Binary), loops: make(map[result.Key]string),
			here: make(map[result.Key]map[int]bool), outcomes: make(map[result.Key]*failure),
		}
		all[i] = g
		wg.Go(func() {
			tokens <- struct{}{}
			defer func() { <-tokens }()
			g.err = r.gather(ctx, g)
		})
	}
	wg.Wait()
	return all
}

// gather builds a package of every variant. A variant in which it cannot be
// built or run is a finding, and the benchmarks of the other sides are listed
// as missing there.
func (r *runner) gather(ctx context.Context, g *gathered) error {
	subject := result.Benchmark{Key: result.Key{Pkg: g.pkg}}
	for v, source := range r.o.Sources {
		r.event(Event{Phase: "building", Benchmark: subject})
		bin, err := source.Binary(ctx, g.pkg, 0)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.Is(err, ErrAbsent):
			continue
		}
		if err != nil {
			g.findings = append(g.findings, kind.NotBuilt.Of(g.pkg, finding.Text("variant", r.label(v)), finding.Text("why", err.Error())))
			continue
		}
		g.bins[v] = bin
		if !bin.Overlaid {
			g.findings = append(g.findings, kind.PlainProcesses.Of(g.pkg, finding.Text("variant", r.label(v)), finding.Text("why", bin.WhyNot)))
		}
	}
	for _, procs := range r.o.procs() {
		for v := range r.o.Sources {
			bin, ok := g.bins[v]
			if !ok {
				continue
			}
			r.event(Event{Phase: "discovering", Benchmark: subject})
			sel := selection{bench: r.o.Bench, skip: r.o.Skip, procs: r.procsOf(bin, procs), args: r.o.Args, timeout: r.o.Timeout}
			if r.o.FileLog != nil {
				sel.log = r.o.FileLog(g.pkg, v)
			}
			found, err := r.processes.discover(ctx, bin, sel)
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if err != nil {
				g.findings = append(g.findings, kind.NotRun.Of(g.pkg, finding.Text("variant", r.label(v)), finding.Text("why", err.Error())))
				continue
			}
			for _, f := range found {
				g.has(f, procs, v)
			}
		}
	}
	if len(g.order) == 0 {
		g.bins = nil // nothing to link
	}
	var err error
	g.links, err = r.newLinks(ctx, g.pkg, g.bins)
	return err
}

// has notes a benchmark of a variant.
func (g *gathered) has(f found, procs, variant int) {
	key := result.Key{Pkg: g.pkg, Name: strings.TrimPrefix(f.name, "Benchmark"), Procs: procs}
	if g.here[key] == nil {
		g.order = append(g.order, key)
		g.loops[key] = f.loop
		g.here[key] = make(map[int]bool)
	}
	g.here[key][variant] = true
	if f.outcome != "" && (g.outcomes[key] == nil || f.outcome == failedReason) {
		g.outcomes[key] = &failure{variant: variant, reason: f.outcome, message: f.message}
	}
}

// announce puts what a package has on record.
func (r *runner) announce(g *gathered) ([]*bench, error) {
	for _, f := range g.findings {
		if err := r.find(f); err != nil {
			return nil, err
		}
	}
	var all []*bench
	for _, key := range g.order {
		b := r.announced(key)
		if b != nil { // in the recording that this study goes on from
			g.links.plan.Layouts = b.LinkSets
			b.links = g.links
			all = append(all, b)
			continue
		}
		b = &bench{index: len(r.benches), links: g.links, Benchmark: result.Benchmark{Key: key, Loop: g.loops[key], LinkSets: g.links.sets()}}
		for v := range r.o.Sources {
			if !g.here[key][v] {
				b.Missing = append(b.Missing, v)
			}
		}
		r.benches = append(r.benches, b)
		all = append(all, b)
		line := b.Benchmark // which goes on to gather blocks
		if err := r.o.Write(result.Line{Benchmark: &line}); err != nil {
			return nil, err
		}
	}
	findSiblings(all)
	for _, b := range all {
		switch f := g.outcomes[b.Key]; {
		case b.done:
		case f != nil:
			if err := r.stop(b, f.reason, f); err != nil {
				return nil, err
			}
		case len(b.Missing) > 0 && r.variants() > 1 && (len(b.Missing) >= r.variants()-1 || b.Missing[0] == 0):
			// Nothing to compare with: it is listed, not measured.
			if err := r.stop(b, "one side only", nil); err != nil {
				return nil, err
			}
		case len(b.Missing) == 0 && r.variants() > 1 && r.o.SameCode != nil && r.o.SameCode(b.Benchmark):
			r.sameCode++
			if err := r.stop(b, result.SameCode, nil); err != nil {
				return nil, err
			}
		}
	}
	return all, nil
}

func (r *runner) label(v int) string { return r.o.Study.Variants[v].Label }

// find writes a finding unless it is on record.
func (r *runner) find(f finding.Finding) error { return r.say(f, f.Same) }

// once writes a finding of which there is one at most for a subject, whatever
// the figures in it.
func (r *runner) once(f finding.Finding) error {
	return r.say(f, func(g finding.Finding) bool {
		return g.ID == f.ID && g.Severity == f.Severity && g.Subject == f.Subject
	})
}

// say writes a finding unless it is on record already, of this study or of the
// one that this goes on from.
func (r *runner) say(f finding.Finding, is func(finding.Finding) bool) error {
	if slices.ContainsFunc(r.said, is) {
		return nil
	}
	r.said = append(r.said, f)
	return r.o.Write(result.Line{Finding: &f})
}
