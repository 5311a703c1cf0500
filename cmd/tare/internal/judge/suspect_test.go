package judge

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/tarebench/tare/cmd/tare/internal/lab"
	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/internal/finding"
)

// study simulates the blocks of one benchmark: seconds gives the time per
// operation of a slice; 20 blocks of 25 rounds and a warm-up round each.
type study struct {
	blocks, rounds int
	n              int64
	seconds        func(r *rand.Rand, block, round int) float64
	more           func(r *rand.Rand, block, round int, s *result.Slice)
}

func (s study) simulate(seed uint64) (b result.Benchmark) {
	if s.blocks == 0 {
		s.blocks = 20
	}
	if s.rounds == 0 {
		s.rounds = 25
	}
	if s.n == 0 {
		s.n = 1000
	}
	r := rand.New(rand.NewPCG(seed, 0))
	for block := range s.blocks {
		layout := math.Exp(0.01 * r.NormFloat64())
		k := result.Block{Block: block}
		for round := range s.rounds + 1 {
			slice := result.Slice{N: s.n}
			slice.Raw = s.seconds(r, block, round) * layout * 1e9 * float64(s.n)
			if s.more != nil {
				s.more(r, block, round, &slice)
			}
			k.Rounds = append(k.Rounds, result.Round{Warmup: round == 0, Slices: []result.Slice{slice}})
		}
		b.Blocks = append(b.Blocks, k)
	}
	return b
}

// noise is what a shared machine does to an operation of 100 ns: 2% of
// jitter, and one slice in twenty up to half slower.
func noise(r *rand.Rand) float64 {
	t := 100e-9 * math.Exp(0.02*r.NormFloat64())
	if r.Float64() < 0.05 {
		t *= 1 + r.Float64()/2
	}
	return t
}

func idsOf(list []finding.Finding) []string {
	var ids []string
	for _, f := range list {
		ids = append(ids, f.ID)
	}
	return ids
}

const cycle = 0.4e-9

// isLong reports which slices a study makes longer than the rest.
func isLong(block, round int) bool { return round%4 == 3 && (block == 0 || round%16 == 15) }

func TestSuspicions(t *testing.T) {
	t.Parallel()
	plain := func(r *rand.Rand, _, _ int) float64 { return noise(r) }
	for _, tt := range []struct {
		name  string
		study study
		want  string // ids, separated by blanks
	}{
		{"nothing", study{seconds: plain}, ""},
		{"sub-cycle", study{seconds: func(r *rand.Rand, _, _ int) float64 { return noise(r) / 400 }}, "below-one-cycle"},
		{"one cycle", study{seconds: func(r *rand.Rand, _, _ int) float64 { return noise(r) / 200 }}, ""},
		// As above, and the slices of a process become slower one by one.
		{"n differs in a process that slows down", study{seconds: func(r *rand.Rand, _, round int) float64 { return noise(r) * (1 + 0.01*float64(round)) }, more: func(_ *rand.Rand, block, round int, s *result.Slice) {
			if isLong(block, round) {
				s.N, s.Raw = 4*s.N, 4*s.Raw
			}
		}}, "grows-in-process"},
		{"grows in process", study{seconds: func(r *rand.Rand, _, round int) float64 { return noise(r) * (1 + 0.01*float64(round)) }}, "grows-in-process"},
		{"shrinks in process", study{seconds: func(r *rand.Rand, _, round int) float64 { return noise(r) * (1 - 0.008*float64(round)) }}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			// Nine of ten seeds must say exactly this: a single stray word is
			// what the false alarm rates below are about.
			right := 0
			var last []string
			for seed := range uint64(10) {
				ids := idsOf(suspicions(tt.study.simulate(seed), 0, cycle))
				if slices.Equal(ids, strings.Fields(tt.want)) {
					right++
				} else {
					last = ids
				}
			}
			if right < 9 {
				t.Errorf("%d of 10 seeds say [%s]; the last other says %v", right, tt.want, last)
			}
		})
	}
}

func ofRounds(rounds ...result.Round) result.Benchmark {
	return result.Benchmark{Blocks: []result.Block{{Rounds: rounds}}}
}

