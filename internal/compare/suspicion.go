package compare

import (
	"fmt"
	"math"
	"slices"

	"github.com/tarebench/tare/finding"
	"github.com/tarebench/tare/result"
	"github.com/tarebench/tare/stats"
)

// The limits of suspicion. Each test needs both an effect worth a word and
// more evidence than noise gives; suspicion_test.go publishes how often each
// speaks without a reason.
const (
	fewIterations  = 100
	unstableSpread = 0.05
	worthGrowth    = 0.05 // of the time per operation, first to last third
	worthDrift     = 0.05
	slowStart      = 1.5 // first slice against the others of its process
	modeShare      = 0.15
	modeDistance   = 0.03
	modeClarity    = 5 // distance between modes in spreads of a mode
	// A small allocation takes about 10 ns at least and memory is cleared at
	// about 20 GB/s: lower bounds, to be sure where they alone are half.
	secondsPerMalloc = 10e-9
	secondsPerByte   = 0.05e-9
)

// Suspicions says what in the numbers of one benchmark and variant makes it
// likely that they measure something else than meant. It is a pure function of
// the rounds, in the order they ran, warm-up included; rounds of other
// benchmarks must have been left out. CycleSeconds is the length of a clock
// cycle, 0 when it is not known.
func Suspicions(b result.Benchmark, rounds []result.Round, variant int, cycleSeconds float64) []finding.Finding {
	p := processesOf(rounds, variant)
	if len(p) == 0 {
		return nil
	}
	var out []finding.Finding
	for _, test := range []func() *finding.Finding{
		func() *finding.Finding { return belowCycle(p, cycleSeconds) },
		func() *finding.Finding { return growsWithN(p) },
		func() *finding.Finding { return growsInProcess(p) },
		func() *finding.Finding { return drifts(p) },
		func() *finding.Finding { return slowFirst(p) },
		func() *finding.Finding { return twoModes(p) },
		func() *finding.Finding { return allocates(p) },
		func() *finding.Finding { return collects(p) },
		func() *finding.Finding { return tooFew(p) },
		func() *finding.Finding { return unstable(p) },
	} {
		if f := test(); f != nil {
			f.Subject = b.Name
			out = append(out, *f)
		}
	}
	return out
}

// process is what one worker process measured, in order: a block.
type process struct {
	first  result.Slice   // of all, warm-up or not
	slices []result.Slice // without warm-up
	times  []float64      // seconds per operation of slices
}

// processesOf splits rounds by block, in the order they ran.
func processesOf(rounds []result.Round, variant int) []process {
	var list []process
	index := make(map[int]int)
	for _, r := range rounds {
		if variant >= len(r.Slices) || r.Slices[variant].N <= 0 {
			continue
		}
		s := r.Slices[variant]
		i, ok := index[r.Block]
		if !ok {
			i = len(list)
			index[r.Block] = i
			list = append(list, process{first: s})
		}
		if !r.Warmup {
			list[i].slices = append(list[i].slices, s)
			list[i].times = append(list[i].times, s.Seconds())
		}
	}
	return slices.DeleteFunc(list, func(p process) bool { return len(p.slices) == 0 })
}

func allTimes(list []process) []float64 {
	var all []float64
	for _, p := range list {
		all = append(all, p.times...)
	}
	return all
}

func allSlices(list []process) []result.Slice {
	var all []result.Slice
	for _, p := range list {
		all = append(all, p.slices...)
	}
	return all
}

// Cycle is the length in seconds of a cycle of the base clock, 0 when it is not known.
func Cycle(m *result.Machine) float64 {
	switch {
	case m == nil:
		return 0
	case m.CPU.CounterHz > 0:
		return 1 / m.CPU.CounterHz
	case len(m.CPU.Frequency) > 0 && m.CPU.Frequency[0].BaseHz > 0:
		return 1 / m.CPU.Frequency[0].BaseHz
	}
	return 0
}

