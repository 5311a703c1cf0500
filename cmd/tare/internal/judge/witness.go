package judge

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/tarebench/tare/cmd/tare/internal/catalog"
	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/stats"
	"github.com/tarebench/tare/internal/finding"
)

// The estimand of a row of time is the time per operation of a long plain run,
// and the estimate comes from short slices. The long runs of the first block
// are the witness that the two agree: a cost that slices do not contain, or that
// they alone contain, is in the difference, whatever its cause. Long runs are noisy
// (on a virtual machine with neighbors they differ by a tenth), so pairs of them are
// taken until their mean agrees within its standard error, or [LeastPairs] contradict
// by three of it. One that agrees at once is enough.
//
// On a busy machine a process on all CPUs has none for most of its time, and how
// long it would take is not known. Then long runs on the CPU of the slices count,
// where the delays of a thread are known, or none if it uses several CPUs. On a
// quiet one threads wait for each other only.

const (
	// LeastTolerance is the least relative difference between the changes of
	// slices and of long runs that matters.
	LeastTolerance = 0.02
	// LevelTolerance is the difference between the levels of a variant that matters
	// if there is no other one, and sharedTolerance if there is: there the change
	// decides, and a level only shows that slices measure something else.
	LevelTolerance, sharedTolerance = 0.1, 0.5
	// quietShare is the most time of all CPUs that other programs use on a quiet
	// machine, during the block of long runs.
	quietShare = 0.05
	// LongerSlice is how many times longer slices are that have to contain what
	// shorter ones missed.
	LongerSlice = 16
	// LeastPairs is the number of long runs of each variant that can contradict.
	LeastPairs = 6
)

// witness is what the long runs of a row say about its slices.
type witness struct {
	record result.LongRuns
	// change and levels are the distances of the long runs from the slices in
	// logarithms, of new/old and of the level of each side.
	// cpu is new/old of the CPUs that long runs used, in logarithms. The change of
	// CPU time is ratio plus cpu.
	change, cpu []float64
	levels      [][]float64
	// ratio is new/old of the slices, in logarithms.
	ratio float64
	// noise and levelNoise are how far the slices may be from their own mean.
	noise      float64
	levelNoise []float64
	whole      bool // the slices are long runs themselves
	iterations int64
	// hidden is set if it uses several CPUs, and other programs had them.
	hidden bool
	why    []string // the slices may differ, by side
}

// witnessOf compares the long runs of a benchmark with its slices, whose time per
// operation is levels, in seconds by variant.
func witnessOf(b result.Benchmark, blocks []block, levels []float64, variants ...int) *witness {
	w := &witness{whole: wholeCalls(b), levels: make([][]float64, len(variants))}
	for _, v := range variants {
		w.levelNoise = append(w.levelNoise, slicesNoise(blocks, func(r result.Round) float64 { return math.Log(r.Slices[v].Seconds()) }))
	}
	w.noise = slicesNoise(blocks, func(r result.Round) float64 {
		return math.Log(r.Slices[variants[len(variants)-1]].Seconds() / r.Slices[variants[0]].Seconds())
	})
	long, parallel := make([][]result.Slice, len(variants)), false
	for _, k := range b.Blocks {
		pinned, quiet := false, Quiet(k)
		for i, r := range k.LongRuns() {
			of := func(v int) result.Slice { return alone(r.Slices[v], pinned) }
			if slices.ContainsFunc(variants, func(v int) bool { return v >= len(r.Slices) || of(v).Seconds() <= 0 }) {
				continue
			}
			delayed := slices.ContainsFunc(variants, func(v int) bool { return !Undelayed(of(v)) })
			// If the first pair was delayed, the others ran on the CPU of the slices.
			pinned = pinned || i == 0 && delayed && !quiet && b.Pilot != nil && b.Pilot.CPUs != ""
			parallel = parallel || slices.ContainsFunc(variants, func(v int) bool { return Parallel(of(v)) })
			if delayed && !quiet {
				continue
			}
			for i, v := range variants {
				long[i], w.iterations = append(long[i], of(v)), max(w.iterations, of(v).N)
				w.levels[i] = append(w.levels[i], math.Log(of(v).Seconds()/levels[i]))
			}
			if len(variants) == 2 {
				last := len(w.levels[0]) - 1
				w.change = append(w.change, w.levels[1][last]-w.levels[0][last])
				w.addCPU(of(variants[0]), of(variants[1]))
			}
		}
	}
	if len(long[0]) == 0 {
		if w.hidden = parallel; w.hidden {
			return w
		}
		return nil
	}
	in := make(map[int][]result.Slice)
	for _, v := range variants {
		in[v] = slices.Collect(slicesOf(blocks, v))
	}
	if s := in[variants[0]]; math.IsInf(w.noise, 0) && w.iterations >= LongerSlice*s[0].N {
		// Far shorter slices are taken to vary as long runs do.
		w.noise, w.levelNoise = math.Inf(-1), slices.Repeat([]float64{math.Inf(-1)}, len(variants))
	}
	if w.whole && len(variants) == 2 {
		for i, s := range in[variants[0]] {
			w.addCPU(s, in[variants[1]][i])
		}
	}
	for i, v := range variants {
		seconds := 0.0
		for _, s := range long[i] {
			seconds += s.Seconds() * float64(s.N)
		}
		if i == 0 || seconds < w.record.Seconds {
			w.record.Seconds = seconds
		}
		w.record.Levels = append(w.record.Levels, scaled(w.levels[i], levels[i]))
		w.why = append(w.why, whyOf(long[i], in[v]))
	}
	if len(variants) == 2 {
		w.ratio = math.Log(levels[1] / levels[0])
		change := scaled(w.change, levels[1]/levels[0])
		w.record.Change = &change
	}
	return w
}

