package explain

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tarebench/tare/cmd/tare/internal/catalog"
	"github.com/tarebench/tare/cmd/tare/internal/file"
	"github.com/tarebench/tare/cmd/tare/internal/judge"
	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/session"
	"github.com/tarebench/tare/cmd/tare/internal/words"
	"github.com/tarebench/tare/internal/finding"
)

// shownCauses is the number of causes that a comparison shows by default, and
// explainedCauses with -explain. By default the first mostRows rows have causes:
// a limit in seconds would lose causes on a busy machine. tare explain explains
// the remaining rows.
const (
	shownCauses     = 3
	explainedCauses = 5
	mostRows        = 50
)

// explainer finds causes in the code of the variants of a specification.
type explainer struct {
	*session.Code
	spec session.Spec
	// causesOf are the causes in machine code, by package, function and variant.
	// Sub-benchmarks share the causes of their function.
	causesOf map[string][]Cause
	// decisionsOf are the compilers' decisions, by benchmark package, variant
	// and packages with causes.
	decisionsOf map[string][]decisionChange
}

func newExplainer(spec session.Spec, code *session.Code) *explainer {
	return &explainer{Code: code, spec: spec, causesOf: make(map[string][]Cause), decisionsOf: make(map[string][]decisionChange)}
}

// Record records the causes in the machine code of the benchmarks of a session
// that became faster or slower, and the changed functions with their share of the
// benchmarks. It runs nothing but short profiles, unless the user sets -explain.
func Record(ctx context.Context, s *session.Session, w session.Watcher) error {
	spec, rec := s.Spec(), s.Recording()
	if len(rec.Study.Variants) < 2 || s.Code() == nil {
		return nil
	}
	c := newExplainer(spec, s.Code())
	if err := c.changed(ctx, s, w); err != nil {
		return err
	}
	rows := s.Comparison().Benchmarks
	explained := make(map[string]bool) // a benchmark once, by its time if that changed
	for _, row := range rows {
		id := fmt.Sprint(row.Key, row.NewVariant)
		if row.Unit != "sec/op" && !result.IsCount(row.Unit) || explained[id] || row.Verdict != result.Faster && row.Verdict != result.Slower {
			continue
		}
		explained[id] = true
		if ctx.Err() != nil || !spec.Explain && len(explained) > mostRows {
			return nil
		}
		causes := c.shown(ctx, row, w)
		if text := measuredAllocations(rows, row); text != "" {
			causes = slices.Insert(causes, 0, shownCause{text: text})
		}
		for _, cause := range causes {
			values := []finding.Value{finding.Text("verdict", words.Word(&row)), finding.Text("pkg", row.Pkg),
				finding.Text("variant", rec.Study.Variants[row.NewVariant].Label), finding.Text("cause", cause.text)}
			if file := inRepository(c.Variant(row.NewVariant, row.Pkg).Root(), cause.file); file != "" {
				values = append(values, finding.Text("file", file), finding.Count("line", cause.line, ""))
			}
			if err := s.AddFindings(catalog.LikelyCause.Of(row.Name, values...)); err != nil {
				return err
			}
		}
	}
	return nil
}

// Causes returns the causes in the machine code of a benchmark that became
// slower (slower) or faster in a finished comparison. It returns a clause for
// each, at most three. It builds and runs nothing.
func Causes(s *session.Session, key result.Key, slower bool) (all []string) {
	if len(s.Recording().Study.Variants) != 2 || s.Code() == nil {
		return nil
	}
	causes := rank(newExplainer(s.Spec(), s.Code()).causes(key, 1), slower)
	for _, c := range causes[:min(shownCauses, len(causes))] {
		all = append(all, c.String())
	}
	return all
}

// measuredAllocations describes the allocations of a row that became faster or
// slower. It is empty unless they changed in the same direction.
func measuredAllocations(rows []result.BenchmarkComparison, of result.BenchmarkComparison) string {
	for _, u := range []struct{ unit, after string }{{"allocs/op", " allocs/op"}, {"B/op", "/op"}} {
		for _, row := range rows {
			if row.Key == of.Key && row.NewVariant == of.NewVariant && row.Unit == u.unit && row.Verdict == of.Verdict {
				return words.Amount(u.unit, row.New.Center) + u.after + ", before " + words.Amount(u.unit, row.Old.Center)
			}
		}
	}
	return ""
}

// inRepository is the name of a file relative to the root of its repository. It
// is empty if the file is outside.
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

