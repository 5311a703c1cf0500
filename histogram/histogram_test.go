package histogram

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// randomly tests a property on sets that grow from one value to hundreds. The
// seed identifies a failing case.
func randomly(t *testing.T, check func(t *testing.T, r *rand.Rand, size int)) {
	t.Helper()
	for seed := range uint64(100) {
		check(t, rand.New(rand.NewPCG(seed, 0)), 1+int(seed*seed/33))
		if t.Failed() {
			t.Fatalf("with seed %d", seed)
		}
	}
}

// anyValue draws from all of int64, most often near latencies and near the
// edges of buckets.
func anyValue(r *rand.Rand) int64 {
	switch r.IntN(4) {
	case 0:
		return r.Int64N(1001)
	case 1:
		return r.Int64N(int64(time.Hour) + 1)
	case 2:
		return 1<<r.IntN(63) + r.Int64N(5) - 2
	}
	return int64(r.Uint64())
}

func anyValues(r *rand.Rand, n int) []int64 {
	values := make([]int64, n)
	for i := range values {
		values[i] = anyValue(r)
	}
	return values
}

func anyOptions(r *rand.Rand) Options {
	return Options{
		Error: one(r, 0, 0.5, 0.1, 0.01),
		Max:   one(r, 0, 1, 255, 1000, int64(time.Second), highest),
	}
}

func one[T any](r *rand.Rand, of ...T) T { return of[r.IntN(len(of))] }

func TestBucketsMeetAndKeepTheirPromise(t *testing.T) {
	for _, relative := range []float64{0.5, 0.1, 0.01, 0.001} {
		h, err := Options{Error: relative, Max: 1 << 20}.New()
		if err != nil {
			t.Fatal(err)
		}
		next := int64(0)
		for i := range h.counts {
			lo, hi := h.edges(i)
			if lo > hi {
				continue // contains no whole number
			}
			if lo != next {
				t.Fatalf("error %v: bucket %d begins at %d, want %d", relative, i, lo, next)
			}
			if width := hi - lo; float64(width) > relative*float64(lo) {
				t.Fatalf("error %v: bucket %d to %d is too wide", relative, lo, hi)
			}
			for _, v := range []int64{lo, hi} {
				if got := h.index(v); got != uint64(i) {
					t.Fatalf("error %v: %d is counted in bucket %d, want %d", relative, v, got, i)
				}
			}
			next = hi + 1
		}
		if next <= 1<<20 {
			t.Errorf("error %v: buckets end at %d", relative, next)
		}
	}
}

func TestDefaultSize(t *testing.T) {
	if size := 8 * len(New().counts); size > 64<<10 {
		t.Errorf("%d bytes, want at most 64 KiB", size)
	}
}

func TestOptions(t *testing.T) {
	for _, o := range []Options{
		{Error: math.NaN()}, {Error: math.Inf(1)}, {Error: -0.01}, {Error: 0.6}, {Error: 1e-9},
		{Max: -1}, {Max: highest + 1},
	} {
		if _, err := o.New(); err == nil {
			t.Errorf("%+v made a histogram", o)
		}
		if _, err := o.NewSharded(); err == nil {
			t.Errorf("%+v made a sharded histogram", o)
		}
	}
}

