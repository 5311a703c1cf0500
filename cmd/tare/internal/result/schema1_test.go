package result

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestSchema1: round lines come out as rounds of the blocks that ended. Of a
// block that began again, because its variants could not run in lockstep, only
// the last try counts; counting rounds may stand before its first round.
func TestSchema1(t *testing.T) {
	text := `{"study":{"schema":1,"variants":[{"label":"a"},{"label":"b"}]}}
{"benchmark":{"pkg":"p","name":"X","procs":2}}
{"benchmark":{"pkg":"p","name":"Y","procs":2}}
{"round":{"b":0,"k":0,"r":-1,"at":0.5,"counting":true,"slices":[{"n":9,"raw":1},{"n":9,"raw":1}]}}
{"round":{"b":0,"k":0,"r":0,"at":1,"order":[1,0],"warmup":true,"slices":[{"n":10,"raw":100},{"n":10,"raw":110}]}}
{"round":{"b":0,"k":0,"r":1,"at":2,"order":[0,1],"slices":[{"n":40,"raw":400,"pauses":41},{"n":40,"raw":440}]}}
{"block":{"b":0,"k":0,"first":1,"layouts":[3,3],"seconds":0.5,"slice_seconds":0.4}}
{"round":{"b":0,"k":1,"r":0,"at":3,"slices":[{"n":10,"raw":1},{"n":10,"raw":1}]}}
{"round":{"b":0,"k":1,"r":1,"at":3.1,"slices":[{"n":10,"raw":1},{"n":10,"raw":1}]}}
{"round":{"b":0,"k":1,"r":0,"at":4,"slices":[{"n":10,"raw":100},{"n":10,"raw":110}]}}
{"block":{"b":0,"k":1,"first":0,"seconds":0.5,"slice_seconds":0.4}}
{"round":{"b":1,"k":0,"r":0,"at":9,"slices":[{"n":1,"raw":1},{"n":1,"raw":1}]}}
`
	rec, _, err := Read(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for i, b := range rec.Benchmarks {
		for _, k := range b.Blocks {
			for name, rounds := range map[string][]Round{"timed": k.Timed(), "counting": k.Counted()} {
				for _, r := range rounds {
					got = append(got, fmt.Sprintf("%d %d %s %v %v %t %d %v", i, k.Block, name, r.At, r.Order, r.Warmup, r.Slices[1].N, r.Slices[1].Raw))
				}
			}
		}
	}
	slices.Sort(got)
	want := []string{
		"0 0 counting 0.5 [] false 9 1",
		"0 0 timed 1 [1 0] true 10 110",
		"0 0 timed 2 [0 1] false 40 440",
		"0 1 timed 4 [] false 10 110",
	}
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if p := rec.Benchmarks[0].Plan; p == nil || p.Iterations != 10 || p.Rounds != 1 {
		t.Errorf("plan %+v", p)
	}
	if rec.Study.Schema != 1 || rec.Benchmarks[1].Plan != nil {
		t.Errorf("schema %d, plan %+v", rec.Study.Schema, rec.Benchmarks[1].Plan)
	}
}
