package judge

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/tarebench/tare/cmd/tare/internal/lab"
	"github.com/tarebench/tare/cmd/tare/internal/result"
)

// The one alarm for slices and whole blocks that disagree: long slices that cost
// more or less than short ones, and rare costs; not interruptions, not the collector, and not a few blocks.
func TestWholeDiffers(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		blocks int
		edit   func(round int, s *result.Slice)
		want   bool
	}{
		{"nothing", 8, func(int, *result.Slice) {}, false},
		{"long slices cost more", 8, func(r int, s *result.Slice) {
			if r%16 == 15 {
				s.N, s.Raw = 4*s.N, 5*s.Raw
			}
		}, true},
		{"long slices cost less", 8, func(r int, s *result.Slice) {
			if r%16 == 15 {
				s.N, s.Raw = 8*s.N, 6*s.Raw
			}
		}, true},
		{"one slice in 20 is slow", 8, func(r int, s *result.Slice) {
			if r%20 == 3 {
				s.Raw *= 3
			}
		}, true},
		{"one slice in 20 is interrupted", 8, func(r int, s *result.Slice) {
			if r%20 == 3 {
				s.Raw, s.Delay = 3*s.Raw, 2*s.Raw
			}
		}, false},
		{"the collector", 8, func(r int, s *result.Slice) {
			if r%20 == 3 {
				s.Raw, s.Collected = 3*s.Raw, true
			}
		}, false},
		{"memory is new until the first collection", 8, func(r int, s *result.Slice) {
			if r < 30 {
				s.Raw *= 1.35
			}
			s.Collected = r == 30
		}, false},
		{"watched, and one slice in 20 is slow", 8, func(r int, s *result.Slice) {
			if s.Watched = true; r%20 == 3 {
				s.Raw *= 3
			}
		}, false},
		{"watched, and one slice in 20 faults", 8, func(r int, s *result.Slice) {
			if s.Watched = true; r%20 == 3 {
				s.Raw, s.Events = 3*s.Raw, 9
			}
		}, true},
		{"watched, and long slices cost more", 8, func(r int, s *result.Slice) {
			if s.Watched = true; r%16 == 15 {
				s.N, s.Raw = 4*s.N, 5*s.Raw
			}
		}, true},
		{"four blocks", 4, func(r int, s *result.Slice) {
			if r%20 == 3 {
				s.Raw *= 3
			}
		}, false},
	} {
		random := rand.New(rand.NewPCG(1, 1))
		var blocks []block
		for range c.blocks {
			var k block
			for r := range 100 {
				s := result.Slice{N: 1000, Raw: 1e5 * (1 + 0.02*random.NormFloat64()), Pauses: 1, Followed: true}
				c.edit(r, &s)
				k.rounds = append(k.rounds, result.Round{Slices: []result.Slice{s}})
			}
			blocks = append(blocks, k)
		}
		f, got := wholeDiffers("X", "all slices", blocks, 0, result.Study{Plan: result.Plan{Alpha: 0.05, Delta: 0.02}})
		if got != c.want {
			t.Errorf("%s: %v, want %v", c.name, f, c.want)
		}
	}
}

// TestWholeDiffersFalseAlarms: slices of constant work on machines at rest and at
// load raise the alarm in 1% of studies at most.
func TestWholeDiffersFalseAlarms(t *testing.T) {
	t.Parallel()
	study := result.Study{Plan: result.Plan{Alpha: 0.05, Delta: 0.02}}
	for _, s := range scenes {
		for _, followed := range []bool{true, false} {
			n := lab.Times(40, 1000)
			alarms := countStudies(n, func(seed uint64) bool {
				good := goodBlocks(loaded(s, 0, followed, true, true, seed).Blocks[:16], 0, 1)
				_, old := wholeDiffers("X", "old", good, 0, study)
				_, new := wholeDiffers("X", "new", good, 1, study)
				return old || new
			})
			atMost(t, fmt.Sprintf("%s, followed %v: whole-differs", s.name, followed), alarms, n, 0.01)
		}
	}
}

// loaded are 40 blocks of 100 rounds of 0.1 ms a side on a machine of a scene. If stray, one
// slice of seven meets a page fault that costs nothing.
func loaded(s scene, every int64, followed, watched, stray bool, seed uint64) result.Benchmark {
	const rounds, n, tick = 100, 1000, 1e-3
	random := rand.New(rand.NewPCG(seed, 7))
	b := guarded(100, 100, 20*float64(every*rounds*n), max(1, every)*rounds*n, 0, followed, watched, seed)
	machine := s.environment(40*rounds/5, tick, random) // five rounds a millisecond
	for i := range b.Blocks {
		for r, round := range b.Blocks[i].Rounds {
			for v := range round.Slices {
				slow := machine[(i*rounds+r)/5]
				if random.Float64() < s.burstRate/20 { // one in a hundred slices at most
					slow += 40 * random.ExpFloat64() // another process had its turn: 4 ms
				}
				x := &round.Slices[v]
				if x.Raw *= slow; stray && random.Float64() < 0.15 { // a page, as recorded
					x.Events++
				}
			}
		}
	}
	return b
}
