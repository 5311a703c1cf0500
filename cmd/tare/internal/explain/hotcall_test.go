package explain

import (
	"bytes"
	"fmt"
	"os"

	"github.com/google/pprof/profile"
)

// writeHotCall writes a CPU profile, as the compiler reads it, in which the
// calls of one function by another take all of the time. lines are the lines
// of the calls, counted from the first line of the caller.
func writeHotCall(path, caller, callee string, lines ...int) error {
	function := func(id uint64, name string) *profile.Function {
		return &profile.Function{ID: id, Name: name, SystemName: name, Filename: "x.go", StartLine: 1}
	}
	from, to := function(1, caller), function(2, callee)
	called := &profile.Location{ID: 1, Line: []profile.Line{{Function: to, Line: 2}}}
	p := &profile.Profile{
		SampleType: []*profile.ValueType{{Type: "samples", Unit: "count"}, {Type: "cpu", Unit: "nanoseconds"}},
		Location:   []*profile.Location{called}, Function: []*profile.Function{from, to},
	}
	for i, line := range lines {
		calls := &profile.Location{ID: uint64(i + 2), Line: []profile.Line{{Function: from, Line: int64(1 + line)}}}
		p.Location = append(p.Location, calls)
		p.Sample = append(p.Sample, &profile.Sample{Location: []*profile.Location{called, calls}, Value: []int64{1000, 10_000_000_000}})
	}
	var out bytes.Buffer
	if err := p.Write(&out); err != nil {
		return fmt.Errorf("write profile of a call: %w", err)
	}
	return os.WriteFile(path, out.Bytes(), 0o666)
}
