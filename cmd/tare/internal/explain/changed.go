package explain

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/google/pprof/profile"

	"github.com/tarebench/tare/cmd/tare/internal/catalog"
	"github.com/tarebench/tare/cmd/tare/internal/instrument"
	"github.com/tarebench/tare/cmd/tare/internal/objcode"
	"github.com/tarebench/tare/cmd/tare/internal/production"
	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/session"
	"github.com/tarebench/tare/internal/finding"
)

// A comparison shows what its benchmarks run. So the recording says which functions
// changed, what leads to each, and its samples in short CPU profiles of the new
// variant. package judge makes of it what the comparison would have seen.

// The search for changed functions and profiles of benchmarks take at most this part
// of the time of the run, and a profile at least leastProfile.
const (
	profiledPart = 0.2
	leastProfile = 100 * time.Millisecond
)

// changes are the changed functions of a variant.
type changes struct {
	variant   int
	functions map[string]*result.ChangedFunction // by name in the source
	// reaching are the changed functions that a benchmark leads to.
	reaching map[int][]string
	// allocating have more calls that allocate.
	allocating map[string]bool
	// inMain are the names of those in a package main, in its program.
	inMain map[string]string
}

// changed records the changed functions of each new variant, and what benchmarks
// run of them.
func (c *explainer) changed(ctx context.Context, s *session.Session, w session.Watcher) error {
	if len(s.Recording().Benchmarks) == 0 {
		return nil
	}
	for v := 1; v < len(s.Recording().Study.Variants); v++ {
		begun := s.Elapsed()
		if elsewhere := c.ChangedElsewhere(ctx, v); elsewhere != nil {
			if err := s.Add(result.Line{Changed: &result.ChangedFunction{Variant: v, Elsewhere: elsewhere}}); err != nil {
				return err
			}
		}
		all, why := c.changes(s.Recording(), v)
		if all == nil {
			if why == "" {
				continue
			}
			if err := s.Add(result.Line{Changed: &result.ChangedFunction{Variant: v, Unknown: why}}); err != nil {
				return err
			}
			continue
		}
		if s.Profiles() {
			c.sample(ctx, s, all, profileTime(&s.Recording().Study, s.Elapsed(), s.Elapsed()-begun), w)
		}
		if err := c.weighAll(s, all); err != nil {
			return err
		}
		for _, name := range slices.Sorted(maps.Keys(all.functions)) {
			if err := s.Add(result.Line{Changed: all.functions[name]}); err != nil {
				return err
			}
		}
	}
	return nil
}

