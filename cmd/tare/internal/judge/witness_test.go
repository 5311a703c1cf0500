package judge

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/tarebench/tare/cmd/tare/internal/result"
)

// withLong adds pairs of long runs to the first block: old takes 1 µs as slices do,
// and new a factor more.
func withLong(rec *result.Recording, factors []float64, edit func(s *result.Slice)) {
	k := &rec.Benchmarks[0].Blocks[0]
	for _, f := range factors {
		r := result.Round{Order: []int{0, 1}, Slices: []result.Slice{{N: 50_000, Raw: 5e7, CPUs: 1}, {N: 50_000, Raw: 5e7 * f, CPUs: 1}}}
		for v := range r.Slices {
			if edit != nil {
				edit(&r.Slices[v])
			}
		}
		k.Long = append(k.Long, r)
	}
}

// On one CPU the delay of a process is known, although its goroutine changed
// threads. The first pair ran on all CPUs.
func TestDelayedLongRunsOnOneCPU(t *testing.T) {
	for _, test := range []struct {
		factors []float64
		cpus    string
		verdict result.Verdict
		covered bool
	}{
		{[]float64{1, 1.19, 1.16, 1.18, 1.17, 1.17, 1.17}, "0", result.Undecided, true},
		{[]float64{1, 1.19, 1.16, 1.18}, "0", result.Same, false},
		{[]float64{1, 1.01, 1.01, 1.18}, "0", result.Same, true},
		{[]float64{1, 1.19, 1.16, 1.18, 1.17, 1.17, 1.17}, "", result.Same, true},
	} {
		rec := simulated(11, 13, 0, 0.003, 0.001, 5)
		rec.Benchmarks[0].Pilot = &result.Pilot{CPUs: test.cpus, Procs: 1}
		withLong(rec, test.factors, func(s *result.Slice) { s.MaxDelay, s.Raw = s.Raw/2, 1.5*s.Raw })
		row := Compare(rec).Benchmarks[0]
		if row.Verdict != test.verdict || row.LongRuns != nil && (row.LongRuns.Seconds > 0) != test.covered {
			t.Errorf("%v on %q: %s, %+v", test.factors, test.cpus, row.Verdict, row.LongRuns)
		}
	}
}

// TestLongRunsContradict: a row has no verdict, and its gate is open, if each of
// its long runs contradicts the slices by more than δ and the noise of slices, or
// many more do than do not.
func TestLongRunsContradict(t *testing.T) {
	delayed := func(s *result.Slice) { s.MaxDelay = 0.3 * s.Raw }
	for _, test := range []struct {
		name    string
		effect  float64 // of slices
		factors []float64
		edit    func(*result.Slice)
		verdict result.Verdict
		finding string
	}{
		{"no long runs", 0, nil, nil, result.Same, ""},
		{"they agree", 0, []float64{1.005}, nil, result.Same, ""},
		{"they agree with a gain", -0.2, []float64{0.82}, nil, result.Faster, ""},
		{"they differ within δ", 0, []float64{1.018, 1.018, 1.018, 1.018}, nil, result.Same, ""},
		{"new takes more", 0, []float64{1.39, 1.4, 1.38, 1.41, 1.4, 1.4}, nil, result.Undecided, "long-runs-differ"},
		{"too few", 0, []float64{1.39, 1.4, 1.38}, nil, result.Same, ""},
		{"another sign", 0.1, []float64{0.75, 0.7, 0.72, 0.74, 0.73, 0.73}, nil, result.Undecided, "long-runs-differ"},
		{"a gain is larger", -0.2, []float64{0.3, 0.31, 0.3, 0.3, 0.3, 0.3}, nil, result.Faster, "long-runs-differ"},
		{"a loss is smaller", 0.6, []float64{1.1, 1.12, 1.1, 1.11, 1.1, 1.1}, nil, result.Slower, "long-runs-differ"},
		{"one of a smaller loss is none", 0.6, []float64{1.1, 1.12, 0.99, 1.11, 1.1, 1.1}, nil, result.Undecided, "long-runs-differ"},
		{"half agree", 0, []float64{1.39, 1.01, 1.38, 1}, nil, result.Same, ""},
		{"one agrees", 0, []float64{1.39, 1.01, 1.38, 1.41, 1.4, 1.39, 1.4, 1.4}, nil, result.Undecided, "long-runs-differ"},
		{"both signs", 0, []float64{1.1, 0.9, 1.2, 0.8, 1.1}, nil, result.Same, ""},
		{"other programs delay them", 0, []float64{1.39, 1.4, 1.38, 1.41, 1.4, 1.4}, delayed, result.Same, ""},
		{"delays are known", 0, []float64{1.39, 1.4, 1.38, 1.41, 1.4, 1.4}, func(s *result.Slice) { delayed(s); s.Followed = true }, result.Undecided, "long-runs-differ"},
		{"delayed on several CPUs", 0, []float64{1, 1, 1, 1, 1, 1}, func(s *result.Slice) { delayed(s); s.CPUs = 1.9 }, result.Undecided, "too-busy"},
		{"both levels are higher", 0, []float64{1, 1, 1, 1, 1, 1}, func(s *result.Slice) { s.Raw *= 1.2 }, result.Same, ""},
	} {
		rec := simulated(11, 13, test.effect, 0.003, 0.001, 5)
		withLong(rec, test.factors, test.edit)
		row := Compare(rec).Benchmarks[0]
		if row.Verdict != test.verdict || !strings.Contains(ids(row.Findings), test.finding) || (row.Gate == Open) != (test.verdict == result.Undecided) {
			t.Errorf("%s: %s, gate %s, %q", test.name, row.Verdict, row.Gate, ids(row.Findings))
		}
		if known := !math.IsNaN(row.Change.Ratio); known != (test.finding != "too-busy") {
			t.Errorf("%s: change %v", test.name, row.Change)
		}
		if l := row.LongRuns; l != nil && l.Contradict != (test.finding != "") {
			t.Errorf("%s: %+v", test.name, l)
		}
		rec.Benchmarks[0].Pilot = &result.Pilot{Whole: true}
		if row := Compare(rec).Benchmarks[0]; test.finding == "long-runs-differ" && row.Verdict == result.Undecided {
			t.Errorf("%s: long runs contradict slices that are long runs: %q", test.name, ids(row.Findings))
		}
	}
}

