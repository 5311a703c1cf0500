package study

import (
	"testing"
	"time"

	"github.com/tarebench/tare/cmd/tare/internal/result"
)

func TestCollectionRounds(t *testing.T) {
	rounds := func(n int, met ...int) []result.Round {
		all := make([]result.Round, n)
		for i := range all {
			all[i].Slices = make([]result.Slice, len(met))
			for v, m := range met {
				all[i].Slices[v] = result.Slice{N: 100, Raw: 1e5, Counted: true, Mallocs: 100, Collected: i < m}
				if m < 0 {
					all[i].Slices[v].Mallocs, all[i].Slices[v].Collected = 0, false
				}
			}
		}
		return all
	}
	for _, test := range []struct {
		name string
		last []result.Round
		want int
	}{
		{"no allocation", rounds(200, -1, -1), 0},
		{"one side met two", rounds(200, 2, 8), 400},
		{"none met", rounds(200, 0, 0), 400},
		{"enough", rounds(200, 10, 20), 80},
		{"one side allocates", rounds(100, -1, 1), 400},
		{"no longer than a quarter of a second", rounds(2000, 1, 1), 2500},
	} {
		if got := collectionRounds(test.last, 2, 1e-4); got != test.want {
			t.Errorf("%s: %d rounds, want %d", test.name, got, test.want)
		}
	}
}

// TestSlicesLongEnoughToScatter: where the collector runs, slices have eight
// iterations, unless they would be too long; the block after that still asks for
// the length of slices, and one whose slices are only scattered does not.
func TestSlicesLongEnoughToScatter(t *testing.T) {
	for _, test := range []struct {
		name      string
		n         int64
		seconds   float64
		collected bool
		want      int64
		rounds    int
	}{
		{"one iteration of 0.1 ms", 1, 1e-4, true, 8, 21},
		{"three of 0.1 ms in all", 3, 1e-4, true, 12, 42},
		{"eight", 8, 1e-4, true, 8, 168},
		{"no collector", 1, 1e-4, false, 1, 168},
		{"one of 2 ms", 1, 2e-3, true, 2, 84},
		{"one of 4 ms", 1, 4e-3, true, 1, 168},
	} {
		b := &bench{pilot: result.Pilot{Iterations: test.n, Rounds: 168, SliceSeconds: test.seconds}}
		b.Blocks = []result.Block{{Rounds: []result.Round{{Slices: []result.Slice{{N: test.n}, {N: test.n, Collected: test.collected}}}}}}
		b.lengthenForCollections(sizing{block: 200 * time.Millisecond, rounds: lockstepMost})
		if b.pilot.Iterations != test.want || b.pilot.Rounds != test.rounds {
			t.Errorf("%s: %d iterations, %d rounds; want %d and %d", test.name, b.pilot.Iterations, b.pilot.Rounds, test.want, test.rounds)
		}
	}
}

// TestCyclesOfABlock: slices hold many collections where the last block had one
// every millisecond or less on a side, unless they would be too long.
func TestCyclesOfABlock(t *testing.T) {
	side := func(n int64, raw float64, met uint32) result.Slice {
		return result.Slice{N: n, Raw: raw, GCs: met, Collected: met > 0}
	}
	for _, test := range []struct {
		name     string
		old, new result.Slice
		want     int64
	}{
		{"none collects", side(1000, 1e5, 0), side(1000, 1e5, 0), 0},
		{"one side, every 0.3 ms", side(2000, 1e5, 0), side(2000, 6e5, 2), 16000},
		{"both, each has many", side(1000, 1e6, 2), side(1000, 1e6, 4), 8000},
		{"every 2 ms", side(1000, 2e6, 1), side(1000, 2e6, 1), 0},
		{"no longer than 20 ms", side(1000, 5e5, 1), side(1000, 5e6, 0), 4000},
	} {
		if got := cyclesOf([]result.Round{{Slices: []result.Slice{test.old, test.new}}}, longestGC); got != test.want {
			t.Errorf("%s: slices of %d iterations, want %d", test.name, got, test.want)
		}
	}
}

// TestLengthenByTheFirstBlock: a block keeps its time when its slices become
// longer, however short the pilot made them.
func TestLengthenByTheFirstBlock(t *testing.T) {
	b := &bench{pilot: result.Pilot{Iterations: 1, Rounds: 168, SliceSeconds: 32e-6}}
	var rounds []result.Round
	for range 168 {
		slice := result.Slice{N: 1, Raw: 32e3}
		if len(rounds)%6 == 0 {
			slice.GCs, slice.Collected = 1, true
		}
		rounds = append(rounds, result.Round{Slices: []result.Slice{slice, slice}})
	}
	b.Blocks = []result.Block{{Rounds: rounds}}
	b.lengthenForCollections(sizing{block: 50 * time.Millisecond, rounds: lockstepMost})
	if b.pilot.Iterations != 96 || b.pilot.Rounds != 16 {
		t.Errorf("16 collections in each slice: %+v", b.pilot)
	}
}
