package judge

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/tarebench/tare/cmd/tare/internal/lab"
	"github.com/tarebench/tare/cmd/tare/internal/result"
)

// guarded simulates a study whose slices of 100 µs all take as long as old and
// new say per operation, but for rare ones: one in every n operations of
// the new side costs rare nanoseconds, and does not meet the collector (a map
// that grows, a buffer that is flushed). In every block and side one slice meets
// something from outside, which makes the block longer by noise on average.
func guarded(old, new, rare float64, every int64, noise float64, followed, watched bool, seed uint64) result.Benchmark {
	random := rand.New(rand.NewPCG(seed, 5))
	b := result.Benchmark{Key: result.Key{Name: "A"}}
	for i := range 40 {
		k := result.Block{Block: i, FuncOrders: []uint64{uint64(i + 1), uint64(i + 1)}}
		at := random.Int64N(every)
		hit := [2]int{random.IntN(100), random.IntN(100)}
		for i := range 100 {
			speed := math.Exp(0.05 * random.NormFloat64())
			r := result.Round{Order: []int{0, 1}, Slices: make([]result.Slice, 2)}
			for v, per := range []float64{old, new} {
				s := result.Slice{N: 1000, Raw: 1000 * per * speed, Pauses: 1, Followed: followed, Watched: watched}
				if i == hit[v] {
					s.Raw += 100_000 * per * noise * random.ExpFloat64()
				}
				if v == 1 {
					if (at+1000)/every > at/every {
						s.Raw, s.Events = s.Raw+rare, 3
					}
					at += 1000
				}
				r.Slices[v] = s
			}
			k.Rounds = append(k.Rounds, r)
		}
		b.Blocks = append(b.Blocks, k)
	}
	return b
}

// TestGuardSeesRareComputation: one in 30 slices of the new variant takes four
// times as long, with no fault or wait that would mark it. The typical slices are
// 10% quicker, and the means are equal: that is no verdict.
func TestGuardSeesRareComputation(t *testing.T) {
	t.Parallel()
	study := result.Study{Plan: result.Plan{Alpha: 0.05, Delta: 0.02, MaxBlocks: 40, Seed: 1}, Variants: make([]result.Variant, 2), Family: 1}
	for _, rare := range []float64{0, 3e5} {
		b := guarded(100, 90, rare, 30_000, 0.01, true, true, 3)
		for _, k := range b.Blocks {
			for _, r := range k.Rounds {
				r.Slices[1].Events = 0
			}
		}
		want := result.Faster
		if rare > 0 {
			want = result.Undecided
		}
		if r := judgeUpTo(study, b, 0, 1, ended).Rows[0]; r.Verdict != want || want == result.Undecided && (r.Guard.Held != result.HeldDisagrees || r.Needed > 0) {
			t.Errorf("rare cost %v ns: %s, %+v, guard %+v, %d blocks needed", rare, r.Verdict, r.Change, r.Guard, r.Needed)
		}
	}
}

// disturb adds time to slices at random, as other programs do: a little to
// many slices of a process, a different share in each process.
func disturb(b result.Benchmark, most float64, seed uint64) {
	random := rand.New(rand.NewPCG(seed, 7))
	for _, k := range b.Blocks {
		for v := range 2 {
			share, size := random.Float64(), most*random.ExpFloat64()
			for _, r := range k.Rounds {
				s := &r.Slices[v]
				if s.Events = 0; random.Float64() < share {
					more := size * random.ExpFloat64() * 100_000
					s.Raw += more
				}
			}
		}
	}
}

// TestGuardOnBusyMachine: other programs disturb slices. Operations of two speeds
// with one mean get no verdict, and true changes do.
func TestGuardOnBusyMachine(t *testing.T) {
	t.Parallel()
	studies := lab.Times(10, 20)
	for _, c := range []struct {
		new, rare float64
		want      result.Verdict
	}{{90, 3e5, result.Undecided}, {95, 0, result.Faster}, {105, 0, result.Slower}} {
		for _, most := range []float64{0.02, 0.05, 0.15} {
			right := countStudies(studies, func(seed uint64) bool {
				study := result.Study{Plan: result.Plan{Alpha: 0.05, Delta: 0.02, MaxBlocks: 40, Seed: seed}, Variants: make([]result.Variant, 2), Family: 1}
				b := guarded(100, c.new, c.rare, 30_000, 0.01, true, true, seed)
				disturb(b, most, seed)
				all := b.Blocks
				for _, n := range NewDesign(40, 0.05, 1).Looks {
					b.Blocks = all[:n]
					if j := Judge(study, b, 0, 1); j.Done || n == len(all) {
						return j.Rows[0].Verdict == c.want
					}
				}
				return false
			})
			if right < studies-1 {
				t.Errorf("%+v, disturbed by %v: %d of %d right", c, most, right, studies)
			}
		}
	}
}

