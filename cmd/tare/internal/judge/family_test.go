package judge

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"github.com/tarebench/tare/cmd/tare/internal/lab"
	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/internal/unit"
)

// The error rates of a whole run, through the code that judges it. The short
// forms have fixed seeds and bounds widened by four standard deviations, the
// long ones by two: of a rate that is just what is accepted, half of all
// simulations show more. They are
//
//	go test -tags lab ./cmd/tare/internal/judge -run 'TestRun|TestGateMeansDelta|TestGeoMeanCoverage' -v -timeout 8h
//
// and TARE_PART=0.25 has a quarter of their replicates.

func long() bool { return lab.Long }

// times is the number of replicates, of the short and of the long form.
func times(short, all int) int {
	switch {
	case long():
		if part, err := strconv.ParseFloat(os.Getenv("TARE_PART"), 64); err == nil && part > 0 && part < 1 {
			return max(1, int(float64(all)*part))
		}
		return all
	case raceDetector:
		return min(short, max(2, short/20))
	}
	return short
}

// atMost checks a share of n against the accepted share.
func atMost(t *testing.T, what string, got, n int, accepted float64) {
	t.Helper()
	deviations := 4.0
	if long() {
		deviations = 2
	}
	limit := accepted*float64(n) + deviations*math.Sqrt(float64(n)*accepted*(1-accepted))
	t.Logf("%s: %d of %d, %.2f%% (accepted %.1f%%)", what, got, n, 100*float64(got)/float64(n), 100*accepted)
	if float64(got) > limit {
		t.Errorf("%s: %d of %d, accepted %.1f%%", what, got, n, 100*accepted)
	}
}

// noisyBlocks are blocks of a benchmark whose true change is theta: a few
// machines in one. Heavy has the tails of a busy machine, grows lets the noise
// grow twentyfold, spike puts three blocks in five exactly on the truth.
func noisyBlocks(r *rand.Rand, n int, theta, sd float64, kind string) pairing {
	var p pairing
	for k := range n {
		e := r.NormFloat64()
		switch kind {
		case "heavy": // Student's t with two degrees of freedom
			e /= math.Sqrt(-math.Log(r.Float64()))
		case "grows":
			e *= math.Pow(20, float64(k)/float64(n-1)-0.5)
		case "spike":
			if r.Float64() < 0.6 {
				e = 0
			}
		}
		p.typical = append(p.typical, theta+sd*e)
		p.layout = append(p.layout, k)
	}
	p.relative = true
	return p
}

// decidePairing is what the looks at a row of time decide that has no guard.
func decidePairing(j judged, p pairing) (Decision, bool) {
	t, ok := evidence{judged: j, pairing: p}.settledFirst("sec/op")
	return t.Decision, ok
}

// gateOf decides rows together and reads them as a gate.
func gateOf(rows []*row, study result.Study) Gate {
	decideAll(rows, study.Plan, nil, false)
	var c result.Comparison
	for _, r := range rows {
		c.Benchmarks = append(c.Benchmarks, r.BenchmarkComparison)
	}
	outcome := GateOf(&c).Gate
	return outcome
}

// studied runs the study of one benchmark until it may stop: decide returns the
// first look that settles it, else the last.
func studied(study result.Study, key result.Key, p pairing) (r *row, settled bool) {
	design := NewDesign(study.MaxBlocks, study.Alpha, study.Family)
	for _, n := range []int{design.Looks[0], design.Next(12), design.N} { // most stop early
		j := judged{study: study, benchmark: result.Benchmark{Key: key}, blocks: make([]block, n), funcOrder: p.layout}
		d, ok := decidePairing(j, p)
		if !ok {
			panic("a planned look was not taken")
		}
		iv := d.Interval
		limit, gate := j.gate()
		settled = iv.settled(limit, unit.LowerIsBetter, gate)
		r = &row{iv: iv, BenchmarkComparison: result.BenchmarkComparison{Key: key, Unit: "sec/op", P: &d.P, Change: iv.Change(), Joint: iv.Joint(), Blocks: d.N}}
		r.decide(study.Plan, nil, d.P <= j.adjusted())
		if settled {
			break
		}
	}
	return r, settled
}

// planFor is the study of a run of that many rows.
func planFor(rows int, delta float64, gate bool, seed uint64) result.Study {
	s := result.Study{Plan: result.Plan{Alpha: 0.05, Delta: delta, MaxBlocks: 40, Seed: seed}, Family: rows}
	if gate {
		s.Output.Gate = result.DefaultLimits()
	}
	return s
}