// sideSuspicions are the suspicions about either side of a comparison, one of
// a kind. Drift, two modes and spread are left out: rounds in lockstep cancel
// them, and what they leave is in the interval.
func sideSuspicions(study result.Study, b result.Benchmark, rounds []result.Round, variants ...int) []finding.Finding {
	var out []finding.Finding
	for _, v := range variants {
		for _, f := range Suspicions(b, rounds, v, Cycle(study.Machine)) {
			known := slices.ContainsFunc(out, func(o finding.Finding) bool { return o.ID == f.ID })
			if !known && f.ID != "drifting" && f.ID != "two-modes" && f.ID != "unstable" {
				out = append(out, f)
			}
		}
	}
	return out
}

func belowCycle(list []process, cycle float64) *finding.Finding {
	t := stats.Median(allTimes(list))
	if cycle <= 0 || t >= cycle {
		return nil
	}
	return &finding.Finding{
		ID: "below-one-cycle", Severity: finding.Severe,
		Message: fmt.Sprintf("%.3g ns per operation is less than one cycle of the base clock (%.3g ns): the compiler has most likely deleted the work", t*1e9, cycle*1e9),
		Action:  "tare lint -prove says what is left; loop with b.Loop, or keep the result in an exported variable",
	}
}

// growsWithN compares slices of different n inside a process, where the few
// long ones stand among the short ones: between processes, the machine may
// have changed, as n may after the first block.
func growsWithN(list []process) *finding.Finding {
	var few, many []float64 // relative to the short slices of the process
	least, most := int64(math.MaxInt64), int64(0)
	for _, p := range list {
		n := p.slices[0].N
		for _, s := range p.slices {
			n = min(n, s.N)
		}
		var short, long []float64
		for i, s := range p.slices {
			switch {
			case s.N >= 2*n:
				long = append(long, p.times[i])
				most = max(most, s.N)
			case s.N == n:
				short = append(short, p.times[i])
			}
		}
		typical := math.NaN()
		if len(short) >= 3 && len(long) > 0 {
			typical = stats.Median(short)
		}
		if !(typical > 0) {
			continue
		}
		least = min(least, n)
		for _, t := range short {
			few = append(few, t/typical)
		}
		for _, t := range long {
			many = append(many, t/typical)
		}
	}
	if len(few) < 8 || len(many) < 8 {
		return nil
	}
	ratio := stats.Median(many) / stats.Median(few)
	if !(ratio > 1+2*worthGrowth) || stats.MannWhitney(few, many).P > 0.001 {
		return nil
	}
	return &finding.Finding{
		ID: "grows-with-n", Severity: finding.Severe,
		Message: fmt.Sprintf("the time per operation is %.2f times as long with %d iterations as with %d: it depends on how often the loop runs", ratio, most, least),
		Action:  "look for b.N or the loop counter in the work, and for state that grows (tare lint)",
	}
}

// growsInProcess compares the last third of every process with its first:
// state that lives on from slice to slice, as under b.Loop, makes all of them
// slower. It takes at least seven processes, so that chance alone is below
// one in a hundred even when it says nothing about how much.
func growsInProcess(list []process) *finding.Finding {
	var growth []float64
	up := 0
	for _, p := range list {
		third := len(p.times) / 3
		if third < 3 {
			continue
		}
		first, last := stats.Median(p.times[:third]), stats.Median(p.times[len(p.times)-third:])
		if first <= 0 || last <= 0 {
			continue
		}
		growth = append(growth, math.Log(last/first))
		if last > first {
			up++
		}
	}
	if len(growth) < 7 || binomialTail(len(growth), up) > 0.01 {
		return nil
	}
	g := math.Expm1(stats.Median(growth))
	if g < worthGrowth {
		return nil
	}
	return &finding.Finding{
		ID: "grows-in-process", Severity: finding.Warning,
		Message: fmt.Sprintf("in %d of %d processes the operation becomes slower while it runs, typically by %.0f %%: something grows with every iteration, or the machine heats up", up, len(growth), 100*g),
		Action:  "look for slices and maps that are never emptied (tare lint)",
	}
}