// TestQuietBlock: threads wait for each other in a quiet block, and for other
// programs in another one.
func TestQuietBlock(t *testing.T) {
	for _, test := range []struct {
		first, later float64
		verdict      result.Verdict
	}{{0.01, 0.4, result.Undecided}, {0.4, 0.01, result.Same}} {
		rec := simulated(11, 13, 0, 0.003, 0.001, 5)
		withLong(rec, []float64{1.39, 1.4, 1.38, 1.41, 1.4, 1.4}, func(s *result.Slice) { s.MaxDelay = 0.05 * s.Raw })
		for i := range rec.Benchmarks[0].Blocks {
			rec.Benchmarks[0].Blocks[i].Others = &test.later
		}
		rec.Benchmarks[0].Blocks[0].Others = &test.first
		if row := Compare(rec).Benchmarks[0]; row.Verdict != test.verdict {
			t.Errorf("others used %g, then %g: %s", test.first, test.later, row.Verdict)
		}
	}
}

// TestIntervalReachesLongRuns: an interval goes on to the nearest end of the one of
// enough long runs that differ (of six, the least or the greatest), as far as its
// verdict holds.
func TestIntervalReachesLongRuns(t *testing.T) {
	for _, test := range []struct {
		name    string
		effect  float64
		factors []float64
		lo, hi  float64 // of new/old, or 0 as without long runs
	}{
		{"few pairs", 0.3, []float64{1.2, 1.21, 1.2, 1.21, 1.2}, 0, 0},
		{"they agree", 0.3, []float64{1.3, 1.4, 1.32, 1.38, 1.33, 1.36}, 0, 0},
		{"less", 0.3, []float64{1.1, 1.3, 1.15, 1.3, 1.2, 1.3}, 1.3, 0},
		{"more", 0.3, []float64{1.4, 1.7, 1.45, 1.6, 1.5, 1.42}, 0, 1.4},
		{"another sign", 0.1, []float64{0.5, 1.12, 0.7, 0.9, 0.9, 0.98}, 0, 0},
		{"no change", 0.02, []float64{0.87, 0.99, 0.99, 0.98, 0.92, 0.97}, 1, 0},
	} {
		rec := simulated(11, 13, test.effect, 0.003, 0.001, 5)
		without := Compare(rec).Benchmarks[0]
		withLong(rec, test.factors, nil)
		row := Compare(rec).Benchmarks[0]
		lo, hi := cmp.Or(test.lo, without.Change.Lo), cmp.Or(test.hi, without.Change.Hi)
		if math.Abs(row.Change.Lo-lo) > 1e-3 || math.Abs(row.Change.Hi-hi) > 1e-3 || row.Change.Ratio != without.Change.Ratio {
			t.Errorf("%s: %v, want %.4f to %.4f", test.name, row.Change, lo, hi)
		}
		if row.Verdict != without.Verdict || row.Gate != without.Gate || *row.Joint != *without.Joint {
			t.Errorf("%s: %s, was %s", test.name, row.Verdict, without.Verdict)
		}
	}
}