// Every result of a histogram is compared with the sorted values.
func TestAgainstSortedValues(t *testing.T) {
	randomly(t, func(t *testing.T, r *rand.Rand, size int) {
		o := anyOptions(r)
		values := anyValues(r, size)
		h, err := o.New()
		if err != nil {
			t.Fatal(err)
		}
		// Half are recorded one by one, half in bulk.
		for _, v := range values[:len(values)/2] {
			h.Record(v)
		}
		h.RecordAll(values[len(values)/2:])

		sum := new(big.Int)
		for _, v := range values {
			sum.Add(sum, big.NewInt(v))
		}
		exact, _ := new(big.Float).SetInt(sum).Float64()
		want := exact / float64(len(values))
		if got := h.Mean(); math.Abs(got-want) > 1e-12*math.Abs(want) {
			t.Errorf("mean %v, want %v", got, want)
		}
		slices.Sort(values)
		n := len(values)
		if h.Count() != int64(n) || h.Min() != values[0] || h.Max() != values[n-1] {
			t.Errorf("n, min, max = %d, %d, %d, want %d, %d, %d", h.Count(), h.Min(), h.Max(), n, values[0], values[n-1])
		}
		_, top := h.edges(len(h.counts) - 1)
		for _, q := range []float64{0.001, 0.01, 0.1, 0.5, 0.9, 0.99, 0.999} {
			got := h.Quantile(q)
			if float64(n)*min(q, 1-q) < 1-1e-6 {
				if !math.IsNaN(got.Value) || got.Needs <= int64(n) {
					t.Errorf("%v of %d values is %+v, want words", q, n, got)
				}
				continue
			}
			rank := max(1, int(math.Ceil(q*float64(n)-1e-9)))
			want := values[rank-1]
			if want < 0 || want > top {
				if !got.Tail {
					t.Errorf("%v is %d, in a tail, and not marked: %+v", q, want, got)
				}
				continue
			}
			if math.Abs(got.Value-float64(want)) > 0.5*h.relative()*float64(want) {
				t.Errorf("%v is %v, want %d within half a bucket", q, got.Value, want)
			}
			if got.Lo > float64(want) || got.Hi < float64(want) {
				t.Errorf("%v: interval %v to %v misses the sample's own quantile %d", q, got.Lo, got.Hi, want)
			}
		}
		counted := int64(0)
		for _, b := range h.buckets() {
			counted += b.count
		}
		if counted != int64(n) {
			t.Errorf("buckets contain %d of %d values", counted, n)
		}
	})
}

func (h *Histogram) relative() float64 { return math.Ldexp(1, -int(h.precision)) }

// RecordMany is the same as n calls of Record.
func TestRecordMany(t *testing.T) {
	randomly(t, func(t *testing.T, r *rand.Rand, size int) {
		many, single := New(), New()
		v, n := anyValue(r), r.Int64N(52)-1
		many.RecordMany(v, n)
		for range n {
			single.Record(v)
		}
		if !slices.Equal(many.buckets(), single.buckets()) || many.Count() != single.Count() || many.Min() != single.Min() || many.Max() != single.Max() {
			t.Errorf("%v, want %v", many.buckets(), single.buckets())
		}
		if a, b := many.Mean(), single.Mean(); a != b && n > 0 {
			t.Errorf("mean %v, want %v", a, b)
		}
	})
}

// Merged parts equal the whole, for all parts.
func TestMergeIsRecordingTogether(t *testing.T) {
	randomly(t, func(t *testing.T, r *rand.Rand, size int) {
		o := anyOptions(r)
		whole, _ := o.New()
		merged, _ := o.New()
		for range r.IntN(5) {
			part, _ := o.New()
			for _, v := range anyValues(r, r.IntN(size)) {
				whole.Record(v)
				part.Record(v)
			}
			if err := merged.Merge(part); err != nil {
				t.Fatal(err)
			}
		}
		if !slices.Equal(whole.buckets(), merged.buckets()) {
			t.Errorf("buckets differ: %v, %v", whole.buckets(), merged.buckets())
		}
		if a, b := whole.Mean(), merged.Mean(); a != b && !(math.IsNaN(a) && math.IsNaN(b)) {
			t.Errorf("means differ: %v, %v", a, b)
		}
		if whole.Min() != merged.Min() || whole.Max() != merged.Max() {
			t.Errorf("extremes differ")
		}
	})
}

func TestMergeOfOtherSizeFails(t *testing.T) {
	other, err := Options{Error: 0.1}.New()
	if err != nil {
		t.Fatal(err)
	}
	if New().Merge(other) == nil {
		t.Error("merged")
	}
}