// changes finds the changed functions of a variant. It is nil, with the reason, if
// not all code is known; without one if none was built.
func (c *explainer) changes(rec *result.Recording, v int) (_ *changes, why string) {
	const unknown = "not all code is understood"
	measured := make(map[string][]string)
	benchmarks := make(map[[2]string][]int)
	for i, b := range rec.Benchmarks {
		top, _, _ := strings.Cut(b.Name, "/")
		id := [2]string{b.Pkg, "Benchmark" + top}
		if benchmarks[id] == nil {
			measured[b.Pkg] = append(measured[b.Pkg], id[1])
		}
		benchmarks[id] = append(benchmarks[id], i)
	}
	built := false // kept binaries are not
	for pkg := range measured {
		one := c.Comparison(pkg, v)
		if built = built || one != nil; one != nil && one.Settings {
			return nil, fmt.Sprintf("the %s differ", one.Why)
		}
	}
	if !built {
		return nil, ""
	}
	runs := c.running(measured, v)
	if runs == nil {
		return nil, unknown
	}
	all := &changes{v, make(map[string]*result.ChangedFunction), make(map[int][]string), make(map[string]bool), make(map[string]string)}
	for _, pkg := range c.Packages() {
		one := c.Comparison(pkg, v)
		if one == nil {
			continue
		}
		builtins := c.Builtins(pkg, v)
		changed := one.Changed(builtins)
		reaches := one.Reaches(changed)
		if changed == nil || reaches == nil {
			return nil, unknown
		}
		for k, r := range reaches {
			name := objcode.Source(changed[k].Name)
			f := all.functions[name]
			if f == nil {
				f = &result.ChangedFunction{Variant: v, Name: name, Line: changed[k].Line, By: result.ByNone, Never: true}
				f.File = cmp.Or(inRepository(c.Variant(v, pkg).Root(), changed[k].File), filepath.Base(changed[k].File))
				all.functions[name] = f
				if inMain(changed[k].File) {
					all.inMain["main."+localName(name)] = name
				}
			}
			all.allocating[name] = all.allocating[name] || slices.ContainsFunc(changed[k].Added, allocating)
			f.Never = f.Never && !runs(changed[k].Name)
			switch {
			case r.Start && f.By != result.ByBenchmark:
				f.By = result.ByStart
			case r.Binary && f.By == result.ByNone:
				f.By = result.ByTest
			}
			for _, benchmark := range r.Benchmarks {
				for _, i := range benchmarks[[2]string{pkg, benchmark}] {
					if !slices.Contains(all.reaching[i], name) {
						all.reaching[i] = append(all.reaching[i], name)
						f.By = result.ByBenchmark
						if f.Reached++; f.Reached <= 3 {
							f.Benchmarks = append(f.Benchmarks, i)
						}
					}
				}
			}
		}
	}
	for _, f := range all.functions {
		f.Never = f.Never && f.Reached == 0
	}
	return all, ""
}

// inMain reports whether a file is of a package main, whose functions have other
// names in its program than in its tests.
func inMain(file string) bool {
	tree, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.PackageClauseOnly)
	return err == nil && tree.Name.Name == "main"
}

// allocating reports whether a call allocates.
func allocating(callee string) bool {
	kind, ok := kindOf(callee)
	return ok && slices.Contains(allocatingKinds, kind)
}

// weighAll weighs the changed functions by a profile of production, and records it.
func (c *explainer) weighAll(s *session.Session, all *changes) error {
	use, root := result.Production{File: s.Spec().Weigh}, ""
	if len(all.functions) == 0 || use.File == "off" {
		return nil
	}
	var err error
	if use.File == "" {
		if root = c.Variant(all.variant, c.Packages()[0]).Root(); root == "" {
			return nil
		}
		if use.File, err = production.Default(root); use.File == "" && err == nil {
			return nil
		}
		use.Default = true
	}
	var p *production.Profile
	if err == nil {
		p, err = production.Read(use.File)
	}
	if err == nil {
		err = all.weigh(p, &use, c.known(all))
	}
	if name := inRepository(root, use.File); name != "" {
		use.File = name
	}
	if err != nil {
		why := err.Error()
		if of, ok := errors.AsType[*fs.PathError](err); ok {
			why = of.Err.Error()
		}
		return s.AddFindings(catalog.ProductionUnread.Of(cmp.Or(use.File, "default.pgo"), finding.Text("why", why)))
	}
	return s.Add(result.Line{Production: &use})
}

// known are the functions of the programs of a variant.
func (c *explainer) known(all *changes) func(string) bool {
	names := make(map[string]bool)
	for _, pkg := range c.Packages() {
		if one := c.Comparison(pkg, all.variant); one != nil {
			one.Names(names)
		}
	}
	return func(name string) bool { return names[cmp.Or(all.inMain[name], name)] }
}

// weigh sets the weights of the changed functions.
func (all *changes) weigh(p *production.Profile, use *result.Production, known func(string) bool) error {
	use.Seconds = p.Seconds
	if use.Matched, use.Unmatched = p.Matched(known, isStandard); use.Matched == 0 {
		return errors.New("it is of another program: no function of the test binaries is in it")
	}
	for _, f := range all.functions {
		f.Weight = new(result.Weight)
	}
	for name, w := range p.Weigh(func(name string) bool { return all.functions[cmp.Or(all.inMain[name], name)] != nil }) {
		*all.functions[cmp.Or(all.inMain[name], name)].Weight = w
	}
	return nil
}

