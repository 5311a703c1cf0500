package history

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"github.com/tarebench/tare/cmd/tare/internal/judge"
	"github.com/tarebench/tare/cmd/tare/internal/result"
)

// world is a simulated repository whose true levels are known. All of it comes
// from its seed.
type world struct {
	random  *rand.Rand
	commits []Commit
	number  map[string]int
	skipped []bool // by commit: never recorded
	marks   []benchmarkTruth
}

// benchmarkTruth is one benchmark of a world.
type benchmarkTruth struct {
	key Key
	// half is the typical half width of its intervals.
	half float64
	// steps are the true changes by commit, logarithms. On the second machine the
	// steps in other are larger by half.
	steps map[int]float64
	other map[int]bool
	// creep is added by every commit.
	creep float64
	// level is the true level by machine and commit.
	level [2][]float64
}

const (
	benchmarks   = 20
	tagEvery     = 50
	blockBudget  = 40 // blocks of one comparison at most
	blocksOfEdge = 8
	delta        = 0.02
)

// newWorld draws a history of n commits. Each benchmark has one step of 2% in
// expectation, half a step of 5% and half a step of 1%; one step in twenty is
// larger on the second machine. One benchmark creeps up by 0.005% a commit. One
// commit in twenty is never recorded.
func newWorld(n int, seed uint64) *world {
	w := &world{random: rand.New(rand.NewPCG(seed, 19)), number: make(map[string]int), skipped: make([]bool, n)}
	for k := range n {
		c := Commit{Hash: fmt.Sprintf("%040x", uint64(k)<<20+seed&0xfffff), Time: time.Unix(int64(k)*3600, 0).UTC()}
		w.commits = append(w.commits, c)
		w.number[c.Hash] = k
		w.skipped[k] = k > 0 && k%tagEvery != 0 && w.random.IntN(20) == 0
	}
	for i := range benchmarks {
		b := benchmarkTruth{key: Key{Pkg: "example.org/p", Name: fmt.Sprintf("Op%02d", i), Unit: "sec/op"},
			half: halfWidth((float64(i) + 0.5) / benchmarks), steps: make(map[int]float64), other: make(map[int]bool)}
		for _, kind := range []struct{ size, rate float64 }{{0.02, 1}, {0.05, 0.5}, {0.01, 0.5}} {
			for range poisson(w.random, kind.rate) {
				k := 1 + w.random.IntN(n-1)
				size := kind.size
				if w.random.IntN(2) == 0 {
					size = -size
				}
				if b.steps[k] == 0 {
					b.steps[k] = math.Log1p(size)
					b.other[k] = w.random.IntN(20) == 0
				}
			}
		}
		if i == 7 {
			b.creep = 0.00005
		}
		for m := range b.level {
			b.level[m] = make([]float64, n)
			for k := 1; k < n; k++ {
				step := b.steps[k]
				if m == 1 && b.other[k] {
					step *= 1.5
				}
				b.level[m][k] = b.level[m][k-1] + step + b.creep
			}
		}
		w.marks = append(w.marks, b)
	}
	return w
}

// flatten levels all benchmarks except one step each of the first ones, at the
// commits given.
func (w *world) flatten(step float64, at ...int) {
	for i := range w.marks {
		b := &w.marks[i]
		b.creep, b.steps = 0, make(map[int]float64)
		for m := range b.level {
			clear(b.level[m])
			if i < len(at) {
				b.steps[at[i]] = step
				for k := at[i]; k < len(w.commits); k++ {
					b.level[m][k] = step
				}
			}
		}
	}
}

func poisson(r *rand.Rand, rate float64) int {
	n, p := 0, r.Float64()
	for limit := math.Exp(-rate); p > limit; n++ {
		p *= r.Float64()
	}
	return n
}

// halfWidth is the quantile of the half widths of intervals, as a share, that
// docs/validation.md gives for 160 benchmarks of the standard library on a
// shared machine: 0.004%, 0.049% and 0.55% at 10%, 50% and 90%. The logarithm is
// linear over the normal quantile. 1% is the most, since a wider one is measured
// for longer.
func halfWidth(share float64) float64 {
	const low, median, high = 0.004 / 100, 0.049 / 100, 0.55 / 100
	z := math.Sqrt2 * math.Erfinv(2*share-1)
	slope := math.Log(high/median) / 1.2816
	if z < 0 {
		slope = math.Log(median/low) / 1.2816
	}
	return min(0.01, median*math.Exp(slope*z))
}

// machine is the machine that records a commit: another one from the middle on.
func (w *world) machine(head int) int { return head / (len(w.commits) / 2) % 2 }