// addCPU notes how many times as many CPUs the new side used in a pair of long runs.
func (w *witness) addCPU(old, new result.Slice) {
	cpus := func(s result.Slice) float64 { return s.CPUTime / (1e9 * s.Seconds() * float64(s.N)) }
	if o, n := cpus(old), cpus(new); o > 0 && n > 0 && !math.IsInf(o, 0) && !math.IsInf(n, 0) {
		w.cpu = append(w.cpu, math.Log(n/o))
	}
}

// cpuChange is the change of CPU time per operation, in logarithms, if it may go
// another way than the time: by more than excess standard errors, as a difference.
func (w *witness) cpuChange(delta float64) (d []float64, excess float64) {
	if w == nil || w.hidden || len(w.cpu) == 0 {
		return nil, 0
	}
	for _, cpus := range w.cpu {
		d = append(d, w.ratio+cpus)
	}
	tolerance := max(delta, LeastTolerance)
	if m, limit := mean(d), math.Log1p(tolerance); m > 0 && w.ratio > limit || m < 0 && w.ratio < -limit {
		return nil, 0
	}
	if excess = excessOf(d, tolerance, w.noise); excess <= 1 {
		return nil, 0
	}
	return d, excess
}

// Quiet reports whether other programs used few of the CPUs during a block.
func Quiet(k result.Block) bool { return k.Others != nil && *k.Others <= quietShare }

// scaled is the range of e^x times by.
func scaled(x []float64, by float64) result.Interval {
	return result.Interval{Lo: by * math.Exp(slices.Min(x)), Hi: by * math.Exp(slices.Max(x))}
}

// slicesNoise is two standard errors of the median over all rounds: by their spread
// within blocks or, with several blocks, between these. A few rounds do not show it:
// it is +Inf, so that long runs of about as many iterations say nothing.
func slicesNoise(blocks []block, of func(result.Round) float64) float64 {
	median := math.Sqrt(math.Pi / 2) // its standard error, for the mean's
	var middles, within []float64
	all := 0
	for _, k := range blocks {
		var values []float64
		for _, r := range k.rounds {
			if v := of(r); !math.IsNaN(v) && !math.IsInf(v, 0) {
				values = append(values, v)
			}
		}
		if all += len(values); len(values) > 0 {
			middles = append(middles, stats.Median(values))
			within = append(within, median*stats.Deviation(values)/math.Sqrt(float64(len(values))))
		}
	}
	if all < leastClean {
		return math.Inf(1) // it is not known
	}
	return 2 * max(stats.Median(within), median*stats.Deviation(middles)) / math.Sqrt(float64(len(middles)))
}

// contradicts reports whether the long runs contradict the slices: enough of them by
// three standard errors more than what matters.
func (w *witness) contradicts(delta float64) bool {
	if w != nil && w.hidden {
		return true
	}
	d, _, excess := w.difference(delta)
	return certain(d, excess)
}

// certain reports whether enough pairs of long runs show a difference.
func certain(d []float64, excess float64) bool { return len(d) >= LeastPairs && excess > 3 }