// binomialTail is P(X ≥ k) of n fair coins.
func binomialTail(n, k int) float64 {
	sum, term := 0.0, math.Pow(2, -float64(n)) // term: C(n, i)/2^n
	for i := range n + 1 {
		if i >= k {
			sum += term
		}
		term *= float64(n-i) / float64(i+1)
	}
	return min(1, sum)
}

func drifts(list []process) *finding.Finding {
	if len(list) < 8 {
		return nil
	}
	var medians []float64
	for _, p := range list {
		medians = append(medians, stats.Median(p.times))
	}
	center := stats.Median(medians)
	trend := stats.MannKendall(medians)
	if !(trend.P < 0.001) || !(math.Abs(trend.Change) > worthDrift*center) {
		return nil
	}
	return &finding.Finding{
		ID: "drifting", Severity: finding.Warning,
		Message: fmt.Sprintf("the time drifts over the run: the last third is %+.0f %% off the first", 100*trend.Change/center),
		Action:  "tare doctor says what may heat or load the machine; believe comparisons in lockstep, not single numbers",
	}
}

func slowFirst(list []process) *finding.Finding {
	var ratios []float64
	slow := 0
	for _, p := range list {
		rest := p.times
		if p.first.Seconds() == rest[0] {
			rest = rest[1:]
		}
		if len(rest) < 3 {
			continue
		}
		r := p.first.Seconds() / stats.Median(rest)
		ratios = append(ratios, r)
		if r >= slowStart {
			slow++
		}
	}
	if len(ratios) < 3 || slow*4 < len(ratios)*3 {
		return nil
	}
	return &finding.Finding{
		ID: "slow-first-slice", Severity: finding.Info,
		Message: fmt.Sprintf("the first slice of a process takes %.1f times as long per operation as the others: cold caches and pools, or set-up that is measured", stats.Median(ratios)),
		Action:  "call b.ResetTimer after the set-up, or loop with b.Loop; tare leaves the first slice out",
	}
}

// twoModes splits the slices in two where that leaves the least variance
// (Otsu 1979) and speaks when the two are far apart and both common. Values
// are relative to their process: differences between processes are layout
// luck, not modes.
func twoModes(list []process) *finding.Finding {
	var x []float64
	for _, p := range list {
		m := stats.Median(p.times)
		for _, t := range p.times {
			if t > 0 && m > 0 {
				x = append(x, math.Log(t/m))
			}
		}
	}
	if len(x) < 40 {
		return nil
	}
	slices.Sort(x)
	cut := otsu(x)
	low, high := x[:cut], x[cut:]
	if share := float64(min(len(low), len(high))) / float64(len(x)); share < modeShare {
		return nil
	}
	a, b := stats.Median(low), stats.Median(high)
	const normal = 1.4826 // from median absolute deviation to standard deviation
	spread := normal * max(stats.MAD(low), stats.MAD(high))
	if b-a < modeDistance || b-a < modeClarity*spread {
		return nil
	}
	// A valley: the middle third between the modes is nearly empty.
	inside := 0
	for _, v := range x {
		if v > a+(b-a)/3 && v < b-(b-a)/3 {
			inside++
		}
	}
	if inside*10 > min(len(low), len(high)) {
		return nil
	}
	return &finding.Finding{
		ID: "two-modes", Severity: finding.Warning,
		Message: fmt.Sprintf("the slices fall in two groups, %.0f %% of them about %.0f %% slower than the rest: one number describes neither", 100*float64(len(high))/float64(len(x)), 100*math.Expm1(b-a)),
		Action:  "tare show draws them; look for two paths through the code, and for a second program on the machine",
	}
}

