package objects

import (
	"bytes"
	"fmt"
	"os"
	"strconv"

	"github.com/google/pprof/profile"
)

// HotCall writes a CPU profile, as -pgo reads it, in which one call takes all of
// the time. lines says how many lines after its first one the caller calls.
func HotCall(path, caller, callee, lines string) error {
	line, err := strconv.ParseInt(lines, 10, 64)
	if err != nil {
		return fmt.Errorf("write profile of a call: %w", err)
	}
	function := func(id uint64, name string) *profile.Function {
		return &profile.Function{ID: id, Name: name, SystemName: name, Filename: "x.go", StartLine: 1}
	}
	from, to := function(1, caller), function(2, callee)
	calls := &profile.Location{ID: 1, Line: []profile.Line{{Function: from, Line: 1 + line}}}
	called := &profile.Location{ID: 2, Line: []profile.Line{{Function: to, Line: 2}}}
	p := &profile.Profile{
		SampleType: []*profile.ValueType{{Type: "samples", Unit: "count"}, {Type: "cpu", Unit: "nanoseconds"}},
		Sample:     []*profile.Sample{{Location: []*profile.Location{called, calls}, Value: []int64{1000, 10_000_000_000}}},
		Location:   []*profile.Location{calls, called}, Function: []*profile.Function{from, to},
	}
	var out bytes.Buffer
	if err := p.Write(&out); err != nil {
		return fmt.Errorf("write profile of a call: %w", err)
	}
	return os.WriteFile(path, out.Bytes(), 0o666)
}