// profileTime is the time left for the profiles of a variant, at least half of it.
// elapsed is the time of the run, with the time that the search for changed
// functions took.
func profileTime(study *result.Study, elapsed, took time.Duration) time.Duration {
	part := time.Duration(profiledPart * float64(elapsed-took) / float64(len(study.Variants)-1))
	left := max(part/2, part-took)
	if total := study.TotalSeconds; total > 0 {
		left = min(left, time.Duration(total*float64(time.Second))-elapsed)
	}
	return left
}

// sample profiles the measured benchmarks that lead to changed functions, first
// those that lead to functions without a profile, in the time left.
func (c *explainer) sample(ctx context.Context, s *session.Session, all *changes, left time.Duration, w session.Watcher) {
	rec := s.Recording()
	var jobs []int
	for i := range all.reaching {
		b := &rec.Benchmarks[i]
		if len(b.Blocks) > 0 && !slices.Contains(b.Missing, all.variant) && (b.Pilot == nil || 3*b.Pilot.IterationSeconds < left.Seconds()) {
			jobs = append(jobs, i)
		}
	}
	slices.Sort(jobs)
	looked := make(map[string]bool)
	for len(jobs) > 0 && left > leastProfile/2 && ctx.Err() == nil {
		news := func(i int) (n int) {
			for _, name := range all.reaching[i] {
				if !looked[name] {
					n++
				}
			}
			return n
		}
		job := slices.MaxFunc(jobs, func(i, k int) int { return cmp.Compare(news(i), news(k)) })
		share := max(left/time.Duration(len(jobs)), min(leastProfile, left))
		jobs = slices.DeleteFunc(jobs, func(i int) bool { return i == job })
		w.Progress(result.Progress{Index: job + 1, Total: len(rec.Benchmarks), Name: rec.Benchmarks[job].Name, Phase: "profiling", Ratio: math.NaN()})
		begun := time.Now()
		if p := c.cpuProfile(ctx, rec.Benchmarks[job], all.variant, share, left); p != nil {
			all.count(job, p)
		}
		for _, name := range all.reaching[job] {
			looked[name] = true
		}
		left -= time.Since(begun)
	}
}

// cpuProfile profiles a benchmark of a variant for about a time, or until it has
// enough samples. It gives up soon after the time left.
func (c *explainer) cpuProfile(ctx context.Context, b result.Benchmark, v int, most, left time.Duration) *profile.Profile {
	run := c.sampler(ctx, b.Key, v, min(4*most, left)+time.Second)
	if run == nil {
		return nil
	}
	benchtime := min(most, leastSamples*10*time.Millisecond)
	if b.Loop != "b.Loop" { // a b.N loop is called again and again until it takes as long
		benchtime /= 2
	}
	p, _ := run.profile("cpu", max(benchtime, time.Millisecond).String())
	return p
}

// count adds the samples of a benchmark to the changed functions that it leads to.
func (all *changes) count(benchmark int, p *profile.Profile) {
	of, changed := 0, 0
	samples := make(map[string]int)
	for _, s := range p.Sample {
		n := int(s.Value[0])
		of += n
		in := make(map[string]bool)
		for frame := range instrument.Frames(s) {
			if name := objcode.Source(frame.Function.Name); all.functions[name] != nil {
				in[name] = true
			}
		}
		for name := range in {
			samples[name] += n
		}
		if len(in) > 0 {
			changed += n
		}
	}
	for _, name := range all.reaching[benchmark] {
		f := all.functions[name]
		f.Sampled = append(f.Sampled, result.Sampled{Benchmark: benchmark, Samples: samples[name], Of: of, Changed: changed, Allocates: all.allocating[name]})
	}
}