// block is the log ratio that one block shows: one in twenty scatters three
// times as much.
func (w *world) block(b *benchmarkTruth, truth float64) float64 {
	sd := b.half * math.Sqrt(blocksOfEdge) / 2.365
	if w.random.IntN(20) == 0 {
		sd *= 3
	}
	return truth + sd*w.random.NormFloat64()
}

// compare measures a pair of commits while head is recorded. A comparison of all
// benchmarks has the interval of Student's t over eight blocks. The comparison
// of a candidate goes through the judge of cmd/tare/internal/judge, look by
// look.
func (w *world) compare(head int) func(context.Context, Pair) (result.Comparison, error) {
	return func(_ context.Context, p Pair) (result.Comparison, error) {
		old, new := w.number[p.Old], w.number[p.New]
		m := w.machine(head)
		c := result.Comparison{Alpha: p.Alpha, Delta: delta, Machine: &result.Machine{Kernel: fmt.Sprint(m)}}
		for i := range w.marks {
			b := &w.marks[i]
			truth := b.level[m][new] - b.level[m][old]
			switch {
			case p.Bench == b.key.Name:
				c.Benchmarks = append(c.Benchmarks, w.judged(b, truth, p.Alpha))
			case p.Bench == "" && w.random.IntN(20) > 0: // one row in twenty is missing
				c.Benchmarks = append(c.Benchmarks, w.row(b, truth))
			}
		}
		return c, nil
	}
}

func (w *world) row(b *benchmarkTruth, truth float64) result.BenchmarkComparison {
	var x [blocksOfEdge]float64
	for i := range x {
		x[i] = w.block(b, truth)
	}
	mean, squares := moments(x[:])
	se := math.Sqrt(squares / (blocksOfEdge - 1) / blocksOfEdge)
	half := 2.365 * se
	if w.random.IntN(200) == 0 {
		mean += 5 * b.half * w.random.NormFloat64() // an outlier
	}
	return result.BenchmarkComparison{Key: result.Key{Pkg: b.key.Pkg, Name: b.key.Name}, Unit: b.key.Unit, NewVariant: 1, Blocks: blocksOfEdge, SE: se,
		Change: result.Change{Ratio: math.Exp(mean), Lo: math.Exp(mean - half), Hi: math.Exp(mean + half)}, Verdict: result.Undecided}
}

func (w *world) judged(b *benchmarkTruth, truth, alpha float64) result.BenchmarkComparison {
	study := result.Study{Plan: result.Plan{Kind: "compare", Seed: w.random.Uint64(), Alpha: alpha, Delta: delta, MaxBlocks: blockBudget}, Schema: result.RecordingSchema, Variants: []result.Variant{{Label: "a"}, {Label: "b"}}}
	mark := result.Benchmark{Key: result.Key{Pkg: b.key.Pkg, Name: b.key.Name}}
	for k := range blockBudget {
		block := result.Block{Block: k, Seconds: 0.25}
		theta := w.block(b, truth)
		for range 2 {
			slice := func(v float64) result.Slice { return result.Slice{N: 1000, Raw: 1e6 * math.Exp(v)} }
			grain := 1e-5 * w.random.NormFloat64()
			block.Rounds = append(block.Rounds, result.Round{Order: []int{0, 1}, Slices: []result.Slice{slice(0), slice(theta + grain)}})
		}
		mark.Blocks = append(mark.Blocks, block)
		if !judge.Due(study, mark) {
			continue
		}
		if j := judge.Judge(study, mark, 0, 1); j.Done {
			row := j.Rows[0]
			row.NewVariant = 1
			return row
		}
	}
	panic("the judge did not end at the last block")
}

// points are the times of one benchmark over the recorded commits, as a system
// that stores points has them. They have another machine and another method from
// the middle on, and noise as large as half an edge. drift is the standard
// deviation of the machine's drift (2%), first order autoregressive with a time
// constant of 20 commits; 0 is none.
func (w *world) points(b *benchmarkTruth, drift float64) (y []float64, at []int) {
	load := drift * w.random.NormFloat64()
	machine, method := 0.2*w.random.NormFloat64(), 0.03*w.random.NormFloat64()
	phi := math.Exp(-1. / 20)
	for k := range w.commits {
		load = phi*load + drift*math.Sqrt(1-phi*phi)*w.random.NormFloat64()
		if w.skipped[k] {
			continue
		}
		m := w.machine(k)
		v := b.level[m][k] + load + b.half/2.365/math.Sqrt2*w.random.NormFloat64()
		if m == 1 {
			v += machine
		}
		if k >= len(w.commits)/2+10 {
			v += method
		}
		y, at = append(y, math.Exp(v)), append(at, k)
	}
	return y, at
}