// shownCause is a cause in words, and its place. The file is empty if unknown.
type shownCause struct {
	text, file string
	line       int
}

// shown are the causes to show with a row.
func (c *explainer) shown(ctx context.Context, row result.BenchmarkComparison, w session.Watcher) (all []shownCause) {
	e, most := explanationOf(row), explainedCauses
	if c.spec.Explain {
		w.Progress(result.Progress{Name: e.Name, Phase: "profiling", Ratio: math.NaN()})
		c.explain(ctx, &e)
	} else {
		most = shownCauses
		e.Causes = rank(c.causes(row.Key, row.NewVariant), row.Verdict == result.Slower)
	}
	for _, cause := range e.Causes[:min(most, len(e.Causes))] {
		file, line := cause.Place()
		all = append(all, shownCause{cause.String(), file, line})
	}
	return all
}

// explanationOf is the input for the explanation of a measured row.
func explanationOf(row result.BenchmarkComparison) Explanation {
	return Explanation{Key: row.Key, NewVariant: row.NewVariant, Change: row.Change, Verdict: row.Verdict,
		OldRuntime: row.OldRuntime, NewRuntime: row.NewRuntime}
}

// causes are the causes in the machine code of a benchmark.
func (c *explainer) causes(key result.Key, v int) []Cause {
	top, _, _ := strings.Cut(key.Name, "/")
	id := fmt.Sprint(key.Pkg, "\x00", top, "\x00", v)
	if _, known := c.causesOf[id]; !known {
		c.causesOf[id] = c.causesIn(key.Pkg, top, v)
	}
	return slices.Clone(c.causesOf[id])
}

func (c *explainer) causesIn(pkg, top string, v int) []Cause {
	one := c.Comparison(pkg, v)
	if one == nil {
		return nil
	}
	causes := benchmarkCauses(one, "Benchmark"+top, c.Builtins(pkg, v))
	if c.SameTests(pkg, v) {
		causes = outsideTests(causes)
	}
	if len(causes) == 1 && causes[0].Kind == Layout && !c.Comparable(c.spec, v) {
		return []Cause{{Kind: Settings, Subject: "environment or flags"}}
	}
	old, new := c.Variant(0, pkg).Profile(pkg), c.Variant(v, pkg).Profile(pkg)
	if differ := differentProfiles(old, new); differ != "" && len(causes) > 0 && causes[0].Kind != Layout {
		causes = append(causes, Cause{Kind: Profile, Subject: differ})
	}
	return causes
}

// outsideTests drops the changes of functions in unchanged test files. The
// compiler generates other code for them if it inlines changed code. A cause
// that names the inlined function stays, without a place in the test.
func outsideTests(causes []Cause) (kept []Cause) {
	for _, c := range causes {
		inTest := (c.Kind == Body || c.Kind == Operands) && strings.HasSuffix(c.File, "_test.go")
		if inTest && c.Subject == "" && len(causes) > 1 {
			continue
		}
		if inTest {
			c.File, c.Line = "", 0
		}
		kept = append(kept, c)
	}
	return kept
}