// TestFewRounds: how much two rounds vary is not known. They vary as long runs do.
func TestFewRounds(t *testing.T) {
	for _, test := range []struct {
		name    string
		factors []float64
		verdict result.Verdict
	}{
		{"far apart", []float64{3, 3.1, 2.9, 3, 3.1, 3}, result.Undecided},
		{"noisy", []float64{1.1, 0.8, 1.5, 1.3, 1.2, 1.4}, result.Same},
	} {
		rec := simulated(11, 2, 0, 0.003, 0.001, 5)
		withLong(rec, test.factors, nil)
		b := rec.Benchmarks[0]
		b.Blocks = b.Blocks[:1]
		if _, _, contradicted := Contradiction(rec.Study, b); contradicted != (test.verdict == result.Undecided) {
			t.Errorf("%s: contradicted %v in the first block", test.name, contradicted)
		}
		if row := Compare(rec).Benchmarks[0]; row.Verdict != test.verdict {
			t.Errorf("%s: %s", test.name, row.Verdict)
		}
	}
}

// TestWitnessIgnoresSigns: exchanging the variants changes no decision of the
// witness, so that its choice of the slices adds nothing to an error rate.
func TestWitnessIgnoresSigns(t *testing.T) {
	for _, factor := range []float64{1.01, 1.03, 1.5} {
		rec := simulated(8, 13, 0, 0.003, 0.001, 5)
		withLong(rec, []float64{factor, factor, factor * 1.001, factor, factor, factor}, nil)
		b := rec.Benchmarks[0]
		back := turned(b, func(int) bool { return true })
		back.Blocks[0].Long = nil
		for _, r := range b.Blocks[0].Long {
			r.Slices = slices.Clone(r.Slices)
			slices.Reverse(r.Slices)
			back.Blocks[0].Long = append(back.Blocks[0].Long, r)
		}
		_, open, contradicted := Contradiction(rec.Study, b)
		if _, o, c := Contradiction(rec.Study, back); o != open || c != contradicted || contradicted != (factor > 1.02) {
			t.Errorf("a factor of %g: open %v, %v, with exchanged variants %v, %v", factor, open, contradicted, o, c)
		}
	}
}

// TestCPUTimeGoesAnotherWay: a row names the CPU time if enough long runs show that it
// goes another way than the time.
func TestCPUTimeGoesAnotherWay(t *testing.T) {
	six := func(f float64) []float64 { return []float64{f, f, f * 1.001, f, f, f * 0.999} }
	for _, test := range []struct {
		name         string
		effect, cpus float64 // of the time, and of the CPUs
		factors      []float64
		shown, open  bool
	}{
		{"half of the work on a second CPU", math.Log(0.72), 1.6, six(0.72), true, false},
		{"few runs", math.Log(0.72), 1.6, []float64{0.72}, false, true},
		{"a second CPU for nothing", 0, 1.3, six(1), true, false},
		{"less of it", 0, 0.7, six(1), true, false},
		{"one CPU", 0, 1.001, six(1), false, false},
		{"both fall", math.Log(0.72), 1.2, six(0.72), false, false},
		{"both rise", math.Log(1.3), 0.9, six(1.3), false, false},
		{"not known", math.Log(0.72), 0, six(0.72), false, false},
	} {
		rec := simulated(11, 13, test.effect, 0.003, 0.001, 5)
		withLong(rec, test.factors, nil)
		for _, r := range rec.Benchmarks[0].Blocks[0].Long {
			r.Slices[0].CPUTime, r.Slices[1].CPUTime = r.Slices[0].Raw, test.cpus*r.Slices[1].Raw
		}
		if _, open, _ := Contradiction(rec.Study, rec.Benchmarks[0]); open != test.open {
			t.Errorf("%s: open %v", test.name, open)
		}
		l := Compare(rec).Benchmarks[0].LongRuns
		if truth := math.Exp(test.effect) * test.cpus; l == nil || (l.CPU != nil) != test.shown || test.shown && (l.CPU.Lo > truth*1.01 || l.CPU.Hi < truth*0.99) {
			t.Errorf("%s: %+v, want %g", test.name, l, truth)
		}
	}
}
