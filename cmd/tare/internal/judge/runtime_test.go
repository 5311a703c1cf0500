package judge

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/tarebench/tare/cmd/tare/internal/result"
)

func TestRuntimeCounts(t *testing.T) {
	round := func(slices ...result.Slice) result.Round { return result.Round{Slices: slices} }
	quiet := result.Slice{N: 10, User: 1e6}
	blocks := []block{
		{rounds: []result.Round{round(quiet, result.Slice{N: 10, GCs: 2, GCTime: 3e6, User: 9e6, System: 1e6, Waits: 5, Wait50: 1000, Wait99: 8000})}},
		{rounds: []result.Round{
			round(quiet, result.Slice{N: 10, User: 1e6, System: 1e6}), // no collection ended, nobody waited
			round(quiet, result.Slice{N: 20, GCs: 1, User: 8e6, Waits: 1, Wait50: 3000, Wait99: 4000}),
		}},
	}
	// What the processes used over a block goes before what slices say.
	whole := block{
		Block:  result.Block{Processes: []result.Process{{N: 1000, User: 3e6, System: 1e6, GCs: 4, GCTime: 1e6}}},
		rounds: []result.Round{round(result.Slice{N: 10, User: 7e9, GCs: 1, Waits: 2, Wait50: 1000, Wait99: 2000})},
	}
	got := []*result.RuntimeCounts{runtimeCounts([]block{whole}, 0), runtimeCounts(blocks, 0), runtimeCounts(blocks, 1), runtimeCounts([]block{{rounds: []result.Round{round(result.Slice{N: 1})}}}, 0)}
	want := []*result.RuntimeCounts{
		{GCs: 4, GCShare: 0.25, User: 3e-6, System: 1e-6, Waits: 2, Wait50: 1e-6, Wait99: 2e-6},
		{User: 1e-4},
		{GCs: 3, GCShare: 0.15, User: 18e-3 / 40, System: 2e-3 / 40, Waits: 6, Wait50: 2e-6, Wait99: 6e-6},
		nil, // recorded without them
	}
	if d := cmp.Diff(want, got, cmpopts.EquateApprox(1e-12, 0)); d != "" {
		t.Error(d)
	}
}
