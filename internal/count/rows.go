package count

import (
	"fmt"
	"math"
	"path/filepath"
	"strings"

	"github.com/tarebench/tare/finding"
	"github.com/tarebench/tare/internal/result"
)

// topFunctions is how many functions a report names.
const topFunctions = 10

// Units of the counts.
const (
	UnitInstructions = "instructions/op"
	UnitCycles       = "estimated-cycles/op"
)

// Lines turns the count of one benchmark of one variant into lines of the
// recording.
func Lines(benchmark, variant int, in Instructions) []result.Line {
	lines := []result.Line{{Count: &result.Count{
		Benchmark: benchmark, Variant: variant, Unit: UnitInstructions, Value: in.PerOp, Functions: in.Functions,
	}}}
	if in.Cycles.N > 0 {
		lines = append(lines, result.Line{Count: &result.Count{
			Benchmark: benchmark, Variant: variant, Unit: UnitCycles, Value: in.Cycles,
		}})
	}
	for _, f := range in.Findings {
		lines = append(lines, result.Line{Finding: &f})
	}
	return lines
}

// Compare appends a row for every count that both sides of c have: variant 0
// against each other. delta is the relative change below which two counts are
// the same. A count that disagrees with the time of its benchmark says so.
func Compare(c *result.Comparison, rec *result.Recording, delta float64) {
	for _, old := range rec.Counts {
		if old.Variant != 0 {
			continue
		}
		for _, new := range rec.Counts {
			if new.Variant == 0 || new.Benchmark != old.Benchmark || new.Unit != old.Unit {
				continue
			}
			row := result.BenchmarkComparison{
				Key: rec.Benchmarks[old.Benchmark].Key, Unit: old.Unit,
				OldVariant: old.Variant, NewVariant: new.Variant, Old: old.Value, New: new.Value,
			}
			row.Delta = delta
			row.Change, row.Verdict = Judge(old.Value, new.Value, delta)
			if row.Verdict != result.Same {
				row.Functions = TopChanges(old.Functions, new.Functions, topFunctions)
			}
			if len(row.Functions) > 0 {
				row.Findings = append(row.Findings, namesFinding(row))
			}
			if t := timeRow(c, row); t != nil {
				if f := Disagreement(row.Name, row.Unit, t.Verdict, row.Verdict, t.Change, row.Change); f != nil {
					row.Findings = append(row.Findings, *f)
				}
			}
			c.Benchmarks = append(c.Benchmarks, row)
		}
	}
}

func timeRow(c *result.Comparison, row result.BenchmarkComparison) *result.BenchmarkComparison {
	for i := range c.Benchmarks {
		r := &c.Benchmarks[i]
		if r.Key == row.Key && r.Unit == "sec/op" && r.OldVariant == row.OldVariant && r.NewVariant == row.NewVariant {
			return r
		}
	}
	return nil
}

// namesFinding says in which functions the difference is.
func namesFinding(row result.BenchmarkComparison) finding.Finding {
	return finding.Finding{
		ID: "count-functions", Severity: finding.Info, Subject: row.Name,
		Message: row.Unit + " changed in " + Names(row.Functions, 3, func(v float64) string { return fmt.Sprintf("%+.4g", v) }),
	}
}

// Names lists the first n changes: "pkg.Func (file.go:12) +6". show renders
// new − old.
func Names(changes []result.FunctionChange, n int, show func(float64) string) string {
	var parts []string
	for _, f := range changes[:min(n, len(changes))] {
		where := ""
		if f.File != "" && f.Line > 0 {
			where = fmt.Sprintf(" (%s:%d)", filepath.Base(f.File), f.Line)
		}
		parts = append(parts, shortName(f.Name)+where+" "+show(f.New-f.Old))
	}
	if rest := len(changes) - n; rest > 0 {
		parts = append(parts, fmt.Sprintf("and %d more", rest))
	}
	return strings.Join(parts, ", ")
}

// shortName leaves the folders of the import path out.
func shortName(name string) string {
	head, types, _ := strings.Cut(name, "[") // type arguments have paths too
	short := head[strings.LastIndexByte(head, '/')+1:]
	if types != "" {
		return short + "[" + types
	}
	return short
}

// Measure appends a row for every count of the recording's one variant.
func Measure(run *result.Run, rec *result.Recording) {
	for _, c := range rec.Counts {
		m := result.Measurement{
			Key: rec.Benchmarks[c.Benchmark].Key, Unit: c.Unit, Value: c.Value, Raw: c.Value.Center,
			Exact: c.Value.Lo == c.Value.Hi,
		}
		if c.Value.Center != 0 && !math.IsNaN(c.Value.Lo) {
			m.Spread = (c.Value.Hi - c.Value.Lo) / 2 / c.Value.Center
		}
		run.Benchmarks = append(run.Benchmarks, m)
	}
}
