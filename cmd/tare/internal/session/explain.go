package session

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/tarebench/tare/cmd/tare/internal/build"
	"github.com/tarebench/tare/cmd/tare/internal/explain"
	"github.com/tarebench/tare/cmd/tare/internal/judge"
	"github.com/tarebench/tare/cmd/tare/internal/kind"
	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/internal/finding"
)

// shownCauses is how many causes a comparison shows by itself, and with
// -explain. Finding them by itself takes at most causesTime: rows that are left
// over then are those of tare explain.
const (
	shownCauses     = 3
	explainedCauses = 5
	causesTime      = time.Second
)

// findCauses puts on record what the machine code shows about the benchmarks
// that became faster or slower. It builds and runs nothing, unless the user asks
// for it (-explain).
func (s *Session) findCauses(ctx context.Context) error {
	if len(s.sides.list) < 2 || s.codes == nil {
		return nil
	}
	began := time.Now()
	for _, row := range Compare(s.rec).Benchmarks {
		if row.Unit != "sec/op" || row.Verdict != result.Faster && row.Verdict != result.Slower {
			continue
		}
		if ctx.Err() != nil || !s.spec.Explain && time.Since(began) > causesTime {
			return nil
		}
		for _, c := range s.causesOf(ctx, row) {
			values := []finding.Value{finding.Text("verdict", string(row.Verdict)), finding.Text("pkg", row.Pkg),
				finding.Text("variant", s.rec.Study.Variants[row.NewVariant].Label), finding.Text("cause", c.text)}
			if file := inRepository(s.sides.list[row.NewVariant].Root(), c.file); file != "" {
				values = append(values, finding.Text("file", file), finding.Count("line", c.line, ""))
			}
			if err := s.addFinding(kind.LikelyCause.Of(row.Name, values...)); err != nil {
				return err
			}
		}
	}
	return nil
}

// Causes are what the machine code shows about a benchmark of a finished
// comparison of two variants that became slower or faster (slower): a clause
// for each, the most likely first, at most three. It builds and runs nothing.
func (s *Session) Causes(key result.Key, slower bool) []string {
	if len(s.sides.list) != 2 || s.codes == nil {
		return nil
	}
	causes := explain.Rank(s.codes.causes(s.spec, key, 1), slower)
	var all []string
	for _, c := range causes[:min(shownCauses, len(causes))] {
		all = append(all, c.String())
	}
	return all
}

// inRepository is the name that a file has in the repository whose root is
// given; empty where it is outside.
func inRepository(root, file string) string {
	if root == "" || !filepath.IsAbs(file) {
		return ""
	}
	name, err := filepath.Rel(root, file)
	if err != nil || !filepath.IsLocal(name) {
		return ""
	}
	return filepath.ToSlash(name)
}

// shownCause is a cause in words, and where it is; file is empty where that is
// not known.
type shownCause struct {
	text, file string
	line       int
}

func shownCauseOf(c explain.Cause) shownCause {
	file, line := c.Place()
	return shownCause{c.String(), file, line}
}

// causesOf are the causes to show with a row.
func (s *Session) causesOf(ctx context.Context, row result.BenchmarkComparison) (shown []shownCause) {
	if !s.spec.Explain {
		causes := explain.Rank(s.codes.causes(s.spec, row.Key, row.NewVariant), row.Verdict == result.Slower)
		for _, c := range causes[:min(shownCauses, len(causes))] {
			shown = append(shown, shownCauseOf(c))
		}
		return shown
	}
	e := explanationOf(row)
	s.watcher.Progress(result.Progress{Name: e.Name, Phase: "profiling", Ratio: math.NaN()})
	s.codes.explain(ctx, s.spec, &e)
	for _, c := range e.Causes[:min(explainedCauses, len(e.Causes))] {
		shown = append(shown, shownCauseOf(c))
	}
	if o := ordersOf(s.rec, row.Key, row.NewVariant); o != nil && len(e.Causes) > 0 && e.Causes[0].Kind == explain.Layout {
		shown = append(shown, shownCause{text: o.String()})
	}
	return shown
}

// explanationOf is what a measured row is explained from.
func explanationOf(row result.BenchmarkComparison) explain.Explanation {
	return explain.Explanation{Key: row.Key, NewVariant: row.NewVariant, Change: row.Change, Verdict: row.Verdict,
		OldRuntime: row.OldRuntime, NewRuntime: row.NewRuntime}
}

