package stats

import (
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

type twoSampleVector struct {
	Input struct {
		X, Y    []float64
		Misrate float64
	}
	Output json.RawMessage
	Error  *struct{ ID string } `json:"expected_error"`
}

func twoSampleVectors(t *testing.T, folder string, least int) map[string]twoSampleVector {
	t.Helper()
	files, err := filepath.Glob("testdata/pragmastat/" + folder + "/*.json")
	if err != nil || len(files) < least {
		t.Fatalf("%d vectors in %s, want at least %d (%v)", len(files), folder, least, err)
	}
	all := make(map[string]twoSampleVector)
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		var v twoSampleVector
		if err := json.Unmarshal(data, &v); err != nil {
			t.Fatalf("%s: %v", f, err)
		}
		all[filepath.Base(f)] = v
	}
	return all
}

func near(a, b float64) bool {
	return a == b || math.Abs(a-b) <= 1e-9*max(math.Abs(a), math.Abs(b), 1e-3)
}

func shift(x, y []float64) float64 { return new(RankSums).Shifts(x, y).Shift() }

func difference(x, y []float64, k int) float64 {
	return new(RankSums).Shifts(x, y).at(k)
}

func TestShiftVectors(t *testing.T) {
	for name, v := range twoSampleVectors(t, "shift", 60) {
		got := shift(v.Input.X, v.Input.Y)
		if v.Error != nil {
			if !math.IsNaN(got) {
				t.Errorf("%s: Shift = %v, want NaN", name, got)
			}
			continue
		}
		var want float64
		if err := json.Unmarshal(v.Output, &want); err != nil {
			t.Fatal(err)
		}
		if !near(got, want) {
			t.Errorf("%s: Shift = %v, want %v", name, got, want)
		}
	}
}

// The vectors take the order statistic one further in than their confidence
// allows. testdata/pragmastat/README.md describes how this was found.
func TestShiftBoundsVectors(t *testing.T) {
	var r RankSums
	for name, v := range twoSampleVectors(t, "shift-bounds", 59) {
		lo, hi, err := r.Shifts(v.Input.X, v.Input.Y).Bounds(v.Input.Misrate)
		if v.Error != nil {
			if !errors.Is(err, ErrTooFew) {
				t.Errorf("%s: error %v, want ErrTooFew", name, err)
			}
			continue
		}
		var want struct{ Lower, Upper float64 }
		if err := json.Unmarshal(v.Output, &want); err != nil {
			t.Fatal(err)
		}
		x, y := ascending(v.Input.X), ascending(v.Input.Y)
		pairs := len(x) * len(y)
		k := r.criticalU(len(x), len(y), v.Input.Misrate)
		if wantLo, wantHi := difference(x, y, min(k, (pairs+1)/2)-1), difference(x, y, pairs-min(k, (pairs+1)/2)); err != nil || lo != wantLo || hi != wantHi {
			t.Errorf("%s: [%v, %v], %v; want [%v, %v]", name, lo, hi, err, wantLo, wantHi)
		}
		lo, hi = difference(x, y, min(k, (pairs-1)/2)), difference(x, y, pairs-1-min(k, (pairs-1)/2))
		if !near(lo, want.Lower) || !near(hi, want.Upper) {
			t.Errorf("%s (%d, %d, %v): [%v, %v], %v; want [%v, %v]", name, len(v.Input.X), len(v.Input.Y), v.Input.Misrate, lo, hi, err, want.Lower, want.Upper)
		}
	}
}

// TestDifference compares the search with the sorted list of all differences.
func TestDifference(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		value := rapid.OneOf(rapid.Float64Range(-10, 10), rapid.Just(0.0), rapid.Float64Range(-1e-300, 1e-300), rapid.Float64Range(-1e300, 1e300))
		x := rapid.SliceOfN(value, 1, 15).Draw(t, "x")
		y := rapid.SliceOfN(value, 1, 15).Draw(t, "y")
		slices.Sort(x)
		slices.Sort(y)
		var all []float64
		for _, a := range x {
			for _, b := range y {
				all = append(all, a-b)
			}
		}
		slices.Sort(all)
		for k, want := range all {
			if got := difference(x, y, k); got != want {
				t.Fatalf("difference %d of %v and %v = %v, want %v", k, x, y, got, want)
			}
		}
	})
}