// Nothing changed: a run says faster or slower of any row in at most 5% of
// runs, however many rows it has and whatever the noise. Delta is 0, so that
// nothing stops early as the same.
func TestRunIsSeldomWrong(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		rows, short, all int
		kind             string
	}{
		{1, 80, 10_000, "normal"}, {1, 60, 10_000, "grows"}, {1, 60, 10_000, "spike"},
		{4, 15, 2000, "heavy"}, {20, 4, 2000, "normal"}, {20, 2, 2000, "spike"},
		{170, 1, 2000, "heavy"}, {500, 0, 500, "normal"},
	} {
		n := times(c.short, c.all)
		wrong := 0
		for _, any := range replicate(n, func(i uint64) bool {
			r := chance(fmt.Sprint("run ", c.rows, c.kind), i)
			study := planFor(c.rows, 0, false, r.Uint64())
			var rows []*row
			for k := range c.rows {
				row, _ := studied(study, result.Key{Name: fmt.Sprint(k)}, noisyBlocks(r, 40, 0, 0.02, c.kind))
				rows = append(rows, row)
			}
			decideAll(rows, study.Plan, nil, false)
			for _, row := range rows {
				if row.Verdict == result.Faster || row.Verdict == result.Slower {
					return true
				}
			}
			return false
		}) {
			if any {
				wrong++
			}
		}
		if n > 0 {
			atMost(t, fmt.Sprintf("%d rows, %s noise: runs with a false verdict", c.rows, c.kind), wrong, n, 0.05)
		}
	}
}

// What stops a row is what is shown of it: no row that settled is taken back by
// the adjustment, for 1 to 2,000 rows, and a clear difference ends at the first
// look at which the error rate allows it.
func TestRunTakesNothingBack(t *testing.T) {
	t.Parallel()
	first := map[int]int{1: 8, 2: 8, 5: 9, 10: 10, 12: 10, 14: 11, 15: 11, 20: 11, 100: 13, 172: 14, 300: 15, 500: 16, 2000: 18}
	for m, want := range first {
		if m > 200 && !lab.Long {
			continue
		}
		r := chance("settled", uint64(m))
		study := planFor(m, 0.02, false, r.Uint64())
		var rows []*row
		var settled []bool
		for k := range m {
			theta, sd := 0.0, 0.003
			switch k {
			case m / 2:
				theta, sd = math.Log(1.5), 0.005
			case m / 3:
				theta, sd = 0.03, 0.01
			case m / 4:
				theta, sd = -0.02, 0.02
			}
			row, s := studied(study, result.Key{Name: fmt.Sprint(k)}, noisyBlocks(r, 40, theta, sd, "normal"))
			rows, settled = append(rows, row), append(settled, s)
		}
		before := make([]result.Verdict, m)
		for k := range rows {
			before[k] = rows[k].Verdict
		}
		decideAll(rows, study.Plan, nil, false)
		for k, row := range rows {
			if settled[k] && (row.Verdict != before[k] || row.Verdict == result.Undecided) {
				t.Errorf("%d rows: row %d settled as %s after %d blocks and is %s (p %v, Holm %v)", m, k, before[k], row.Blocks, row.Verdict, *row.P, *row.PHolm)
			}
		}
		if row := rows[m/2]; row.Verdict != result.Slower || row.Blocks != want {
			t.Errorf("%d rows: +50%% is %s after %d blocks, want slower after %d", m, row.Verdict, row.Blocks, want)
		}
	}
}