// difference are the distances of the long runs from the slices, if they may differ by
// more than what matters: of the change (side 2), or of the level of a side. Their
// mean does by more than excess standard errors, at least 1; of one it is not known.
func (w *witness) difference(delta float64) (d []float64, side int, excess float64) {
	if w == nil || w.whole || w.hidden {
		return nil, 0, 0
	}
	if excess = excessOf(w.change, max(delta, LeastTolerance), w.noise); excess > 1 {
		return w.change, 2, excess
	}
	tolerance := LevelTolerance
	if len(w.levels) > 1 {
		tolerance = sharedTolerance
	}
	for i, d := range w.levels {
		if excess = excessOf(d, tolerance, w.levelNoise[i]); excess > 1 {
			return d, i, excess
		}
	}
	return nil, 0, 0
}

// excessOf is by how many standard errors the mean of d is beyond a tolerance and the
// noise of the slices, which is theirs if it is -Inf.
func excessOf(d []float64, tolerance, noise float64) float64 {
	if len(d) == 0 {
		return 0
	}
	m, sum, n := mean(d), 0.0, float64(len(d))
	for _, v := range d {
		sum += (v - m) * (v - m)
	}
	deviation := math.Sqrt(sum / max(1, n-1))
	if math.IsInf(noise, -1) {
		noise = 2 * deviation
	}
	beyond := math.Abs(m) - math.Log1p(tolerance) - noise
	if beyond <= 0 {
		return 0
	}
	return beyond * math.Sqrt(n) / deviation
}

// reach is the interval of a change, up to the nearest end of the one of its long
// runs if these are enough: where they and the slices differ, the size is not known
// better. The verdict holds in all of it, since only a contradiction takes one back.
func (w *witness) reach(iv Interval, v result.Verdict, same, alpha float64) Interval {
	if w == nil || w.whole || len(w.change) < LeastPairs || !iv.Known() {
		return iv
	}
	lo, hi := meanBounds(w.change, alpha/2)
	least, most := math.Inf(-1), math.Inf(1)
	switch {
	case v == result.Same:
		least, most = -same, same
	case v != result.Undecided && iv.Lo > 0:
		least = 0
	case v != result.Undecided:
		most = 0
	}
	if !math.IsNaN(lo) {
		iv.Lo, iv.Hi = max(least, min(iv.Lo, w.ratio+hi)), min(most, max(iv.Hi, w.ratio+lo))
	}
	return iv
}

// around is the interval of a change, which also holds the one of the long runs if
// these contradict it: a verdict needs both. Without long runs nothing is known.
func (w *witness) around(iv Interval, delta, alpha float64) Interval {
	if !w.contradicts(delta) {
		return iv
	}
	lo, hi := math.Inf(-1), math.Inf(1)
	if !w.hidden {
		lo, hi = meanBounds(w.change, alpha/2)
		lo, hi = w.ratio+lo, w.ratio+hi
	}
	iv.Lo, iv.Hi = min(iv.Lo, lo), max(iv.Hi, hi) // NaN if one is
	iv.JointLo, iv.JointHi = min(iv.JointLo, lo), max(iv.JointHi, hi)
	if p := iv.Pass; p != nil {
		iv.Pass = &[2]float64{min(p[0], lo), max(p[1], hi)}
	}
	return iv
}

// finding reports that the long runs contradict, or may, and how many there are.
func (w *witness) finding(k finding.Kind, name string, delta float64) (f finding.Finding, pairs int) {
	d, side, _ := w.difference(delta)
	switch {
	case w != nil && w.hidden:
		return catalog.TooBusy.Of(name), 0
	case len(d) == 0:
		return f, 0
	}
	why := w.why[min(side, len(w.why)-1)]
	if side == 2 && why == "" {
		why = w.why[0]
	}
	of := [...]string{"the old side", "the new side", "the new side against the old one"}[side]
	if len(w.levels) == 1 {
		of = "the benchmark"
	}
	return k.Of(name,
		finding.Text("side", of),
		finding.ChangeIn("change", math.Expm1(mean(d)), math.Expm1(slices.Min(d)), math.Expm1(slices.Max(d))),
		finding.Text("why", cmp.Or(why, "a cost is rare, or depends on the number of iterations")),
		finding.Number("iterations", float64(w.iterations))), len(d)
}

// whyOf is what the long runs of a variant have and its slices have not.
func whyOf(long, short []result.Slice) string {
	var met, took, operations, shortMet, shortOperations, cpus float64
	for _, s := range long {
		met, took, operations = met+float64(s.GCs), took+s.Raw/1e9, operations+float64(s.N)
		cpus = max(cpus, s.CPUs)
	}
	var lengths []float64
	for _, s := range short {
		shortMet, shortOperations = shortMet+float64(s.GCs), shortOperations+float64(s.N)
		lengths = append(lengths, s.Raw/1e9)
	}
	switch {
	case met > 0 && 2*shortMet/max(1, shortOperations) < met/operations:
		return fmt.Sprintf("the collector runs every %.2g s, and slices of %.2g s seldom meet it", took/met, stats.Median(lengths))
	case slices.ContainsFunc(long, func(s result.Slice) bool { return Undelayed(s) && Parallel(s) }):
		return fmt.Sprintf("it uses %.1f CPUs", cpus)
	}
	return ""
}