// TestGuardAllowsLargeChanges: one in three slices begins with cold caches, which
// costs 60 µs. That is more of a short slice, so the sums of the quick variant
// are further above its typical slices. A change of nine times stays a change.
func TestGuardAllowsLargeChanges(t *testing.T) {
	t.Parallel()
	study := result.Study{Plan: result.Plan{Alpha: 0.05, Delta: 0.02, MaxBlocks: 40, Seed: 1}, Variants: make([]result.Variant, 2), Family: 1}
	b := guarded(100, 900, 0, 30_000, 0.01, true, true, 3)
	for _, k := range b.Blocks {
		for i, r := range k.Rounds {
			for v := range r.Slices {
				if (i+v)%3 == 0 {
					r.Slices[v].Raw += 60_000
				}
				r.Slices[v].Events = 0
			}
		}
	}
	if r := judgeUpTo(study, b, 0, 1, ended).Rows[0]; r.Verdict != result.Slower {
		t.Errorf("%s, %+v, guard %+v", r.Verdict, r.Change, r.Guard)
	}
}

// TestGuardHoldsBack: a change that the typical slices show, and all slices
// together contradict, is no verdict; one that they cannot decide is none either,
// if the delays are known.
func TestGuardHoldsBack(t *testing.T) {
	t.Parallel()
	study := result.Study{Plan: result.Plan{Alpha: 0.05, Delta: 0.02, MaxBlocks: 40, Seed: 1}, Variants: make([]result.Variant, 2), Family: 1}
	for _, test := range []struct {
		name     string
		new      float64
		rare     float64
		noise    float64
		followed bool
		verdict  result.Verdict
		held     result.Held
	}{
		{"faster", 90, 0, 0.01, true, result.Faster, result.NotHeld},
		{"faster, not followed", 90, 0, 0.01, false, result.Faster, result.NotHeld},
		{"rare costs turn it round", 90, 1e6, 0.01, true, result.Undecided, result.HeldDisagrees},
		{"rare costs turn it round, not followed", 90, 1e6, 0.01, false, result.Undecided, result.HeldDisagrees},
		{"same but for rare costs", 100, 1e6, 0.01, true, result.Undecided, result.HeldDisagrees},
		{"nobody can tell", 100, 0, 0.4, true, result.Undecided, result.HeldImprecise},
		{"same", 100, 0, 0.01, true, result.Same, result.NotHeld},
	} {
		t.Run(test.name, func(t *testing.T) {
			// Of 20,000 operations one takes as long as 10,000 others.
			j := judgeUpTo(study, guarded(100, test.new, test.rare, 20_000, test.noise, test.followed, false, 3), 0, 1, ended)
			r := j.Rows[0]
			if r.Guard == nil || r.Verdict != test.verdict || r.Guard.Held != test.held {
				t.Fatalf("%s, %+v, guard %+v", r.Verdict, r.Change, r.Guard)
			}
			if settled := test.held == result.NotHeld; j.Done && j.Reason == "decided" != settled {
				t.Errorf("done: %v, %s", j.Done, j.Reason)
			}
		})
	}
}

// TestNoWrongSign counts, over studies whose rare costs turn the sign of what
// the slices show, those that say faster: none.
func TestNoWrongSign(t *testing.T) {
	t.Parallel()
	study := result.Study{Plan: result.Plan{Alpha: 0.05, Delta: 0.02, MaxBlocks: 40, Seed: 1}, Variants: make([]result.Variant, 2), Family: 1}
	const studies = 60
	wrong := countStudies(studies, func(seed uint64) bool {
		study := study
		study.Seed = seed
		r := judgeUpTo(study, guarded(100, 92, 6e5, 20_000, 0.02, seed%2 == 0, seed%3 == 0, seed), 0, 1, ended).Rows[0]
		return r.Verdict == result.Faster || r.Verdict == result.Same
	})
	if wrong > 0 {
		t.Errorf("%d of %d studies of a side that is 22%% slower say otherwise", wrong, studies)
	}
}