// A sum beyond 64 bits, by many values in the range and by one outside.
func TestMeanDoesNotOverflow(t *testing.T) {
	h, err := Options{Max: highest}.New()
	if err != nil {
		t.Fatal(err)
	}
	for range 10_000 {
		h.Record(highest)
	}
	if got := h.Mean(); got != highest {
		t.Errorf("mean of equal values %v, want %v", got, int64(highest))
	}
	for range 3 {
		h.Record(math.MaxInt64)
	}
	want := (10_000*float64(highest) + 3*float64(math.MaxInt64)) / 10_003
	if got := h.Mean(); math.Abs(got/want-1) > 1e-12 {
		t.Errorf("mean %v, want %v", got, want)
	}
}

func TestShardedLosesNothing(t *testing.T) {
	s, err := Options{}.NewSharded()
	if err != nil {
		t.Fatal(err)
	}
	const writers, each = 8, 3000
	var wg sync.WaitGroup
	for w := range writers {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for i := range each {
				s.Record(int64(w*each + i))
				if i%1000 == 0 {
					s.Merged() // while others write
				}
			}
		}()
	}
	wg.Wait()
	h := s.Merged()
	const n = writers * each
	if h.Count() != n || h.Min() != 0 || h.Max() != n-1 || h.Mean() != (n-1)/2. {
		t.Errorf("n %d min %d max %d mean %v", h.Count(), h.Min(), h.Max(), h.Mean())
	}
}