func TestDifferenceOfNegativeZero(t *testing.T) {
	if got := difference([]float64{0, math.Copysign(0, -1)}, []float64{0}, 0); got != 0 {
		t.Errorf("the least difference of zeros is %v", got)
	}
}

// TestDifferenceOfMany has so many pairs that they are counted first: ties,
// clusters, numbers of all sizes, infinite ones.
func TestDifferenceOfMany(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		value := rapid.OneOf(
			rapid.Float64Range(1, 2),
			rapid.Map(rapid.IntRange(0, rapid.IntRange(1, 40).Draw(t, "values")), func(i int) float64 { return float64(i) / 8 }),
			rapid.Float64Range(-1e300, 1e300),
			rapid.SampledFrom([]float64{0, 1, 1e-300, math.MaxFloat64, math.Inf(1), math.Inf(-1)}[:rapid.IntRange(1, 6).Draw(t, "odd")]),
		)
		x := rapid.SliceOfN(value, 1, 80).Draw(t, "x")
		y := rapid.SliceOfN(value, 1, 80).Draw(t, "y")
		slices.Sort(x)
		slices.Sort(y)
		var all []float64
		for _, a := range x {
			for _, b := range y {
				if math.IsNaN(a - b) { // two equal infinities have no difference
					t.Skip("no difference")
				}
				all = append(all, a-b)
			}
		}
		slices.Sort(all)
		for _, k := range []int{0, rapid.IntRange(0, len(all)-1).Draw(t, "k"), (len(all) - 1) / 2, len(all) / 2, len(all) - 1} {
			if got := difference(x, y, k); got != all[k] {
				t.Fatalf("difference %d of %d is %v, want %v", k, len(all), got, all[k])
			}
		}
	})
}

func TestShiftProperties(t *testing.T) {
	var r RankSums
	rapid.Check(t, func(t *rapid.T) {
		value := rapid.Float64Range(1, 2)
		x := rapid.SliceOfN(value, 4, 20).Draw(t, "x")
		y := rapid.SliceOfN(value, 4, 20).Draw(t, "y")
		if a, b := shift(x, y), shift(y, x); a != -b {
			t.Fatalf("Shift = %v, swapped %v", a, b)
		}
		lo, hi, err := r.Shifts(x, y).Bounds(0.05)
		lo2, hi2, err2 := r.Shifts(y, x).Bounds(0.05)
		if err != nil || err2 != nil || lo != -hi2 || hi != -lo2 {
			t.Fatalf("[%v, %v] %v, swapped [%v, %v] %v", lo, hi, err, lo2, hi2, err2)
		}
		if s := shift(x, y); !(lo <= s && s <= hi) {
			t.Fatalf("shift %v outside [%v, %v]", s, lo, hi)
		}
		// More confidence gives a wider interval.
		if wlo, whi, err := r.Shifts(x, y).Bounds(0.03); err == nil && (wlo > lo || whi < hi) {
			t.Fatalf("97%%: [%v, %v], 95%%: [%v, %v]", wlo, whi, lo, hi)
		}
		// The interval excludes 0 exactly if p ≤ misrate.
		if p := r.Test(x, y); !p.Ties && (p.P <= 0.05) != (lo > 0 || hi < 0) {
			t.Fatalf("p = %v with interval [%v, %v]", p.P, lo, hi)
		}
	})
}

func TestSmallestP(t *testing.T) {
	for _, c := range []struct {
		n, m int
		want float64
	}{{1, 1, 1}, {2, 2, 1.0 / 3}, {3, 3, 0.1}, {4, 4, 2.0 / 70}, {5, 5, 2.0 / 252}, {0, 3, 1}} {
		if got := SmallestP(c.n, c.m); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("SmallestP(%d, %d) = %v, want %v", c.n, c.m, got, c.want)
		}
	}
}

func BenchmarkShifts(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 2))
	const n = 100
	samples := make([][]float64, 64)
	for i := range samples {
		for range n {
			samples[i] = append(samples[i], math.Log(1000*math.Exp(0.02*rng.NormFloat64())))
		}
		slices.Sort(samples[i])
	}
	var r RankSums
	i := 0
	for b.Loop() {
		s := r.Shifts(samples[i%64], samples[(i*7+1)%64])
		i++
		s.Shift()
		for _, misrate := range []float64{0.05, 0.1} {
			if _, _, err := s.Bounds(misrate); err != nil {
				b.Fatal(err)
			}
		}
	}
}