// TestGuardSeesTheMean: the sides are equal, except for a cost of the new side that
// comes once in some blocks and makes its mean slower by 20%. No study says same,
// and no gate passes, if the blocks up to its end held the cost.
func TestGuardSeesTheMean(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		blocks int64 // between two costs; a block has 100,000 operations
		most   float64
	}{{2, 0}, {3, 0.1}, {5, 0.25}, {10, 0.6}} { // no cost in eight blocks: 0, 4, 17, 43%
		for _, cpu := range []bool{true, false} {
			if !lab.Long && cpu == (c.blocks < 4) {
				continue
			}
			studies := lab.Times(10, 20)
			for _, gate := range []bool{false, true} {
				passed := countStudies(studies, func(seed uint64) bool {
					study := result.Study{Plan: result.Plan{Alpha: 0.05, Delta: 0.02, MaxBlocks: 40, Seed: seed}, Variants: make([]result.Variant, 2), Family: 1}
					if gate {
						study.Output.Gate = result.DefaultLimits()
					}
					every := 100_000 * c.blocks
					b := guarded(100, 100, 20*float64(every), every, 0.002, cpu, seed%2 == 0, seed)
					all := b.Blocks
					for _, n := range NewDesign(40, 0.05, 1).Looks {
						b.Blocks = all[:n]
						if j := Judge(study, b, 0, 1); j.Done {
							return gate && j.Rows[0].Gate == Pass || !gate && j.Rows[0].Verdict == result.Same
						}
					}
					return false
				})
				t.Logf("once in %d blocks, processor clock %v, gate %v: %d of %d pass", c.blocks, cpu, gate, passed, studies)
				if float64(passed) > c.most*float64(studies) {
					t.Errorf("once in %d blocks, processor clock %v, gate %v: %d of %d pass", c.blocks, cpu, gate, passed, studies)
				}
			}
		}
	}
}

// TestGuardUnderLoad: what comes from outside makes blocks longer by 40%, and does
// not hold "same" back if slices are watched; a rare cost of the side does.
func TestGuardUnderLoad(t *testing.T) {
	t.Parallel()
	studies := lab.Times(10, 20)
	for _, cpu := range []bool{true, false} {
		same := func(rare float64, watched bool) int {
			return countStudies(studies, func(seed uint64) bool {
				study := result.Study{Plan: result.Plan{Alpha: 0.05, Delta: 0.02, MaxBlocks: 40, Seed: seed}, Variants: make([]result.Variant, 2), Family: 1}
				b := guarded(100, 100, rare, 200_000, 0.4, cpu, watched, seed)
				b.Blocks = b.Blocks[:20]
				return judgeUpTo(study, b, 0, 1, ended).Rows[0].Verdict == result.Same
			})
		}
		if n := same(0, false); n > studies/10 {
			t.Errorf("processor clock %v: %d of %d studies that are not watched say same", cpu, n, studies)
		}
		if n := same(0, true); n < studies-1 {
			t.Errorf("processor clock %v: %d of %d studies that are watched say same", cpu, n, studies)
		}
		if n := same(4e6, true); n > 0 {
			t.Errorf("processor clock %v: %d of %d studies of a mean slower by 20%% say same", cpu, n, studies)
		}
	}
}

// TestMeanBounds: the interval for a mean of symmetric values misses it as often as
// it says, and exchanging signs exchanges its ends.
func TestMeanBounds(t *testing.T) {
	t.Parallel()
	for _, n := range []int{8, 20} {
		const samples = 400
		above, below := 0, 0
		for i := range samples {
			x := normalSigns(n, uint64(i))
			lo, hi := meanBounds(x, 0.05)
			for k := range x {
				x[k] = -x[k]
			}
			if l, h := meanBounds(x, 0.05); l != -hi || h != -lo {
				t.Fatalf("%v … %v, with other signs %v … %v", lo, hi, l, h)
			}
			if lo > 0 {
				above++
			}
			if hi < 0 {
				below++
			}
		}
		for _, k := range []int{above, below} { // 20 ± 4
			if k < 5 || k > 40 {
				t.Errorf("%d values: %d and %d of %d intervals miss 0 on a side, want about 5%%", n, above, below, samples)
				break
			}
		}
	}
}
