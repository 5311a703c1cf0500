package session

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/google/pprof/profile"

	"github.com/tarebench/tare/finding"
	"github.com/tarebench/tare/internal/count"
	"github.com/tarebench/tare/internal/explain"
	"github.com/tarebench/tare/internal/kind"
	"github.com/tarebench/tare/internal/result"
	"github.com/tarebench/tare/internal/variant"
)

// shownCauses is how many causes a comparison shows by itself.
const shownCauses = 3

// findCauses puts on record what the machine code shows about the benchmarks
// that became faster or slower. It builds and runs nothing.
func (s *Session) findCauses() error {
	if len(s.sides.list) < 2 || s.codes == nil {
		return nil
	}
	for _, row := range Compare(s.rec).Benchmarks {
		if row.Unit != "sec/op" || row.Verdict != result.Faster && row.Verdict != result.Slower {
			continue
		}
		causes := explain.Rank(s.codes.causes(s.spec, row.Key, row.NewVariant), row.Verdict == result.Slower)
		for _, c := range causes[:min(shownCauses, len(causes))] {
			f := kind.LikelyCause.Of(row.Name, finding.Text("verdict", string(row.Verdict)),
				finding.Text("variant", s.rec.Study.Variants[row.NewVariant].Label), finding.Text("cause", c.String()))
			if err := s.find(f); err != nil {
				return err
			}
		}
	}
	return nil
}

// causes are those that the machine code of a benchmark shows.
func (c *codes) causes(spec Spec, key result.Key, v int) []explain.Cause {
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
	return causes
}

// explained reads the specification of a finished study in a folder, and its
// recording.
func explained(path string) (Spec, *result.Recording, error) {
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
	spec := specOf(rec.Study)
	for _, v := range rec.Study.Variants {
		parsed, err := variant.Parse(v.Label)
		if err != nil {
			return Spec{}, nil, fmt.Errorf("explain study: %s: %w", path, err)
		}
		spec.Variants = append(spec.Variants, parsed)
	}
	return spec, rec, nil
}

// ExplainFolder explains the benchmarks of a finished comparison that became
// faster or slower. The variants are built again: a working tree must be what
// it was. change may change the specification that the study was made with.
func ExplainFolder(ctx context.Context, path string, change func(*Spec), match func(string) bool, w Watcher) (explain.Explained, error) {
	spec, rec, err := explained(path)
	if err != nil {
		return explain.Explained{}, err
	}
	change(&spec)
	out, err := explainAll(ctx, spec, func(codes *codes) (all []explain.Explanation) {
		for _, row := range Compare(rec).Benchmarks {
			if row.Unit == "sec/op" && match(row.Name) && (row.Verdict == result.Faster || row.Verdict == result.Slower) {
				all = append(all, explain.Explanation{Key: row.Key, NewVariant: row.NewVariant, Change: row.Change, Verdict: row.Verdict})
			}
		}
		return all
	}, w)
	out.Folder = path
	return out, err
}

