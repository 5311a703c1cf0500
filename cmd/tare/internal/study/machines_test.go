package study_test

import (
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/tarebench/tare/cmd/tare/internal/judge"
	"github.com/tarebench/tare/cmd/tare/internal/lab"
	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/study"
)

// machine is a simulated one: how fast it is, how much its rounds and its blocks
// vary, and how the change differs there (all logarithms but for speed).
type machine struct {
	speed, round, block, change float64
}

// machines differ in speed and noise.
var machines = []machine{{1, 0.01, 0.004, 0}, {1.4, 0.03, 0.02, 0}, {0.8, 0.005, 0.002, 0}, {2.1, 0.1, 0.03, 0}}

const rounds = 9

// block is a block of two variants on a machine.
func (m machine) measure(number int, change float64, r *rand.Rand) result.Block {
	b := result.Block{Block: number, Seconds: 0.1, FuncOrders: []uint64{uint64(number) + 1, uint64(number) + 1}}
	of := change + m.change + m.block*r.NormFloat64()
	for i := range rounds {
		round := result.Round{At: float64(i), Order: []int{0, 1}, Warmup: i == 0}
		at := m.speed * math.Exp(m.round*r.NormFloat64())
		for side := range 2 {
			t := at * math.Exp(float64(side)*of+m.round*r.NormFloat64())
			round.Slices = append(round.Slices, result.Slice{N: 1000, Raw: 1e5 * t, Pauses: 1})
		}
		b.Rounds = append(b.Rounds, round)
	}
	return b
}

// head is the head of a whole study.
func head(seed uint64, benchmarks int) result.Study {
	return result.Study{Plan: result.Plan{Kind: "compare", Seed: seed, Alpha: 0.05, MaxBlocks: 40, BudgetSeconds: 10}, Schema: result.RecordingSchema, Method: result.Method, Family: benchmarks, Variants: []result.Variant{{Label: "old", Revision: "a"}, {Label: "new", Revision: "b"}}}
}

// measured are benchmarks whose blocks machines measured in turn.
func measured(seed uint64, on []machine, benchmarks int, change float64) *result.Recording {
	r := rand.New(rand.NewPCG(seed, 0x7061727473))
	rec := &result.Recording{Study: head(seed, benchmarks), End: new(result.End)}
	for range on {
		rec.Machines = append(rec.Machines, result.Machine{})
	}
	for i := range benchmarks {
		b := result.Benchmark{Key: result.Key{Pkg: "p", Name: string(rune('A' + i)), Procs: 1}}
		for k := range rec.Study.MaxBlocks {
			block := on[k%len(on)].measure(k, change, r)
			block.Machine = k % len(on)
			b.Blocks = append(b.Blocks, block)
		}
		rec.Benchmarks = append(rec.Benchmarks, b)
		rec.Stops = append(rec.Stops, result.Stop{Benchmark: i, Reason: "blocks"})
	}
	return rec
}

// atMost fails where more than a share of n was found, four binomial standard
// deviations allowed.
func atMost(t *testing.T, what string, found, n int, share float64) {
	t.Helper()
	t.Logf("%s: %d of %d", what, found, n)
	if bound := share*float64(n) + 4*math.Sqrt(float64(n)*share*(1-share)); float64(found) > bound {
		t.Errorf("%s: %d of %d, and at most %.1f are allowed", what, found, n, bound)
	}
}

// TestMachinesErrorRate: where nothing changed, a run over several benchmarks on
// machines of unlike speed and noise calls one of them changed
// in at most 5% of the runs. With a
// change of 2% most are found, and the interval holds it. The long form is
//
//	go test -tags lab ./cmd/tare/internal/study -run TestMachinesErrorRate -v
func TestMachinesErrorRate(t *testing.T) {
	n, wrong, missed, uncovered := lab.Times(30, 2000), 0, 0, 0
	const benchmarks, change = 3, 0.02
	for i := range n {
		c := judge.Compare(measured(uint64(i)+1, machines, benchmarks, 0))
		if c.Summary.Faster+c.Summary.Slower > 0 {
			wrong++
		}
		d := judge.Compare(measured(uint64(i)+1, machines, 1, math.Log1p(change))).Benchmarks[0]
		if d.Verdict != result.Slower {
			missed++
		}
		if d.Change.Lo > 1+change || d.Change.Hi < 1+change {
			uncovered++
		}
	}
	atMost(t, "runs of 3 benchmarks with a false verdict", wrong, n, 0.05)
	atMost(t, "changes of 2% that were missed", missed, n, 0.05)
	atMost(t, "intervals without the change", uncovered, n, 0.05)
}

// TestMergeIsTheStudy: a study that is cut into parts and merged again is judged
// as it was, row by row.
func TestMergeIsTheStudy(t *testing.T) {
	whole := measured(5, machines[:1], 6, math.Log1p(0.01))
	whole.Machines = nil
	want := judge.Compare(whole)
	var cut []study.Recorded
	for n := 1; n <= 3; n++ {
		p := result.Part{Number: n, Of: 3}
		rec := &result.Recording{Study: whole.Study, End: whole.End}
		rec.Study.Part = &p
		for i, b := range whole.Benchmarks[2*n-2 : 2*n] {
			rec.Benchmarks = append(rec.Benchmarks, b)
			rec.Stops = append(rec.Stops, result.Stop{Benchmark: i, Reason: "blocks"})
		}
		cut = append(cut, study.Recorded{Name: string(rune('0' + n)), Recording: rec})
	}
	lines, err := study.Merge(cut, nil)
	if err != nil {
		t.Fatal(err)
	}
	got := judge.Compare(result.NewRecording(lines))
	if !reflect.DeepEqual(got.Benchmarks, want.Benchmarks) || !reflect.DeepEqual(got.GeoMeans, want.GeoMeans) || got.Summary != want.Summary {
		t.Errorf("merged:\n%+v\nmeasured at once:\n%+v", got.Benchmarks, want.Benchmarks)
	}
}
