package judge

import (
	"math"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"

	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/stats"
)

// allocating makes slices of a benchmark that allocates: an operation takes
// clean nanoseconds, and every n operations a collection takes pause
// nanoseconds, of which a part falls after the slice.
type allocating struct {
	clean, pause float64
	every, done  int64
	// uneven is the standard deviation of the logarithm of a pause, followed has
	// the slices say what processor time they took.
	uneven   float64
	followed bool
}

// heap is what the process reports of a heap that grows by 100 bytes an
// operation.
func (p allocating) heap() result.Process {
	return result.Process{N: 1000, Bytes: 100_000, HeapLive: 1 << 20, HeapGoal: 1<<20 + 100*uint64(p.every)}
}

func (p allocating) mean() float64 { return p.clean + p.pause/float64(p.every) }

func (p *allocating) slice(n int64, speed float64, random *rand.Rand) result.Slice {
	before := p.done / p.every
	p.done += n
	s := result.Slice{N: n, Raw: float64(n) * p.clean * speed, Pauses: 1}
	if met := p.done/p.every - before; met > 0 {
		s.Collected = true
		late := random.Float64()
		pause := p.pause * math.Exp(p.uneven*random.NormFloat64()-p.uneven*p.uneven/2)
		s.Raw += float64(met) * pause * speed * (1 - late)
		s.Settle = float64(met) * pause * speed * late
		s.GCs = uint32(met)
	}
	s.Followed = p.followed
	if random.IntN(50) == 0 {
		s.Raw += 4e6 // preempted
		if p.followed {
			s.Delay = 4e6
		}
	}
	return s
}

// TestCostHoldsCollections: the ratio of blocks is that of the mean costs,
// where a pair of short slices leaves the collections out.
func TestCostHoldsCollections(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name     string
		old, new allocating
	}{
		{"small heap", allocating{clean: 100, pause: 2e5, every: 20_000}, allocating{clean: 102, pause: 2e5, every: 20_000}},
		{"large heap against none", allocating{clean: 200, pause: 1, every: 1 << 40}, allocating{clean: 140, pause: 6e6, every: 40_000}},
		{"half the garbage", allocating{clean: 50, pause: 3e5, every: 10_000}, allocating{clean: 50, pause: 3e5, every: 20_000}},
		// Blocks of 400,000 operations hold one collection or none.
		{"processor time", allocating{clean: 100, pause: 2e5, every: 20_000, followed: true, uneven: 0.5}, allocating{clean: 102, pause: 3e5, every: 20_000, followed: true, uneven: 0.5}},
		// A block that met none takes the cost of the blocks of both sides, which
		// cannot know that it differs.
		{"collections are rare", allocating{clean: 100, pause: 2e7, every: 600_000}, allocating{clean: 100, pause: 2e7, every: 300_000}},
	} {
		t.Run(test.name, func(t *testing.T) {
			truth := math.Log(test.new.mean() / test.old.mean())
			random := rand.New(rand.NewPCG(3, 9))
			var blocks []block
			var pairs []float64
			p := pairing{relative: true}
			for range 40 {
				a, b := test.old, test.new
				a.done, b.done = random.Int64N(a.every), random.Int64N(b.every)
				k := block{Block: result.Block{Processes: []result.Process{a.heap(), b.heap()}}}
				var logs []float64
				for range 400 {
					speed := math.Exp(0.1 * random.NormFloat64())
					x, y := a.slice(1000, speed, random), b.slice(1000, speed, random)
					k.rounds = append(k.rounds, result.Round{Slices: []result.Slice{x, y}})
					logs = append(logs, math.Log(y.Raw/x.Raw))
				}
				blocks, pairs = append(blocks, k), append(pairs, stats.Median(logs))
				p.typical = append(p.typical, 0)
			}
			back := pairing{relative: true, typical: make([]float64, 40)}
			old, new := p.collect(blocks, 0, 1, 1)
			back.collect(blocks, 1, 0, 1)
			for i, d := range p.typical {
				if math.Abs(math.Log(new[i][0]/old[i][0])-d) > 1e-9 || math.Abs(back.typical[i]+d) > 1e-9 {
					t.Fatalf("block %d: levels %v and %v, ratio %v, exchanged %v", i, old[i], new[i], d, back.typical[i])
				}
			}
			if off := stats.Median(p.typical) - truth; math.Abs(off) > 0.04*math.Max(math.Abs(truth), 0.1) {
				t.Errorf("blocks are off by %+.4f from %+.4f", off, truth)
			}
			if test.name == "large heap against none" && (stats.Median(pairs) > 0) == (truth > 0) {
				t.Error("pairs alone have the right sign: the test shows nothing")
			}
			if alone := collected(blocks, 1, 1); math.Abs(math.Log(stats.Median(alone.medians())*1e9/test.new.mean())) > 0.03 {
				t.Errorf("one side alone takes %v, want %v", stats.Median(alone.medians())*1e9, test.new.mean())
			}
		})
	}
}

