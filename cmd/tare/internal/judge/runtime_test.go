package judge

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/tarebench/tare/cmd/tare/internal/result"
)

func TestRuntimeCounts(t *testing.T) {
	round := func(slices ...result.Slice) result.Round { return result.Round{Slices: slices} }
	quiet := result.Slice{N: 10}
	unread := block{rounds: []result.Round{round(quiet, result.Slice{N: 10, GCs: 2}), round(quiet, result.Slice{N: 20, GCs: 1})}}
	// What the processes used over a block goes before what slices say.
	whole := block{
		Block:  result.Block{Processes: []result.Process{{N: 1000, User: 3e6, System: 1e6, GCs: 4, GCTime: 1e6}}},
		rounds: []result.Round{round(result.Slice{N: 10, GCs: 1})},
	}
	got := []*result.RuntimeCounts{runtimeCounts([]block{whole, whole}, 0), runtimeCounts([]block{unread}, 0), runtimeCounts([]block{unread}, 1)}
	want := []*result.RuntimeCounts{
		{GCs: 8, GCShare: 0.25, User: 3e-6, System: 1e-6},
		nil, // recorded without them
		{GCs: 3},
	}
	if d := cmp.Diff(want, got, cmpopts.EquateApprox(1e-12, 0)); d != "" {
		t.Error(d)
	}
}