func TestRecordDoesNotAllocate(t *testing.T) {
	h, v := New(), int64(0)
	s, err := Options{}.NewSharded()
	if err != nil {
		t.Fatal(err)
	}
	s.Record(1)
	if n := testing.AllocsPerRun(1000, func() { v += 997; h.Record(v); h.RecordAll([]int64{v, -v}) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// The interval's ranks are compared with sums of binomial terms in exact
// arithmetic.
func TestIntervalRanks(t *testing.T) {
	for _, q := range []string{"1/2", "9/10", "99/100", "1/4"} {
		for _, n := range []int64{1, 2, 5, 6, 10, 50, 100, 299} {
			ratio, _ := new(big.Rat).SetString(q)
			float, _ := ratio.Float64()
			lo, hi := interval(n, float)
			wantLo, wantHi := exactRanks(n, ratio)
			if lo != wantLo || hi != wantHi {
				t.Errorf("interval(%d, %s) = %d, %d, want %d, %d", n, q, lo, hi, wantLo, wantHi)
			}
		}
	}
	// A hand-checked row of every table of order statistics: the median of six
	// values is between the least and the greatest in 96.9 of 100 cases.
	if lo, hi := interval(6, 0.5); lo != 1 || hi != 6 {
		t.Errorf("median of 6: ranks %d, %d, want 1, 6", lo, hi)
	}
}

func exactRanks(n int64, q *big.Rat) (lo, hi int64) {
	tail := big.NewRat(25, 1000)
	p := new(big.Rat).Sub(big.NewRat(1, 1), q)
	below := new(big.Rat) // P(B < k)
	hi = n + 1
	for k := int64(0); k <= n; k++ {
		if below.Cmp(tail) <= 0 {
			lo = k
		}
		term := new(big.Rat).SetInt(new(big.Int).Binomial(n, k))
		for range k {
			term.Mul(term, q)
		}
		for range n - k {
			term.Mul(term, p)
		}
		below.Add(below, term)
		if hi == n+1 && new(big.Rat).Sub(big.NewRat(1, 1), below).Cmp(tail) <= 0 {
			hi = k + 1
		}
	}
	return lo, hi
}

// In 1 to 10, the ninth is p90 (hrtime 1.0.4 returns the maximum).
func TestQuantileDefinition(t *testing.T) {
	h := New()
	for v := range int64(10) {
		h.Record(v + 1)
	}
	for q, want := range map[float64]float64{0: 1, 0.1: 1, 0.11: 2, 0.5: 5, 0.51: 6, 0.9: 9, 1: 10} {
		if got := h.Quantile(q).Value; got != want {
			t.Errorf("quantile %v = %v, want %v", q, got, want)
		}
	}
	for _, q := range []float64{math.NaN(), -0.1, 1.1, math.Inf(1)} {
		if got := h.Quantile(q).Value; !math.IsNaN(got) {
			t.Errorf("quantile %v = %v, want NaN", q, got)
		}
	}
}

func TestQuantileSaysWhatItNeeds(t *testing.T) {
	h := New()
	for range 100 {
		h.Record(5)
	}
	for q, needs := range map[float64]int64{0.5: 0, 0.99: 0, 0.999: 1000, 0.9999: 10_000, 0.001: 1000} {
		a := h.Quantile(q)
		if a.Needs != needs {
			t.Errorf("%s needs %d, want %d", a.Name(), a.Needs, needs)
		}
	}
	// The maximum count, if even more would be needed.
	if a := h.Quantile(1e-300); a.Needs != math.MaxInt64 || !math.IsNaN(a.Value) {
		t.Errorf("quantile 1e-300: %+v", a)
	}
	if got, want := h.Quantile(0.999).String(), "p99.9 needs 1,000 values, there are 100"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if a := New().Quantile(1); !math.IsNaN(a.Value) || a.Needs != 1 {
		t.Errorf("maximum of nothing: %+v", a)
	}
}

// hrtime 1.0.4 draws -2562047h47m16s for equal values, and panics without any.
func TestTextOfOddSets(t *testing.T) {
	for name, values := range map[string][]int64{
		"none": nil, "one": {7}, "zero": {0}, "equal": {100, 100, 100}, "negative": {-5, -5, 3},
		"above": {5, int64(2 * time.Hour)}, "all above": {math.MaxInt64, math.MaxInt64},
		"all below": {math.MinInt64, -1},
	} {
		t.Run(name, func(t *testing.T) {
			h := New()
			h.RecordAll(values)
			text := h.View(0, 1).String()
			if strings.Contains(text, "NaN") || strings.Contains(text, "Inf") || strings.Contains(text, "2562047h") {
				t.Errorf("drawn as\n%s", text)
			}
			sum := int64(0)
			for _, b := range h.View(0, 1).Bins(10, 0) {
				sum += b.Count
			}
			if sum != int64(len(values)) {
				t.Errorf("bins contain %d of %d values", sum, len(values))
			}
		})
	}
}

// Values outside the range are shown in the unit of the view.
func TestTextOfTailsHasAUnit(t *testing.T) {
	h := New()
	h.RecordAll([]int64{-700, 500, int64(8 * time.Hour)})
	text := h.View(100, 0.5).String() // in half nanoseconds
	for _, want := range []string{"the least -400 ns", "the greatest 14400 s"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
}

func TestBins(t *testing.T) {
	randomly(t, func(t *testing.T, r *rand.Rand, size int) {
		h := New()
		values := make([]int64, size)
		for i := range values {
			values[i] = one(r, r.Int64N(101), r.Int64N(1e10)-10)
		}
		h.RecordAll(values)
		n := 1 + r.IntN(30)
		least := one(r, 0, 0.5, 10)
		v := h.View(50*r.Float64(), 0.01+10*r.Float64())
		bins := v.Bins(n, least)
		sum := int64(0)
		for i, b := range bins {
			if b.Count < 0 || i > 0 && math.Abs(b.Lo-bins[i-1].Hi) > 1e-9*math.Abs(b.Lo) {
				t.Fatalf("bin %d: %+v after %+v", i, b, bins[max(0, i-1)])
			}
			if !b.Tail && b.Hi-b.Lo < least*(1-1e-9) {
				t.Errorf("bin %+v is narrower than %v", b, least)
			}
			if b.Tail && i != len(bins)-1 {
				t.Errorf("bin %d of %d is a tail", i, len(bins))
			}
			sum += b.Count
		}
		if sum != h.Count() {
			t.Errorf("bins contain %d of %d", sum, h.Count())
		}
		if len(bins) > n+3 {
			t.Errorf("%d bins, want about %d", len(bins), n)
		}
	})
}

// Whole buckets narrower than a bin are never split, so small values are binned
// exactly.
func TestBinsOfSmallValuesAreExact(t *testing.T) {
	h := New()
	for v := range int64(100) {
		h.Record(v)
	}
	for _, b := range h.View(0, 1).Bins(10, 0) {
		if b.Count != 10 || b.Tail {
			t.Errorf("bin %+v, want 10 values", b)
		}
	}
}

// Record owes half of its speed to being inlined.
func TestRecordIsInlined(t *testing.T) {
	printed, err := exec.Command("go", "build", "-gcflags=-m", ".").CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, printed)
	}
	if !strings.Contains(string(printed), "can inline (*Histogram).Record\n") {
		t.Error("the compiler does not inline Record: see go build -gcflags=-m=2 for its cost")
	}
}

func BenchmarkRecord(b *testing.B) {
	h := New()
	for i := range b.N {
		h.Record(int64(i & 1023))
	}
}

func BenchmarkRecordAll(b *testing.B) {
	h := New()
	values := make([]int64, 512)
	for i := range values {
		values[i] = int64(i)
	}
	for range (b.N + 511) / 512 {
		h.RecordAll(values)
	}
}

func BenchmarkShardedRecord(b *testing.B) {
	s, err := Options{}.NewSharded()
	if err != nil {
		b.Fatal(err)
	}
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			s.Record(100)
		}
	})
}