// Slices that each hold a collection are compared whole.
func TestCostOfWholeSlices(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 1))
	a, b := allocating{clean: 100, pause: 1e5, every: 500}, allocating{clean: 100, pause: 2e5, every: 500}
	var k block
	for range 50 {
		k.rounds = append(k.rounds, result.Round{Slices: []result.Slice{a.slice(1000, 1, random), b.slice(1000, 1, random)}})
	}
	c, ok := costOf(k, 0, 1, 1)
	if want := math.Log(500. / 300); !ok || c.old.whole == 0 || math.Abs(c.log-want) > 0.01 {
		t.Errorf("log ratio %v, want %v", c.log, want)
	}
}

func TestCostWithoutCollections(t *testing.T) {
	t.Parallel()
	k := block{rounds: []result.Round{{Slices: []result.Slice{{N: 1, Raw: 10}, {N: 1, Raw: 20}}}}}
	p := pairing{relative: true, typical: []float64{1}}
	if a, _ := p.collect([]block{k}, 0, 1, 1); a != nil || p.typical[0] != 1 || collected([]block{k}, 0, 1) != nil {
		t.Error("blocks that met no collection have a collector's cost")
	}
}

// The row of a benchmark says what the blocks say with their collections: the
// pairs alone have the wrong sign.
func TestJudgeHoldsCollections(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(4, 4))
	study := result.Study{Plan: result.Plan{Alpha: 0.05, Delta: 0.02, MaxBlocks: 40, Seed: 1}, Variants: make([]result.Variant, 2), Family: 1}
	b := result.Benchmark{Key: result.Key{Name: "A"}}
	for i := range 16 {
		old, new := allocating{clean: 200, pause: 1, every: 1 << 40}, allocating{clean: 140, pause: 6e6, every: 40_000}
		new.done = random.Int64N(new.every)
		k := result.Block{Block: i, FuncOrders: []uint64{uint64(i + 1), uint64(i + 1)}, Processes: []result.Process{old.heap(), new.heap()}}
		for range 300 {
			speed := math.Exp(0.1 * random.NormFloat64())
			k.Rounds = append(k.Rounds, result.Round{Order: []int{0, 1}, Slices: []result.Slice{old.slice(1000, speed, random), new.slice(1000, speed, random)}})
		}
		b.Blocks = append(b.Blocks, k)
	}
	rows := Judge(study, b, 0, 1).Rows
	if len(rows) == 0 || rows[0].Unit != "sec/op" || rows[0].Verdict != result.Slower || math.Abs(rows[0].Change.Ratio-290./200) > 0.1 {
		t.Fatalf("rows %+v", rows)
	}
	if v := rows[0].New.Center; math.Abs(v*1e9-290) > 25 {
		t.Errorf("the new side takes %v, want about 290 ns", v)
	}
}

