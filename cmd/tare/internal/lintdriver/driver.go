package lintdriver

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/analysis/unitchecker"
	"golang.org/x/tools/go/packages"

	"github.com/tarebench/tare/cmd/tare/internal/file"
	"github.com/tarebench/tare/cmd/tare/lint"
	"github.com/tarebench/tare/internal/finding"
)

// Diagnostic is one finding with its place. Lines and columns count from 1,
// columns in bytes.
type Diagnostic struct {
	finding.Finding
	Package   string `json:"package"`
	File      string `json:"file"`
	Line      int    `json:"line"`
	Column    int    `json:"column"`
	EndLine   int    `json:"end_line"`
	EndColumn int    `json:"end_column"`
	URL       string `json:"url"`
}

// Options select the packages to load.
type Options struct {
	// Dir is the directory of the go command, or "" for the current directory.
	Dir string
	// BuildFlags are passed to the go command: -tags=….
	BuildFlags []string
	// Env is the environment of the go command, or nil for the current one.
	Env []string
	// Progress, if not nil, gets a line before the packages are compiled.
	Progress func(string)
}

// withBenchmarks lists the packages of the patterns whose files mention what the
// checks look at. Only what these import is compiled, which takes nearly all of
// the time of a large repository.
func withBenchmarks(config packages.Config, patterns []string) (some []string, all int, err error) {
	config.Mode = packages.NeedName | packages.NeedFiles | packages.NeedForTest
	pkgs, err := packages.Load(&config, patterns...)
	if err != nil {
		return nil, 0, err
	}
	seen := make(map[string]bool)
	for _, p := range pkgs {
		path := cmp.Or(p.ForTest, p.PkgPath)
		if path == "command-line-arguments" {
			return patterns, len(pkgs), nil
		}
		if testMain(p) || slices.Contains(some, path) {
			continue
		}
		seen[path] = true
		if len(p.GoFiles) == 0 && len(p.Errors) > 0 || slices.ContainsFunc(p.GoFiles, mentionsBenchmarks) {
			some = append(some, path)
		}
	}
	return some, len(seen), nil
}

func mentionsBenchmarks(name string) bool {
	text, err := file.ReadNamed(name)
	return err != nil || bytes.Contains(text, []byte("testing.B")) || bytes.Contains(text, []byte("tarebench/tare"))
}

// Load loads the packages of the patterns with their tests. broken has an
// error, with its place, for each package that does not build. Load still loads
// the others.
func Load(ctx context.Context, o Options, patterns ...string) (sound []*packages.Package, broken []error, err error) {
	config := packages.Config{
		Context: ctx,
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports |
			packages.NeedTypes | packages.NeedTypesSizes | packages.NeedSyntax | packages.NeedTypesInfo |
			packages.NeedModule | packages.NeedForTest,
		Dir:        o.Dir,
		BuildFlags: o.BuildFlags,
		Env:        o.Env,
		Tests:      true,
	}
	some, all, err := withBenchmarks(config, patterns)
	if err == nil && all > 0 && len(some) == 0 {
		return nil, nil, nil
	}
	if o.Progress != nil && len(some) > 0 {
		o.Progress(fmt.Sprintf("%d of %d packages have benchmarks: compiling what they import", len(some), all))
	}
	var pkgs []*packages.Package
	if err == nil {
		if len(some) == 0 { // none matches: the error is the one of the patterns
			some = patterns
		}
		pkgs, err = packages.Load(&config, some...)
	}
	if ctx.Err() != nil {
		return nil, nil, ctx.Err()
	}
	if err != nil {
		return nil, nil, fmt.Errorf("load packages %s: %w", strings.Join(patterns, " "), err)
	}
	if len(pkgs) == 0 {
		return nil, nil, fmt.Errorf("load packages %s: no packages match", strings.Join(patterns, " "))
	}
	seen := make(map[string]bool)
	for _, p := range pkgs {
		if len(p.Errors) == 0 && !p.IllTyped {
			sound = append(sound, p)
			continue
		}
		why := p.PkgPath + ": " + firstError(p)
		if !testMain(p) && !seen[why] {
			seen[why] = true
			broken = append(broken, fmt.Errorf("load package %s", why))
		}
	}
	return withTests(sound), broken, nil
}

