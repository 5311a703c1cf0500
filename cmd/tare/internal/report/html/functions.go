package html

import (
	"fmt"
	"path/filepath"
	"slices"

	"github.com/tarebench/tare/cmd/tare/internal/report"
	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/words"
)

// functionTable lists the functions of a count or a profile.
type functionTable struct {
	Title string
	// Again opens the whole profile.
	Again string
	Rows  []functionRow
}

// functionRow is one function. For a run, Old is empty and Change is the share.
type functionRow struct{ Name, Where, Old, New, Change string }

// mostFunctions is the maximum of functions in a table of a run. A comparison
// already has only the functions that changed most.
const mostFunctions = 10

// comparedFunctions is the table of a row of counts.
func comparedFunctions(b *result.BenchmarkComparison) functionTable {
	t := functionTable{Title: "Functions that changed most [" + words.Printable(b.Unit) + "]"}
	for _, f := range b.Functions {
		scale := words.Scale(b.Unit, f.Old, f.New)
		r := functionRow{Name: words.Printable(f.Name), Where: whereWords(f.File, f.Line)}
		if f.Old != 0 {
			r.Old = words.Value(result.Estimate{Center: f.Old, N: 1}, scale)
		}
		if f.New != 0 {
			r.New = words.Value(result.Estimate{Center: f.New, N: 1}, scale)
		}
		switch {
		case f.Old == 0:
			r.Change = "new"
		case f.New == 0:
			r.Change = "gone"
		default:
			r.Change = words.Change(result.Change{Ratio: f.New / f.Old, Lo: f.New / f.Old, Hi: f.New / f.Old})
		}
		t.Rows = append(t.Rows, r)
	}
	return t
}

// profiledFunctions is the table of one profile of both sides.
func profiledFunctions(p result.ProfileChange) functionTable {
	t := functionTable{Title: "Shares of the " + words.Printable(p.Kind) + " that changed most"}
	if p.OldSamples > 0 {
		t.Title += fmt.Sprintf(", beyond the sampling error of %d and %d samples", p.OldSamples, p.NewSamples)
	}
	if p.OldFile != "" && p.NewFile != "" {
		t.Again = words.Shell([]string{"go", "tool", "pprof", "-diff_base", p.OldFile, p.NewFile})
	}
	share := func(v float64) string { return fmt.Sprintf("%.1f%%", 100*v) }
	for _, f := range p.Functions {
		t.Rows = append(t.Rows, functionRow{words.Printable(f.Name), whereWords(f.File, f.Line), share(f.Old), share(f.New),
			fmt.Sprintf("%+.1f points", 100*(f.New-f.Old))})
	}
	return t
}

// countedFunctions are the tables of a run: the cost of each function per
// operation, and its share of the whole.
func countedFunctions(c result.Count) functionTable {
	t := functionTable{Title: "Functions that spend most [" + words.Printable(c.Unit) + "]"}
	for _, f := range c.Functions[:min(mostFunctions, len(c.Functions))] {
		r := functionRow{Name: words.Printable(f.Name), Where: whereWords(f.File, f.Line),
			New: words.Value(result.Estimate{Center: f.PerOp, N: 1}, words.Scale(c.Unit, f.PerOp))}
		if c.Value.Center > 0 {
			r.Change = fmt.Sprintf("%.1f%%", 100*f.PerOp/c.Value.Center)
		}
		t.Rows = append(t.Rows, r)
	}
	return t
}

// whereWords is the file and line, without the directories, which add little.
func whereWords(file string, line int) string {
	if file == "" {
		return ""
	}
	where := filepath.ToSlash(filepath.Join(filepath.Base(filepath.Dir(file)), filepath.Base(file)))
	if line > 0 {
		where = fmt.Sprintf("%s:%d", where, line)
	}
	return words.Printable(where)
}

// functions puts the functions of counts and profiles into the details of
// their benchmarks.
func (p *page) functions(d report.Document, detailOf func(report.Subject) *detail) {
	add := func(k report.Subject, t functionTable) {
		if len(t.Rows) > 0 {
			s := detailOf(k)
			s.Functions = append(s.Functions, t)
		}
	}
	if c := d.Comparison; c != nil {
		for i := range c.Benchmarks {
			add(report.ComparedSubject(&c.Benchmarks[i]), comparedFunctions(&c.Benchmarks[i]))
		}
		for _, change := range c.Profiles {
			add(report.Subject{Key: change.Key}, profiledFunctions(change))
		}
		return
	}
	if d.Recording == nil {
		return
	}
	for _, c := range d.Recording.Counts {
		b := d.Recording.Benchmarks[c.Benchmark].Key
		if slices.ContainsFunc(d.Run.Benchmarks, func(m result.Measurement) bool { return m.Key == b }) {
			add(report.Subject{Key: b}, countedFunctions(c))
		}
	}
}
