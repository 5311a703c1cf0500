package instrument

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/words"
)

// UnitInstructions is the unit of the counts.
const UnitInstructions = "instructions/op"

// Lines turns the count of one benchmark of one variant into lines of the
// recording.
func Lines(benchmark, variant int, in Instructions) []result.Line {
	lines := []result.Line{{Count: &result.Count{
		Benchmark: benchmark, Variant: variant, Unit: UnitInstructions, Value: in.PerOp, Values: in.Values, Functions: in.Functions,
	}}}
	for _, f := range in.Findings {
		lines = append(lines, result.Line{Finding: &f})
	}
	return lines
}

// Names lists the first n changes: "pkg.Func (file.go:12) +6". show renders new
// − old.
func Names(changes []result.FunctionChange, n int, show func(float64) string) string {
	var parts []string
	for _, f := range changes[:min(n, len(changes))] {
		where := ""
		if f.File != "" && f.Line > 0 {
			where = fmt.Sprintf(" (%s:%d)", filepath.Base(f.File), f.Line)
		}
		parts = append(parts, words.Symbol(f.Name)+where+" "+show(f.New-f.Old))
	}
	if rest := len(changes) - n; rest > 0 {
		parts = append(parts, fmt.Sprintf("and %d more", rest))
	}
	return strings.Join(parts, ", ")
}