// otsu returns where to cut sorted values so that the variance between the
// parts is greatest.
func otsu(x []float64) int {
	total := 0.0
	for _, v := range x {
		total += v
	}
	best, cut, sum := -1.0, 1, 0.0
	for i := 1; i < len(x); i++ {
		sum += x[i-1]
		n, m := float64(i), float64(len(x)-i)
		d := sum/n - (total-sum)/m
		if between := n * m * d * d; between > best {
			best, cut = between, i
		}
	}
	return cut
}

func allocates(list []process) *finding.Finding {
	var share, mallocs, bytes []float64
	for _, s := range allSlices(list) {
		if t := s.Seconds() * float64(s.N); t > 0 {
			share = append(share, (float64(s.Mallocs)*secondsPerMalloc+float64(s.Bytes)*secondsPerByte)/t)
			mallocs = append(mallocs, float64(s.Mallocs)/float64(s.N))
			bytes = append(bytes, float64(s.Bytes)/float64(s.N))
		}
	}
	if len(share) == 0 || !(stats.Median(share) >= 0.5) {
		return nil
	}
	return &finding.Finding{
		ID: "allocation-dominates", Severity: finding.Info,
		Message: fmt.Sprintf("%.3g allocations and %.3g bytes per operation: allocating takes at least half of the time, by a low estimate of 10 ns each and 20 GB/s", stats.Median(mallocs), stats.Median(bytes)),
		Action:  "read allocs/op beside the time; -memprofile says where they come from",
	}
}

// collects compares slices in which the garbage collector ran with those in
// which it did not.
func collects(list []process) *finding.Finding {
	var with, without []float64
	for _, p := range list {
		m := stats.Median(p.times)
		if m <= 0 {
			continue
		}
		for i, s := range p.slices {
			if s.GCs > 0 {
				with = append(with, p.times[i]/m)
			} else {
				without = append(without, p.times[i]/m)
			}
		}
	}
	if len(with) < 8 || len(without) < 8 {
		return nil
	}
	ratio := stats.Median(with) / stats.Median(without)
	if ratio < 1.25 || stats.MannWhitney(without, with).P > 0.001 {
		return nil
	}
	return &finding.Finding{
		ID: "gc-dominates", Severity: finding.Warning,
		Message: fmt.Sprintf("slices in which the garbage collector ran are %.2f times as slow as the others (%d of %d)", ratio, len(with), len(with)+len(without)),
		Action:  "the mean tells more than the typical slice here; longer slices hold several collections each",
	}
}

func tooFew(list []process) *finding.Finding {
	total := int64(0)
	for _, s := range allSlices(list) {
		total += s.N
	}
	if total >= fewIterations {
		return nil
	}
	return &finding.Finding{
		ID: "few-iterations", Severity: finding.Warning,
		Message: fmt.Sprintf("%d iterations in all: the mean is likely too high, with everything that happens only once in it", total),
		Action:  "raise -budget, or measure a smaller piece of work",
	}
}

// unstable looks at the spread of the processes when there are enough of them
// for a middle half, else at that of the slices.
func unstable(list []process) *finding.Finding {
	var x []float64
	for _, p := range list {
		x = append(x, stats.Median(p.times))
	}
	what := "processes"
	if len(x) < 4 {
		x, what = allTimes(list), "slices"
	}
	if len(x) < 4 {
		return nil
	}
	center := stats.Median(x)
	spread := (stats.Quantile(x, .75) - stats.Quantile(x, .25)) / 2
	if center <= 0 || spread <= unstableSpread*center {
		return nil
	}
	return &finding.Finding{
		ID: "unstable", Severity: finding.Warning,
		Message: fmt.Sprintf("the middle half of the %s spreads by ±%.0f %% (1 to 2 %% is good, 3 to 5 %% fair)", what, 100*spread/center),
		Action:  "tare doctor says what disturbs the machine",
	}
}