// A gate means δ: a run fails in at most 2.5% of runs in which no row is slower
// by more than δ, and passes in at most 2.5% of those in which one is slower by
// δ or more.
func TestGateMeansDelta(t *testing.T) {
	t.Parallel()
	const delta = 0.02
	x := math.Log1p(delta)
	type outcome struct{ failed, passed bool }
	run := func(rows int, theta func(k int) float64, sd float64, kind string, i uint64) outcome {
		r := chance(fmt.Sprint("gate ", rows, kind, theta(0), sd), i)
		study := planFor(rows, delta, true, r.Uint64())
		var all []*row
		for k := range rows {
			row, _ := studied(study, result.Key{Name: fmt.Sprint(k)}, noisyBlocks(r, 40, theta(k), sd, kind))
			all = append(all, row)
		}
		got := gateOf(all, study)
		return outcome{failed: got == Regression, passed: got == Pass}
	}
	count := func(n int, f func(i uint64) outcome) (failed, passed int) {
		for _, o := range replicate(n, f) {
			if o.failed {
				failed++
			}
			if o.passed {
				passed++
			}
		}
		return failed, passed
	}
	for _, c := range []struct {
		rows, short, all int
		sd               float64
		kind             string
	}{
		{1, 60, 10_000, 0.02, "normal"}, {1, 60, 10_000, 0.005, "heavy"}, {1, 40, 10_000, 0.02, "spike"},
		{20, 2, 1000, 0.01, "normal"}, {100, 0, 400, 0.01, "normal"}, {500, 0, 100, 0.01, "normal"},
	} {
		n := times(c.short, c.all)
		if n == 0 {
			continue
		}
		what := fmt.Sprintf("%d rows, block sd %.1f%%, %s", c.rows, 100*c.sd, c.kind)
		failed, _ := count(n, func(i uint64) outcome { return run(c.rows, func(int) float64 { return x }, c.sd, c.kind, i) })
		atMost(t, what+", all slower by δ: runs that fail", failed, n, 0.025)
		_, passed := count(n, func(i uint64) outcome {
			return run(c.rows, func(k int) float64 { return x * float64(max(0, 1-k)) }, c.sd, c.kind, i)
		})
		atMost(t, what+", one slower by δ: runs that pass", passed, n, 0.025)
	}
	// Within and beyond δ the gate says so: +1% passes, +5% fails, and the
	// noise of the machine is the only reason to leave it open.
	n := times(15, 2000)
	failed, passed := count(n, func(i uint64) outcome {
		return run(1, func(int) float64 { return math.Log1p(0.01) }, 0.003, "normal", i)
	})
	if failed > 0 || passed < n*95/100 {
		t.Errorf("+1%% under δ = 2%%: %d fail, %d pass of %d", failed, passed, n)
	}
	failed, passed = count(n, func(i uint64) outcome {
		return run(1, func(int) float64 { return math.Log1p(0.05) }, 0.003, "normal", i)
	})
	if failed < n*95/100 || passed > 0 {
		t.Errorf("+5%% under δ = 2%%: %d fail, %d pass of %d", failed, passed, n)
	}
}

// Same has an error rate of its own: at most 5% of rows that differ by δ are
// called the same.
func TestSameIsSeldomWrong(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"normal", "heavy", "spike"} {
		n := times(60, 10_000)
		wrong := 0
		for _, same := range replicate(n, func(i uint64) bool {
			r := chance("same "+kind, i)
			row, _ := studied(planFor(1, 0.02, false, r.Uint64()), result.Key{}, noisyBlocks(r, 40, math.Log1p(0.02), 0.02, kind))
			return row.Verdict == result.Same
		}) {
			if same {
				wrong++
			}
		}
		atMost(t, kind+" noise, changed by δ: rows called the same", wrong, n, 0.05)
	}
}

// The geometric mean of rows that all changed alike and stopped when they were
// decided holds the truth.
func TestGeoMeanCoverage(t *testing.T) {
	t.Parallel()
	rows := 100
	if !long() {
		rows = 20
	}
	for _, change := range []float64{0, 0.01, 0.02, 0.03} {
		n := times(6, 1000)
		missed := 0
		for _, miss := range replicate(n, func(i uint64) bool {
			r := chance(fmt.Sprint("geomean ", change), i)
			study := planFor(rows, 0.02, false, r.Uint64())
			// Rows share what their link layouts do: they are dependent.
			shared := noisyBlocks(r, 40, 0, 0.004, "normal")
			var all []result.BenchmarkComparison
			var blocks Blocks
			for k := range rows {
				p := noisyBlocks(r, 40, math.Log1p(change), 0.02, "heavy")
				for b := range p.typical {
					p.typical[b] += shared.typical[b]
				}
				row, _ := studied(study, result.Key{Name: fmt.Sprint(k)}, p)
				row.Old.Center, row.New.Center = 1, row.Change.Ratio
				all, blocks = append(all, row.BenchmarkComparison), append(blocks, p.first(MinBlocks))
			}
			g := geoMeans(all, blocks, study.Alpha)
			if len(g) != 1 || g[0].N != rows {
				panic(fmt.Sprintf("geometric means %+v", g))
			}
			return g[0].Change.Lo > 1+change || g[0].Change.Hi < 1+change
		}) {
			if miss {
				missed++
			}
		}
		atMost(t, fmt.Sprintf("%d rows changed by %.0f%%: intervals that miss it", rows, 100*change), missed, n, 0.06)
	}
}