func testMain(p *packages.Package) bool {
	return strings.HasSuffix(p.PkgPath, ".test") && p.Name == "main"
}

// firstError is the first reason why a package does not build, with its place
// if it has one. The go command reports errors of the compiler as one text
// without a place, under a line with the name of the package.
func firstError(p *packages.Package) string {
	if len(p.Errors) == 0 {
		return "a package that it imports does not build"
	}
	for _, e := range p.Errors {
		if e.Pos != "" && e.Pos != "-" {
			return e.Error()
		}
	}
	text := p.Errors[0].Msg
	if header, rest, ok := strings.Cut(text, "\n"); ok && strings.HasPrefix(header, "# ") {
		text = rest
	}
	first, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return first
}

func withTests(pkgs []*packages.Package) []*packages.Package {
	tested := make(map[string]bool)
	for _, p := range pkgs {
		if p.ForTest != "" {
			tested[p.PkgPath] = true
		}
	}
	return slices.DeleteFunc(pkgs, func(p *packages.Package) bool {
		return testMain(p) || p.ForTest == "" && tested[p.PkgPath]
	})
}

// Run runs checks over loaded packages and returns their findings, in the order
// of files and lines.
func Run(pkgs []*packages.Package, checks []lint.Check) ([]Diagnostic, error) {
	var analyzers []*analysis.Analyzer
	severity := make(map[string]finding.Severity)
	for _, c := range checks {
		analyzers = append(analyzers, c.Analyzer)
		severity[c.Name] = c.Severity
	}
	graph, err := checker.Analyze(analyzers, pkgs, nil)
	if err != nil {
		return nil, fmt.Errorf("analyze packages: %w", err)
	}
	var list []Diagnostic
	for _, act := range graph.Roots {
		if act.Err != nil {
			return nil, fmt.Errorf("analyze package %s: %w", act.Package.PkgPath, act.Err)
		}
		for _, d := range act.Diagnostics {
			list = append(list, diagnostic(act.Package, act.Analyzer.Name, severity[act.Analyzer.Name], d))
		}
	}
	return sorted(list), nil
}

// sorted orders findings by place and drops duplicates: a file can be part of
// two packages.
func sorted(list []Diagnostic) []Diagnostic {
	slices.SortStableFunc(list, func(a, b Diagnostic) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column), cmp.Compare(a.ID, b.ID))
	})
	return slices.CompactFunc(list, func(a, b Diagnostic) bool {
		return a.ID == b.ID && a.File == b.File && a.Line == b.Line && a.Column == b.Column
	})
}

func diagnostic(pkg *packages.Package, id string, severity finding.Severity, d analysis.Diagnostic) Diagnostic {
	message, action := d.Message, ""
	if len(d.Related) > 0 {
		action = d.Related[0].Message
		message = strings.TrimSuffix(message, "; "+action)
	}
	start := pkg.Fset.Position(d.Pos)
	end := start
	if d.End.IsValid() {
		end = pkg.Fset.Position(d.End)
	}
	return Diagnostic{
		Finding: finding.Finding{
			ID: id, Severity: severity, Message: message, Action: action,
			Subject: fmt.Sprintf("%s:%d:%d", start.Filename, start.Line, start.Column),
		},
		Package: pkg.PkgPath, File: start.Filename, Line: start.Line, Column: start.Column,
		EndLine: end.Line, EndColumn: end.Column, URL: d.URL,
	}
}

// AnswerVet answers the go command's protocol for go vet -vettool=tare. The go
// command calls the tool with -V=full and -flags, then with a *.cfg file per
// package. AnswerVet does not return if args are such a call.
func AnswerVet(args []string) {
	if len(args) < 2 {
		return
	}
	switch last := args[len(args)-1]; {
	case args[1] == "-V=full", args[1] == "-flags", strings.HasSuffix(last, ".cfg") && (len(args) == 2 || strings.HasPrefix(args[1], "-")):
		unitchecker.Main(lint.Analyzers()...)
	}
}