// differentProfiles describes the profiles that guide the compiler, by file. It
// is empty if both variants have the same one, or none.
func differentProfiles(old, new string) string {
	name := func(path string) (string, string) {
		if path == "" {
			return "none", ""
		}
		data, err := file.ReadNamed(path)
		if err != nil {
			return filepath.Base(path), path
		}
		return filepath.Base(path), fmt.Sprintf("%x", sha256.Sum256(data))
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

// Folder explains the benchmarks of a finished comparison that are faster, slower, or
// undecided with other machine code. The specification names its variants, which are
// built again, so a working tree must be unchanged.
func Folder(ctx context.Context, path string, spec session.Spec, match func(string) bool, w session.Watcher) (Explained, error) {
	rec, second, err := spec.Read(path)
	if err != nil {
		return Explained{}, err
	}
	out, err := explainAll(ctx, spec, func(c *explainer) (all []Explanation) {
		for _, row := range judge.Compare(rec).Benchmarks {
			if row.Unit == "sec/op" && row.NewVariant == second && match(row.Name) && (row.Verdict == result.Faster || row.Verdict == result.Slower ||
				row.Verdict == result.Undecided && c.differs(row.Pkg, row.Name)) {
				e := explanationOf(row)
				e.NewVariant = 1
				all = append(all, e)
			}
		}
		return all
	}, w)
	out.Folder = path
	return out, err
}

// differs reports whether a benchmark runs other machine code in the second variant.
func (c *explainer) differs(pkg, name string) bool {
	one, top := c.Comparison(pkg, 1), "Benchmark"+name
	top, _, _ = strings.Cut(top, "/")
	return one != nil && slices.Contains(one.Benchmarks(), top) && !one.Benchmark(top).Same
}

// Variants explains the differences between variants that were not measured.
func Variants(ctx context.Context, spec session.Spec, match func(string) bool, w session.Watcher) (Explained, error) {
	return explainAll(ctx, spec, func(c *explainer) (all []Explanation) {
		unknown := result.Change{Ratio: math.NaN(), Lo: math.NaN(), Hi: math.NaN()}
		for _, pkg := range c.Packages() {
			for v := 1; v < len(c.Variants()); v++ {
				one := c.Comparison(pkg, v)
				if one == nil {
					continue
				}
				for _, name := range one.Benchmarks() {
					if name = strings.TrimPrefix(name, "Benchmark"); match(name) && !one.Benchmark("Benchmark"+name).Same {
						all = append(all, Explanation{Key: result.Key{Pkg: pkg, Name: name, Procs: 1}, NewVariant: v, Change: unknown})
					}
				}
			}
		}
		return all
	}, w)
}

// explainAll builds the variants and explains the benchmarks that list selects.
func explainAll(ctx context.Context, spec session.Spec, list func(*explainer) []Explanation, w session.Watcher) (out Explained, err error) {
	spec.Builder = spec.NewBuilder(w.Step) // one for all flips
	defer func() { err = errors.Join(err, spec.Builder.Close()) }()
	code, err := session.OpenCode(ctx, spec, w.Step)
	if err != nil {
		return out, err
	}
	defer func() { err = errors.Join(err, code.Close()) }()
	out.Schema, out.Variants = result.Schema, code.Variants()
	c := newExplainer(spec, code)
	out.Benchmarks = list(c)
	for i := range out.Benchmarks {
		e := &out.Benchmarks[i]
		w.Progress(result.Progress{Index: i + 1, Total: len(out.Benchmarks), Name: e.Name, Phase: "profiling", Ratio: math.NaN()})
		c.explain(ctx, e)
		if ctx.Err() != nil {
			return out, context.Cause(ctx)
		}
	}
	return out, nil
}

// explain finds the causes of one benchmark: in the machine code of the
// functions that take time, in the resources that the variants use while they
// run, and in the output of their compilers.
func (c *explainer) explain(ctx context.Context, e *Explanation) {
	causes := c.causes(e.Key, e.NewVariant)
	old, new := c.observe(ctx, e.Key, 0), c.observe(ctx, e.Key, e.NewVariant)
	if old.times != nil {
		*old.times = old.times.named(causes)
	}
	slower := e.Verdict != result.Faster
	open, profiled := slower && e.Verdict != result.Slower, slower
	if is, known := profiledSlower(old, new); open && known {
		profiled = is // there is no verdict that it contradicts
	}
	why := distrust(old, new, profiled)
	if why != "" {
		e.Note = why + ": causes are facts of the machine code and of allocations, not ordered by time"
	} else {
		causes = inHotFunctions(causes, old.times.Inclusive, new.times.Inclusive)
	}
	if old.running != nil && new.running != nil {
		old.running.Recorded(e.OldRuntime)
		new.running.Recorded(e.NewRuntime)
		e.OldRunning, e.NewRunning = old.running, new.running
		e.Sites = compareAllocations(old.allocations, new.allocations)
		addSites(causes, e.Sites)
		causes = append(causes, runningCauses(*old.running, *new.running)...)
		if why == "" {
			weigh(causes, *old.times, *new.times, *old.running, *new.running)
		}
	}
	if open && len(rank(causes, slower)) == 0 {
		slower = false // what it saves
	}
	causes = rank(causes, slower)
	addReasons(causes, c.decided(ctx, e.Pkg, e.NewVariant, causes))
	e.Causes = rank(causes, slower)
}

// decided is decisions, once for each variant and packages with causes.
func (c *explainer) decided(ctx context.Context, pkg string, v int, causes []Cause) []decisionChange {
	packages := packagesOf(causes)
	id := fmt.Sprint(pkg, "\x00", v, "\x00", packages)
	if _, known := c.decisionsOf[id]; !known {
		c.decisionsOf[id] = c.decisions(ctx, pkg, v, packages)
	}
	return c.decisionsOf[id]
}