// If the sum of the binomial terms would be long, an expansion replaces it. It
// is never narrower than the exact ranks, and at most two ranks wider.
func TestExpandedIntervalIsSafe(t *testing.T) {
	for _, q := range []float64{0.5, 0.9, 0.99, 0.999, 0.9999, 0.01, 0.25} {
		for _, n := range []int64{600, 1_500, 15_000, 150_000, 1_500_000, 4_000_000} {
			if math.Sqrt(float64(n)*q*(1-q)) <= 12 {
				continue
			}
			lo, hi := interval(n, q)
			wantLo, wantHi := exactInterval(n, q)
			if lo > wantLo || lo < wantLo-2 || hi < wantHi || hi > wantHi+2 {
				t.Errorf("interval(%d, %v) = %d, %d, exactly %d, %d", n, q, lo, hi, wantLo, wantHi)
			}
		}
	}
}

// No value makes a histogram panic, and none is lost from the count.
func TestCountsDoNotOverflow(t *testing.T) {
	h := New()
	for range 3 {
		h.RecordMany(5, math.MaxInt64)
		h.RecordMany(math.MaxInt64, math.MaxInt64)
		h.RecordMany(math.MinInt64, math.MaxInt64)
	}
	if n := h.Count(); n != math.MaxInt64 {
		t.Errorf("%d values", n)
	}
	if q := h.Quantile(0.5); q.Value != 5 {
		t.Errorf("p50 %v", q)
	}
	other := New()
	other.Record(1)
	if err := h.Merge(other); err == nil || h.Count() != math.MaxInt64 {
		t.Errorf("merged beyond the greatest count: %v, %d values", err, h.Count())
	}
	if h.View(0, 1).String() == "" || len(h.buckets()) != 1 {
		t.Errorf("buckets %v", h.buckets())
	}
}

// Histograms that were not made with New have no values.
func TestZeroValues(t *testing.T) {
	var v View
	if v.Count() != 0 || !math.IsNaN(v.Min()) || !math.IsNaN(v.Max()) || !math.IsNaN(v.Mean()) || !math.IsNaN(v.Quantile(0.5).Value) || v.Bins(10, 0) != nil || v.Quantile(0.99).Needs != 100 {
		t.Errorf("the zero view has values: %v", v)
	}
	if got := v.String(); got != "no values\n" {
		t.Errorf("%q", got)
	}
	var h *Histogram
	if h.Count() != 0 || h.buckets() != nil || !math.IsNaN(h.Mean()) {
		t.Error("a nil histogram has values")
	}
}