func TestSuspicionsEdges(t *testing.T) {
	if got := suspicions(result.Benchmark{}, 0, cycle); got != nil {
		t.Errorf("no rounds: %v", got)
	}
	warm := ofRounds(result.Round{Warmup: true, Slices: []result.Slice{{N: 1, Raw: 1}}})
	if got := suspicions(warm, 0, cycle); got != nil {
		t.Errorf("only warm-up: %v", got)
	}
	if got := suspicions(warm, 1, cycle); got != nil {
		t.Errorf("a variant without slices: %v", got)
	}
	one := ofRounds(result.Round{Slices: []result.Slice{{N: 1, Raw: 100}}})
	if got := idsOf(suspicions(one, 0, 0)); len(got) != 0 {
		t.Errorf("one slice: %v", got)
	}
	zero := ofRounds(result.Round{Slices: []result.Slice{{N: 1000, Raw: 10, OverheadLo: 20, OverheadHi: 30}}})
	if got := idsOf(suspicions(zero, 0, cycle)); !slices.Equal(got, []string{"below-one-cycle"}) {
		t.Errorf("nothing left after the overhead: %v", got)
	}
}

// The times of counting rounds count for nothing: of slices of another length,
// slower or faster since something is read in every pause, nothing is said.
func TestSuspicionsOfCountingRounds(t *testing.T) {
	plain := study{seconds: func(r *rand.Rand, _, _ int) float64 { return noise(r) }}
	for _, slow := range []float64{0.001, 3, 1000} {
		b := plain.simulate(1)
		for k := range b.Blocks {
			counting := result.Slice{N: 4000, Raw: slow * 4000 * 100, Counted: true, Mallocs: 12_000, Bytes: 64_000}
			b.Blocks[k].Counting = []result.Round{{Slices: []result.Slice{counting}}}
		}
		if got := suspicions(b, 0, cycle); got != nil {
			t.Errorf("%v times as slow: %v", slow, got)
		}
	}
}

// TestSuspicionFalseAlarms counts how often each suspicion is reported where there
// is nothing to say: three kinds of noise, 200 studies each, 2,000 with
// the tag lab, seeds fixed. The limits stand in the table; what is measured is
// logged.
func TestSuspicionFalseAlarms(t *testing.T) {
	t.Parallel()
	studies := 200
	if lab.Long {
		studies = 2000
	}
	for _, scene := range []struct {
		name    string
		seconds func(state *float64) func(*rand.Rand, int, int) float64
		limit   float64 // of each suspicion
	}{
		{"quiet", func(*float64) func(*rand.Rand, int, int) float64 {
			return func(r *rand.Rand, _, _ int) float64 { return 100e-9 * math.Exp(0.01*r.NormFloat64()) }
		}, 0.001},
		{"shared", func(*float64) func(*rand.Rand, int, int) float64 {
			return func(r *rand.Rand, _, _ int) float64 { return noise(r) }
		}, 0.005},
		{"wandering", func(state *float64) func(*rand.Rand, int, int) float64 {
			return func(r *rand.Rand, _, _ int) float64 { // drift of the machine: AR(1), 3% in all
				*state = 0.95**state + 0.03*math.Sqrt(1-0.95*0.95)*r.NormFloat64()
				return noise(r) * math.Exp(*state)
			}
		}, 0.01},
	} {
		t.Run(scene.name, func(t *testing.T) {
			alarms := make(map[string]int)
			for seed := range studies {
				state := 0.0
				b := study{seconds: scene.seconds(&state)}.simulate(uint64(seed))
				for _, id := range idsOf(suspicions(b, 0, cycle)) {
					alarms[id]++
				}
			}
			for id, n := range alarms {
				rate := float64(n) / float64(studies)
				t.Logf("%s: %.3f", id, rate)
				if rate > scene.limit {
					t.Errorf("%s speaks in %.1f%% of studies without a reason, limit %.1f%%", id, 100*rate, 100*scene.limit)
				}
			}
		})
	}
}

// TestSevereFindingsDecide: a row with a severe finding has no verdict, and its
// gate is open.
func TestSevereFindingsDecide(t *testing.T) {
	for _, effect := range []float64{-0.3, 0, 0.3} {
		rec := simulated(11, 13, effect, 0.003, 0.001, 5)
		before := Compare(rec).Benchmarks[0]
		rec.Study.Machine = &result.Machine{}
		rec.Study.Machine.CPU.CounterHz = 1e5
		row := Compare(rec).Benchmarks[0]
		if before.Verdict == result.Undecided || row.Verdict != result.Undecided || row.Gate != Open || row.Needed != 0 {
			t.Errorf("%+.1f: %s, below a cycle %s, gate %s, needs %d blocks, %s", effect, before.Verdict, row.Verdict, row.Gate, row.Needed, ids(row.Findings))
		}
	}
}