// causes are those that the machine code of a benchmark shows.
func (c *machineCode) causes(spec Spec, key result.Key, v int) []explain.Cause {
	one := c.comparison(key.Pkg, v)
	if one == nil {
		return nil
	}
	top, _, _ := strings.Cut(key.Name, "/")
	causes := explain.Benchmark(one, "Benchmark"+top, c.builtins(key.Pkg, v))
	if len(causes) == 1 && causes[0].Kind == explain.Layout &&
		!comparable(spec.Variants[0], spec.Variants[v], c.sides.list[0].Variant, c.sides.list[v].Variant) {
		return []explain.Cause{{Kind: explain.Settings, Subject: "environment or flags"}}
	}
	old, new := c.sides.list[0].Profile(key.Pkg), c.sides.list[v].Profile(key.Pkg)
	if differ := differentProfiles(old, new); differ != "" && len(causes) > 0 && causes[0].Kind != explain.Layout {
		causes = append(causes, explain.Cause{Kind: explain.Profile, Subject: differ})
	}
	return causes
}

// differentProfiles says which profiles guide the compiler, by their files;
// empty where it is the same one, or none.
func differentProfiles(old, new string) string {
	name := func(path string) (string, string) {
		if path == "" {
			return "none", ""
		}
		sum, ok := digest(path)
		if !ok {
			sum = path
		}
		return filepath.Base(path), sum
	}
	before, oldSum := name(old)
	after, newSum := name(new)
	switch {
	case oldSum == newSum:
		return ""
	case before == after:
		return "the contents of " + before + " differ"
	}
	return after + ", not " + before
}

// explained reads the specification of a finished study in a folder, and its
// recording.
func explained(path string, trust bool) (Spec, *result.Recording, error) {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		path = filepath.Join(path, "result.jsonl")
	}
	f, err := os.Open(path)
	if err != nil {
		return Spec{}, nil, fmt.Errorf("explain study: %w", err)
	}
	lines, _, err := result.Lines(f)
	f.Close()
	if err != nil {
		return Spec{}, nil, fmt.Errorf("explain study: %s: %w", path, err)
	}
	rec := result.NewRecording(lines)
	if rec.Study.Request == nil || len(rec.Study.Variants) < 2 {
		return Spec{}, nil, fmt.Errorf("explain study: %s is not a comparison of this version of tare: give the variants, as in tare explain v1.2.0 HEAD", path)
	}
	if err := checkOrigin(filepath.Dir(path), rec.Study, trust); err != nil {
		return Spec{}, nil, fmt.Errorf("explain study: %w", err)
	}
	spec := specOf(rec.Study)
	for _, v := range rec.Study.Variants {
		parsed, err := build.Parse(v.Label)
		if err != nil {
			return Spec{}, nil, fmt.Errorf("explain study: %s: %w", path, err)
		}
		spec.Variants = append(spec.Variants, parsed)
	}
	return spec, rec, nil
}

// ExplainFolder explains the benchmarks of a finished comparison that became
// faster or slower. The variants are built again: a working tree must be what
// it was; a recording of someone else needs trust. change may change the specification that the study was made with.
func ExplainFolder(ctx context.Context, path string, trust bool, change func(*Spec), match func(string) bool, w Watcher) (explain.Explained, error) {
	spec, rec, err := explained(path, trust)
	if err != nil {
		return explain.Explained{}, err
	}
	change(&spec)
	out, err := explainAll(ctx, spec, func(codes *machineCode) (all []explain.Explanation) {
		rows := Compare(rec).Benchmarks
		for _, row := range rows {
			if row.Unit == "sec/op" && match(row.Name) && (row.Verdict == result.Faster || row.Verdict == result.Slower) {
				e := explanationOf(row)
				e.Orders = ordersOf(rec, row.Key, row.NewVariant)
				e.Counters = explain.CountersOf(rows, row.Key, row.NewVariant)
				all = append(all, e)
			}
		}
		return all
	}, w)
	out.Folder = path
	return out, err
}