// Writers continue while intervals are taken. Every value is in exactly one
// interval, and all are in Merged.
func TestIntervalsLoseNothing(t *testing.T) {
	s, err := Options{}.NewSharded()
	if err != nil {
		t.Fatal(err)
	}
	const writers, each = 4, 20_000
	var writing sync.WaitGroup
	for w := range writers {
		writing.Add(1)
		go func() {
			defer writing.Done()
			for i := range int64(each) {
				if w == 0 {
					s.RecordMany(i, 1)
				} else {
					s.Record(i)
				}
			}
		}()
	}
	done := make(chan struct{})
	go func() { writing.Wait(); close(done) }()
	counted, sum := int64(0), 0.0
	take := func() {
		if h := s.Interval(); h.Count() > 0 {
			counted += h.Count()
			sum += h.Mean() * float64(h.Count())
		}
	}
	for running := true; running; take() {
		select {
		case <-done:
			running = false
		default:
			runtime.Gosched()
		}
	}
	if counted != writers*each || s.Count() != counted || s.Merged().Count() != counted {
		t.Errorf("%d values in intervals, %d in all, %d merged, want %d", counted, s.Count(), s.Merged().Count(), writers*each)
	}
	if want := float64(writers) * each * (each - 1) / 2; math.Abs(sum/want-1) > 1e-9 {
		t.Errorf("sum %v, want %v", sum, want)
	}
	if h := s.Interval(); h.Count() != 0 {
		t.Errorf("%d values in an interval without any", h.Count())
	}
	s.Record(7)
	s.Reset()
	if s.Count() != 0 || s.Merged().Count() != 0 || s.Interval().Count() != 0 {
		t.Error("values after Reset")
	}
}

func BenchmarkQuantile(b *testing.B) {
	for _, n := range []int{1000, 5_000_000} {
		h := New()
		for i := range n {
			h.Record(int64(100 + i*i%1_000_003))
		}
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			for b.Loop() {
				h.Quantile(0.99)
			}
		})
	}
}

func BenchmarkRecordFine(b *testing.B) {
	h, _ := Options{Error: 0.001}.New()
	for i := range b.N {
		h.Record(int64(i & 1023))
	}
}

// The zero values have the default size.
func TestZeroValuesAreReady(t *testing.T) {
	want := New()
	want.Record(-5)
	want.RecordMany(300, 7)
	want.RecordAll([]int64{1, 2, math.MaxInt64})
	records := map[string]func(h *Histogram){
		"Record":     func(h *Histogram) { h.Record(-5); h.RecordMany(300, 7); h.RecordAll([]int64{1, 2, math.MaxInt64}) },
		"RecordMany": func(h *Histogram) { h.RecordMany(300, 7); h.RecordAll([]int64{1, 2, math.MaxInt64}); h.Record(-5) },
		"RecordAll":  func(h *Histogram) { h.RecordAll([]int64{1, 2, math.MaxInt64}); h.RecordMany(300, 7); h.Record(-5) },
		"Merge":      func(h *Histogram) { _ = h.Merge(want) },
		"Reset":      func(h *Histogram) { h.Reset(); _ = h.Merge(want); _ = h.Merge(nil); _ = h.Merge(new(Histogram)) },
	}
	for name, record := range records {
		var h Histogram
		record(&h)
		if !slices.Equal(h.buckets(), want.buckets()) || h.Mean() != want.Mean() || h.Min() != -5 {
			t.Errorf("first %s: %v, want %v", name, h.buckets(), want.buckets())
		}
	}
	fine, err := Options{Error: 0.001, Max: 1000}.New()
	if err != nil {
		t.Fatal(err)
	}
	fine.Record(500)
	var h Histogram
	if err := h.Merge(fine); err != nil || !slices.Equal(h.buckets(), fine.buckets()) {
		t.Errorf("a zero histogram does not take the size of a merged histogram: %v, %v", h.buckets(), err)
	}
	var s Sharded
	var wg sync.WaitGroup
	for range 8 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for range 1000 {
				s.Record(3)
			}
		}()
	}
	wg.Wait()
	if n := s.Interval().Count(); n != 8000 || s.Count() != 8000 {
		t.Errorf("%d of 8000 values in the interval, %d in all", n, s.Count())
	}
}