// TestUnevenCollectionsAreNoDifference: of two sides that are alike, whose
// collections take now twice and now half as long, one is called faster or
// slower as seldom as the error rate says. What a collection took in one block
// must not move the others.
func TestUnevenCollectionsAreNoDifference(t *testing.T) {
	t.Parallel()
	for _, followed := range []bool{false, true} {
		if raceDetector && followed {
			continue // it sees the same code, ten times slower
		}
		// 200 rounds of 1,000 operations hold 10 collections, which take half
		// of the time.
		p := allocating{clean: 100, pause: 2e6, every: 20_000, uneven: 0.7, followed: followed}
		const studies = 200
		study := result.Study{Plan: result.Plan{Alpha: 0.05, Delta: 0, MaxBlocks: 11, Seed: 1}, Variants: make([]result.Variant, 2), Family: 1}
		different := countStudies(studies, func(seed uint64) bool {
			study := study
			study.Seed = seed
			random := rand.New(rand.NewPCG(seed, 77))
			b := result.Benchmark{Key: result.Key{Name: "A"}}
			for i := range 11 {
				old, new := p, p
				old.done, new.done = random.Int64N(p.every), random.Int64N(p.every)
				k := result.Block{Block: i, FuncOrders: []uint64{uint64(i + 1), uint64(i + 1)}, Processes: []result.Process{old.heap(), new.heap()}}
				for range 200 {
					speed := math.Exp(0.1 * random.NormFloat64())
					k.Rounds = append(k.Rounds, result.Round{Order: []int{0, 1}, Slices: []result.Slice{old.slice(1000, speed, random), new.slice(1000, speed, random)}})
				}
				b.Blocks = append(b.Blocks, k)
			}
			rows := Judge(study, b, 0, 1).Rows
			return rows[0].Verdict != result.Undecided
		})
		// At a rate of 5% more than 20 of 200 come up once in a thousand times.
		if different > 20 {
			t.Errorf("delays known %v: %d of %d studies without a change are called different", followed, different, studies)
		}
		t.Logf("delays known %v: %d of %d", followed, different, studies)
	}
}

// countStudies counts the seeds for which a study comes out so.
func countStudies(n int, of func(seed uint64) bool) (count int) {
	var wg sync.WaitGroup
	found := make([]bool, n)
	work := make(chan int)
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for i := range work {
				found[i] = of(uint64(i + 1))
			}
		})
	}
	for i := range n {
		work <- i
	}
	close(work)
	wg.Wait()
	for _, f := range found {
		if f {
			count++
		}
	}
	return count
}

// TestRareCollections: two equal sides that run on several processors and collect
// in three of ten blocks, unevenly. With the cost of its own side in a block that
// met none, 48 of 60 studies were called different.
func TestRareCollections(t *testing.T) {
	t.Parallel()
	const rounds, n, clean, share, studies = 50, 50_000, 100.0, 0.1, 15 // 5 ms a slice
	every := int64(rounds) * n * 10 / 3
	p := allocating{clean: clean, every: every, uneven: 0.5, pause: share / (1 - share) * clean * float64(every)}
	different := countStudies(studies, func(seed uint64) bool {
		study := result.Study{Plan: result.Plan{Alpha: 0.05, Delta: 0.02, MaxBlocks: 40, Seed: seed}, Variants: make([]result.Variant, 2), Family: 1}
		random := rand.New(rand.NewPCG(seed, 77))
		b := result.Benchmark{Key: result.Key{Name: "A"}}
		for i := range 40 {
			old, new := p, p
			old.done, new.done = random.Int64N(every), random.Int64N(every)
			k := result.Block{Block: i, FuncOrders: []uint64{uint64(i + 1), uint64(i + 1)}, Processes: []result.Process{old.heap(), new.heap()}}
			new.clean *= math.Exp(0.003 * random.NormFloat64())
			for range rounds {
				speed := math.Exp(0.1 * random.NormFloat64())
				x, y := old.slice(n, speed, random), new.slice(n, speed, random)
				k.Rounds = append(k.Rounds, result.Round{Order: []int{0, 1}, Slices: []result.Slice{x, y}})
			}
			if b.Blocks = append(b.Blocks, k); !Due(study, b) {
				continue
			}
			if j := Judge(study, b, 0, 1); j.Done {
				return j.Rows[0].Verdict == result.Faster || j.Rows[0].Verdict == result.Slower
			}
		}
		return false
	})
	if t.Logf("%d of %d called different", different, studies); different > 4 { // 5%: once in 2,000 times
		t.Errorf("%d of %d studies without a change are called different", different, studies)
	}
}