// result is the witness as a row contains it.
func (w *witness) result(contradicts bool, delta float64) *result.LongRuns {
	if w == nil {
		return nil
	}
	r := w.record
	if d, _, _ := w.difference(delta); len(d) > 0 && !contradicts {
		r.Seconds = 0 // they neither agree nor contradict
	}
	r.Contradict = contradicts
	if d, excess := w.cpuChange(delta); !contradicts && certain(d, excess) {
		cpu := scaled(d, 1)
		r.CPU = &cpu
	}
	return &r
}

// Parallel reports whether a long run used more than one CPU, or would have if
// other programs had not used it. Of a delayed run CPUs is sampled: code without
// parallel work shows 1, and short parallel work on a busy machine little more.
func Parallel(s result.Slice) bool {
	if Undelayed(s) {
		return s.CPUs > 1.2
	}
	return s.CPUs > 1+LeastTolerance
}

// Undelayed reports whether the time of a long run is known: its delays are, or do
// not matter.
func Undelayed(s result.Slice) bool { return s.Followed || s.MaxDelay <= LeastTolerance*s.Raw }

// alone is a long run without the time in which other programs had its CPU. A process
// on one CPU runs one goroutine at a time, so that its delay is known although
// the goroutine changed threads.
func alone(s result.Slice, pinned bool) result.Slice {
	if pinned && !s.Followed {
		s.Followed, s.Delay = true, s.MaxDelay
	}
	return s
}

// wholeCalls reports whether the slices of a benchmark are long runs.
func wholeCalls(b result.Benchmark) bool { return b.Pilot != nil && b.Pilot.Whole }

// witness is the witness of a row of time at the look at n blocks, or nil.
func (e evidence) witness(n int) *witness {
	if !e.time || !e.relative {
		return nil
	}
	level := func(s series) float64 {
		var logs []float64
		for _, m := range s[:n].medians() {
			logs = append(logs, math.Log(m))
		}
		return math.Exp(stats.Median(logs))
	}
	old, new := level(e.before), level(e.after)
	// Only the pairs show the change exactly.
	half := math.Exp(e.look(n).Median()/2) / math.Sqrt(new/old)
	return witnessOf(e.benchmark, e.blocks[:n], []float64{old / half, new * half}, e.old, e.new)
}

// Contradiction is the finding that the slices of a benchmark's blocks so far do
// not measure what its long runs do, and that longer slices may. It is open while
// further pairs of long runs may tell: up to [LeastPairs], or as long as other
// programs delayed those of parallel code.
func Contradiction(study result.Study, b result.Benchmark) (f finding.Finding, open, contradicted bool) {
	if len(study.Variants) == 1 {
		return aloneWitness(b, goodBlocks(b.Blocks, 0)).contradiction(b.Name, study.Delta)
	}
	for v := 1; v < len(study.Variants) && !contradicted; v++ {
		if e, ok := evidenceOf(study, b, "sec/op", 0, v); ok {
			g, more, c := e.witness(len(e.typical)).contradiction(b.Name, study.Delta)
			if contradicted, open = c, open || more; c {
				f = g
			}
		}
	}
	return f, open, contradicted
}

func (w *witness) contradiction(name string, delta float64) (f finding.Finding, open, contradicted bool) {
	f, pairs := w.finding(catalog.WholeCalls, name, delta)
	contradicted = pairs > 0 && w.contradicts(delta)
	cpu, _ := w.cpuChange(delta)
	few := pairs > 0 && pairs < LeastPairs || len(cpu) > 0 && len(cpu) < LeastPairs
	return f, !contradicted && (few || w != nil && w.hidden), contradicted
}

// aloneWitness is the witness of a study of one variant.
func aloneWitness(b result.Benchmark, blocks []block) *witness {
	if len(blocks) == 0 {
		return nil
	}
	values := collected(blocks, 0, processorsOf(b))
	if values == nil || wholeCalls(b) {
		values = read(blocks, seconds, 0)[0]
	}
	if m := values.medians(); positive(m) {
		return witnessOf(b, blocks, []float64{stats.Median(m)}, 0)
	}
	return nil
}