// Explain explains what differs between variants that were not measured.
func Explain(ctx context.Context, spec Spec, match func(string) bool, w Watcher) (explain.Explained, error) {
	return explainAll(ctx, spec, func(codes *machineCode) (all []explain.Explanation) {
		unknown := result.Change{Ratio: math.NaN(), Lo: math.NaN(), Hi: math.NaN()}
		for _, pkg := range codes.sides.packages {
			for v := 1; v < len(codes.sides.list); v++ {
				one := codes.comparison(pkg, v)
				if one == nil {
					continue
				}
				for _, name := range one.Benchmarks() {
					if name = strings.TrimPrefix(name, "Benchmark"); match(name) && !one.Benchmark("Benchmark"+name).Same {
						all = append(all, explain.Explanation{Key: result.Key{Pkg: pkg, Name: name, Procs: 1}, NewVariant: v, Change: unknown})
					}
				}
			}
		}
		return all
	}, w)
}

// explainAll builds the variants and explains what list selects.
func explainAll(ctx context.Context, spec Spec, list func(*machineCode) []explain.Explanation, w Watcher) (out explain.Explained, err error) {
	sides, err := openSides(ctx, spec, w.Step)
	if err != nil {
		return out, err
	}
	defer func() { err = errors.Join(err, sides.builder.Close()) }()
	out.Schema, out.Variants = result.Schema, sides.variants
	for _, pkg := range sides.packages {
		for _, one := range sides.list {
			if _, err := one.Binary(ctx, pkg, 0); err != nil {
				return out, err
			}
		}
	}
	codes := newMachineCode(sides)
	out.Benchmarks = list(codes)
	for i := range out.Benchmarks {
		e := &out.Benchmarks[i]
		w.Progress(result.Progress{Index: i + 1, Total: len(out.Benchmarks), Name: e.Name, Phase: "profiling", Ratio: math.NaN()})
		p := &prover{machineCode: codes, spec: spec, e: e, old: spec.Variants[0], new: spec.Variants[e.NewVariant], watcher: w}
		prove := spec.ProveCauses
		if prove && math.IsNaN(e.Change.Ratio) {
			switch err := p.measureWhole(ctx); {
			case errors.Is(err, errSubBenchmarks):
				p.note(errSubBenchmarks.Error())
				prove = false
			case err != nil:
				return out, err
			}
		}
		codes.explain(ctx, spec, e)
		if prove && ctx.Err() == nil {
			if err := p.prove(ctx); err != nil {
				return out, err
			}
		}
		if ctx.Err() != nil {
			return out, context.Cause(ctx)
		}
	}
	return out, nil
}

// explain finds the causes of one benchmark: in the machine code of what takes
// time, in what the sides use while they run, and in what their compilers say.
func (c *machineCode) explain(ctx context.Context, spec Spec, e *explain.Explanation) {
	causes := c.causes(spec, e.Key, e.NewVariant)
	old, new := c.observe(ctx, spec, e.Key, 0), c.observe(ctx, spec, e.Key, e.NewVariant)
	if old.times != nil && new.times != nil {
		causes = explain.InHotFunctions(causes, old.times.Inclusive, new.times.Inclusive)
	}
	if old.running != nil && new.running != nil {
		old.running.Recorded(e.OldRuntime)
		new.running.Recorded(e.NewRuntime)
		e.OldRunning, e.NewRunning = old.running, new.running
		e.Sites = explain.CompareAllocations(old.allocations, new.allocations)
		explain.AddSites(causes, e.Sites)
		causes = append(causes, explain.RunningCauses(*old.running, *new.running, causes)...)
		if old.times != nil && new.times != nil {
			explain.Weigh(causes, *old.times, *new.times, *old.running, *new.running)
		}
	}
	slower := e.Verdict != result.Faster
	causes = explain.Rank(causes, slower)
	explain.AddReasons(causes, c.decided(ctx, e.Pkg, e.NewVariant, causes))
	e.Causes = explain.Rank(causes, slower)
}

// decided is decisions, once for each package and variant.
func (c *machineCode) decided(ctx context.Context, pkg string, v int, causes []explain.Cause) []explain.DecisionChange {
	id := fmt.Sprint(pkg, "\x00", v)
	if _, known := c.decisionsOf[id]; !known {
		c.decisionsOf[id] = c.decisions(ctx, pkg, v, causes)
	}
	return c.decisionsOf[id]
}

// ordersOf is how much the change of a benchmark differs between the function
// orders of its blocks; nil where all blocks have one order.
func ordersOf(rec *result.Recording, key result.Key, v int) *explain.Orders {
	if rec.Study.Request != nil && !rec.Study.Request.Layouts {
		return nil
	}
	for _, b := range rec.Benchmarks {
		if b.Key == key {
			return explain.OverOrders(judge.BlockRatios(b, "sec/op", 0, v))
		}
	}
	return nil
}
