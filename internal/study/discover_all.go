package study

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/tarebench/tare/finding"
	"github.com/tarebench/tare/internal/kind"
	"github.com/tarebench/tare/internal/result"
)

// discoverAll builds a package of every variant and announces its benchmarks.
// A variant in which the package cannot be built or run is a finding, and the
// benchmarks of the other sides are listed as missing there.
func (r *runner) discoverAll(ctx context.Context, pkg string) (all []*bench, err error) {
	bins := make(map[int]Binary)
	for v, source := range r.o.Sources {
		r.event(Event{Phase: "building", Benchmark: result.Benchmark{Key: result.Key{Pkg: pkg}}})
		bin, err := source.Binary(ctx, pkg, 0)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if errors.Is(err, ErrAbsent) {
			continue
		}
		if err != nil {
			if err := r.find(kind.NotBuilt.Of(pkg, finding.Text("variant", r.label(v)), finding.Text("why", err.Error()))); err != nil {
				return nil, err
			}
			continue
		}
		bins[v] = bin
		if !bin.Overlaid {
			if err := r.find(kind.PlainProcesses.Of(pkg, finding.Text("variant", r.label(v)), finding.Text("why", bin.WhyNot))); err != nil {
				return nil, err
			}
		}
	}
	index := make(map[result.Key]*bench)
	missing := make(map[result.Key]map[int]bool)
	var order []result.Key
	outcomes := make(map[result.Key]*failure)
	for _, procs := range r.o.Procs {
		for v := range r.o.Sources {
			bin, ok := bins[v]
			if !ok {
				continue
			}
			r.event(Event{Phase: "discovering", Benchmark: result.Benchmark{Key: result.Key{Pkg: pkg}}})
			all, err := r.discover(ctx, bin, procs)
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			if err != nil {
				if err := r.find(kind.NotRun.Of(pkg, finding.Text("variant", r.label(v)), finding.Text("why", err.Error()))); err != nil {
					return nil, err
				}
				continue
			}
			for _, f := range all {
				key := result.Key{Pkg: pkg, Name: strings.TrimPrefix(f.name, "Benchmark"), Procs: procs}
				if index[key] == nil {
					order = append(order, key)
					index[key] = &bench{Benchmark: result.Benchmark{Key: key, Loop: f.loop}}
					missing[key] = make(map[int]bool)
					for other := range r.o.Sources {
						missing[key][other] = true
					}
				}
				delete(missing[key], v)
				if f.outcome != "" && (outcomes[key] == nil || f.outcome == "failed") {
					outcomes[key] = &failure{v, f.outcome, f.message}
				}
			}
		}
	}
	r.plan.Layouts = 0
	if r.links, err = r.newLinks(ctx, pkg, bins); err != nil {
		return nil, err
	}
	for _, key := range order {
		b := r.announced(key)
		if b != nil { // in the recording that this study goes on from
			r.links.sets = b.LinkSets
			all = append(all, b)
			continue
		}
		b = index[key]
		b.index, b.LinkSets = len(r.benches), r.links.sets
		for v := range r.o.Sources {
			if missing[key][v] {
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
	r.plan.Layouts = r.links.sets
	for _, b := range all {
		switch f := outcomes[b.Key]; {
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
		}
	}
	return all, nil
}

func (r *runner) discover(ctx context.Context, bin Binary, procs int) ([]found, error) {
	sel := selection{bench: r.o.Bench, skip: r.o.Skip, procs: procs, args: r.o.Args, timeout: r.o.Timeout}
	if !bin.Overlaid {
		return discoverPlain(ctx, bin, sel)
	}
	return discover(ctx, bin, sel)
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