// Nothing breaks where the spread is exactly 0 and all blocks are equal.
func TestBlocksWithoutNoise(t *testing.T) {
	for _, c := range []struct {
		theta float64
		gate  bool
		want  result.Verdict
	}{{0, false, result.Same}, {0.0001, false, result.Same}, {0.05, false, result.Slower}, {-0.05, false, result.Faster}, {0.05, true, result.Slower}} {
		for _, m := range []int{1, 20, 500} {
			row, settled := studied(planFor(m, 0.02, c.gate, 1), result.Key{}, noisyBlocks(chance("", 1), 40, c.theta, 0, "normal"))
			if !settled || row.Verdict != c.want || math.Abs(row.Change.Lo-math.Exp(c.theta)) > 1e-12 || math.Abs(row.Change.Hi-math.Exp(c.theta)) > 1e-12 {
				t.Errorf("all blocks %v among %d: settled %v, %+v", c.theta, m, settled, row)
			}
		}
	}
}

// N is a parameter: the same rule with up to 200 short blocks.
func TestManyBlocks(t *testing.T) {
	t.Parallel()
	n := times(10, 2000)
	wrong := 0
	for _, different := range replicate(n, func(i uint64) bool {
		r := chance("many", i)
		study := planFor(1, 0, false, r.Uint64())
		study.MaxBlocks = 200
		row, _ := studied(study, result.Key{}, noisyBlocks(r, 200, 0, 0.02, "spike"))
		return row.Verdict == result.Faster || row.Verdict == result.Slower
	}) {
		if different {
			wrong++
		}
	}
	atMost(t, "200 blocks: called different", wrong, n, 0.05)
}

// Allocations that differ by one in a thousand from process to process, and not
// between the sides: the rule of medians called half of them different.
func TestExactIsSeldomWrong(t *testing.T) {
	for _, blocks := range []int{1, 2, 3, 7, 8, 12} {
		n := times(50, 2000)
		wrong := 0
		for i := range uint64(n) {
			random := rand.New(rand.NewPCG(i, 9))
			var process [2]uint64
			rec := simulated(blocks, 4, 0, 0.01, 0.01, i, func(_, round, variant int, s *result.Slice) {
				if round == 0 {
					process[variant] = random.Uint64N(2)
				}
				s.N, s.Raw = 1, s.Raw/1000
				s.Mallocs = 1000 + process[variant]
			})
			for _, row := range Compare(rec).Benchmarks {
				if row.Unit == "allocs/op" && (row.Verdict == result.Faster || row.Verdict == result.Slower) {
					wrong++
				}
			}
		}
		atMost(t, fmt.Sprintf("%d blocks: allocations called different", blocks), wrong, n, 0.05)
	}
}

// Over all studies of a change the estimate is as often too large as too small,
// although studies stop when they are decided; among the rows that are called
// different it is too large where the change is near the noise.
func TestEstimateAfterStopping(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ change, sd float64 }{{0.01, 0.02}, {0.02, 0.02}, {0.05, 0.02}, {0.05, 0.05}} {
		n := times(50, 4000)
		theta := math.Log1p(c.change)
		type estimate struct {
			center float64
			called bool
		}
		above, called, sum := 0, 0, 0.0
		for _, e := range replicate(n, func(i uint64) estimate {
			r := chance(fmt.Sprint("estimate ", c), i)
			row, _ := studied(planFor(1, 0.02, false, r.Uint64()), result.Key{}, noisyBlocks(r, 40, theta, c.sd, "normal"))
			return estimate{math.Log(row.Change.Ratio), row.Verdict == result.Slower}
		}) {
			if e.center > theta {
				above++
			}
			if e.called {
				called++
				sum += e.center
			}
		}
		t.Logf("+%.0f%%, block sd %.0f%%: %.1f%% of %d estimates are too large; %.1f%% are called slower, by %.2f times the truth",
			100*c.change, 100*c.sd, 100*float64(above)/float64(n), n, 100*float64(called)/float64(n), sum/float64(called)/theta)
		if off := math.Abs(float64(above)/float64(n) - 0.5); off > 0.05+4*0.5/math.Sqrt(float64(n)) {
			t.Errorf("+%.0f%%: %d of %d estimates are too large", 100*c.change, above, n)
		}
	}
}