// Explain explains what differs between variants that were not measured.
func Explain(ctx context.Context, spec Spec, match func(string) bool, w Watcher) (explain.Explained, error) {
	return explainAll(ctx, spec, func(codes *codes) (all []explain.Explanation) {
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
func explainAll(ctx context.Context, spec Spec, list func(*codes) []explain.Explanation, w Watcher) (out explain.Explained, err error) {
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
	codes := newCodes(sides)
	out.Benchmarks = list(codes)
	decisions := make(map[string][]explain.DecisionChange)
	for i := range out.Benchmarks {
		if ctx.Err() != nil {
			return out, context.Cause(ctx)
		}
		e := &out.Benchmarks[i]
		w.Progress(Progress{Index: i + 1, Total: len(out.Benchmarks), Name: e.Name, Phase: "profiling", Ratio: math.NaN()})
		causes := codes.causes(spec, e.Key, e.NewVariant)
		old, new := codes.shares(ctx, spec, e.Key, 0), codes.shares(ctx, spec, e.Key, e.NewVariant)
		if old != nil && new != nil {
			causes = explain.InHotFunctions(causes, old, new)
		}
		causes = explain.Rank(causes, e.Verdict != result.Faster)
		id := fmt.Sprint(e.Pkg, "\x00", e.NewVariant)
		if _, known := decisions[id]; !known {
			decisions[id] = codes.decisions(ctx, e.Pkg, e.NewVariant, causes)
		}
		explain.AddReasons(causes, decisions[id])
		e.Causes = explain.Rank(causes, e.Verdict != result.Faster)
		if spec.ProveCauses {
			if err := codes.proveCause(ctx, spec, e, w); err != nil {
				return out, err
			}
		}
	}
	return out, nil
}

// explainTime is how long a benchmark runs to find where its time goes.
const explainTime = 300 * time.Millisecond

// shares runs a benchmark of a side for its CPU profile; nil where that fails.
func (c *codes) shares(ctx context.Context, spec Spec, key result.Key, v int) map[string]float64 {
	bin, ok := c.sides.list[v].base(key.Pkg)
	if !ok {
		return nil
	}
	prefix := filepath.Base(c.fileLog(key.Pkg, v)) + "-"
	files, err := count.CollectProfiles(ctx, count.Run, count.Target{
		Binary: bin.Path, Dir: bin.Dir, Env: append(os.Environ(), bin.Env...), Args: spec.Args, Benchmark: key.Name, Timeout: time.Minute,
	}, 0, []count.ProfileKind{count.CPUProfile}, explainTime, c.scratch, prefix)
	if err != nil {
		return nil
	}
	f, err := os.Open(files[count.CPUProfile])
	if err != nil {
		return nil
	}
	defer f.Close()
	p, err := profile.Parse(f)
	if err != nil || len(p.Sample) == 0 {
		return nil
	}
	return explain.Shares(p)
}

// decisions asks the compiler of both sides about the packages in which there
// are causes; empty where that fails.
func (c *codes) decisions(ctx context.Context, pkg string, v int, causes []explain.Cause) []explain.DecisionChange {
	var packages []string
	for _, cause := range causes {
		for _, symbol := range []string{cause.Function, cause.Subject} {
			if p := packageOf(symbol); p != "" && !explain.Standard(symbol) && !slices.Contains(packages, p) {
				packages = append(packages, p)
			}
		}
	}
	if len(packages) == 0 {
		return nil
	}
	var all [2][]explain.Decision
	var sources [2]explain.Source
	for i, one := range []*side{c.sides.list[0], c.sides.list[v]} {
		text, err := one.Compiled(ctx, pkg, explain.DecisionFlags, packages)
		if err != nil {
			return nil
		}
		if all[i], err = explain.ReadDecisions(strings.NewReader(text)); err != nil {
			return nil
		}
		sources[i] = sourceIn(one.Dir)
	}
	return explain.CompareDecisions(all[0], all[1], sources[0], sources[1])
}

// packageOf is the import path of a symbol.
func packageOf(symbol string) string {
	head, _, _ := strings.Cut(symbol, "[")
	slash := strings.LastIndexByte(head, '/')
	name, _, found := strings.Cut(head[slash+1:], ".")
	if !found {
		return ""
	}
	return strings.ReplaceAll(head[:slash+1]+name, "%2e", ".")
}

// sourceIn reads source files whose names are relative to a directory.
func sourceIn(dir string) explain.Source {
	type file struct {
		lines []string
		set   *token.FileSet
		tree  *ast.File
	}
	files := make(map[string]*file)
	return func(name string, line int) (text, function string) {
		if !filepath.IsAbs(name) {
			name = filepath.Join(dir, name)
		}
		f := files[name]
		if f == nil {
			f = &file{set: token.NewFileSet()}
			files[name] = f
			if data, err := os.ReadFile(name); err == nil {
				f.lines = strings.Split(string(data), "\n")
				f.tree, _ = parser.ParseFile(f.set, name, data, parser.SkipObjectResolution) // what it could read
			}
		}
		if line < 1 || line > len(f.lines) || f.tree == nil {
			return "", ""
		}
		for _, d := range f.tree.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if ok && f.set.Position(fn.Pos()).Line <= line && line <= f.set.Position(fn.End()).Line {
				function = functionName(fn)
			}
		}
		return strings.TrimSpace(f.lines[line-1]), function
	}
}

// functionName is a function as the compiler writes it: F, T.M, (*T).M.
func functionName(fn *ast.FuncDecl) string {
	if fn.Recv == nil || len(fn.Recv.List) == 0 {
		return fn.Name.Name
	}
	typ, pointer := fn.Recv.List[0].Type, false
	if star, ok := typ.(*ast.StarExpr); ok {
		typ, pointer = star.X, true
	}
	if index, ok := typ.(*ast.IndexExpr); ok {
		typ = index.X
	}
	name, _ := typ.(*ast.Ident)
	switch {
	case name == nil:
		return fn.Name.Name
	case pointer:
		return "(*" + name.Name + ")." + fn.Name.Name
	}
	return name.Name + "." + fn.Name.Name
}
