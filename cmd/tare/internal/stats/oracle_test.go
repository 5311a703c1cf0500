package stats

import (
	"encoding/json"
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// oracle is testdata/oracle.json, which oracle.py writes.
type oracle struct {
	Quantiles []struct {
		X, P, Q []float64
		MAD     float64
	}
	Intervals []struct {
		N      int
		P      float64
		Lo, Hi int
	}
	Adjust struct{ P, BH []float64 }
}

func readOracle(t *testing.T) oracle {
	t.Helper()
	data, err := os.ReadFile("testdata/oracle.json")
	if err != nil {
		t.Fatal(err)
	}
	var o oracle
	if err := json.Unmarshal(data, &o); err != nil {
		t.Fatal(err)
	}
	return o
}

func agrees(got, want, tolerance float64) bool {
	return got == want || math.Abs(got-want) <= tolerance*max(1, math.Abs(want))
}

func TestQuantileAgainstOracle(t *testing.T) {
	o := readOracle(t)
	for _, c := range o.Quantiles {
		before := slices.Clone(c.X)
		for i, p := range c.P {
			if got := Quantile(c.X, p); !agrees(got, c.Q[i], 1e-12) {
				t.Errorf("Quantile(%d values, %v) = %v, want %v", len(c.X), p, got, c.Q[i])
			}
		}
		if got := MAD(c.X); !agrees(got, c.MAD, 1e-12) {
			t.Errorf("MAD = %v, want %v", got, c.MAD)
		}
		if !slices.Equal(before, c.X) {
			t.Error("the input was changed")
		}
	}
	if v := Quantile(nil, 0.5); !math.IsNaN(v) {
		t.Errorf("Quantile of nothing = %v", v)
	}
	if v := Quantile([]float64{1, 2}, 1.5); !math.IsNaN(v) {
		t.Errorf("Quantile at 1.5 = %v", v)
	}
}

func TestAdjust(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct{ p, holm []float64 }{
		{[]float64{0.01, 0.04, 0.03, 0.005}, []float64{0.03, 0.06, 0.06, 0.02}},
		{[]float64{0.5, 0.6}, []float64{1, 1}},
		{[]float64{nan, 0.02, nan, 0.03}, []float64{nan, 0.04, nan, 0.04}},
		{nil, nil},
	} {
		got := Holm(c.p)
		for i := range got {
			if !(agrees(got[i], c.holm[i], 1e-15) || math.IsNaN(got[i]) && math.IsNaN(c.holm[i])) {
				t.Errorf("Holm(%v) = %v, want %v", c.p, got, c.holm)
				break
			}
		}
	}
}

// vector is one file of testdata/pragmastat.
type vector struct {
	Input struct {
		X       []float64
		Misrate float64
	}
	Output        json.RawMessage
	ExpectedError *struct{ ID string } `json:"expected_error"`
}

func eachVector(t *testing.T, folder string, check func(t *testing.T, v vector)) {
	files, err := filepath.Glob(filepath.Join("testdata/pragmastat", folder, "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no vectors in %s: %v %v", folder, err, fs.ErrNotExist)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var v vector
			if err := json.Unmarshal(data, &v); err != nil {
				t.Fatal(err)
			}
			check(t, v)
		})
	}
}

func TestCenterVectors(t *testing.T) {
	eachVector(t, "center", func(t *testing.T, v vector) {
		got := Center(v.Input.X)
		if v.ExpectedError != nil {
			if !math.IsNaN(got) {
				t.Errorf("got %v for an input that must be refused", got)
			}
			return
		}
		var want float64
		if err := json.Unmarshal(v.Output, &want); err != nil {
			t.Fatal(err)
		}
		if !agrees(got/max(1, math.Abs(want)), want/max(1, math.Abs(want)), 1e-9) {
			t.Errorf("got %v, want %v", got, want)
		}
	})
}

// The vectors take the order statistic one further in than their confidence
// allows. testdata/pragmastat/README.md describes how this was found.
func TestCenterBoundsVectors(t *testing.T) {
	eachVector(t, "center-bounds", func(t *testing.T, v vector) {
		lo, hi, err := CenterBounds(v.Input.X, v.Input.Misrate)
		if v.ExpectedError != nil {
			if err == nil {
				t.Errorf("got [%v, %v] for an input that must be refused", lo, hi)
			}
			return
		}
		var want struct{ Lower, Upper float64 }
		if err := json.Unmarshal(v.Output, &want); err != nil {
			t.Fatal(err)
		}
		n := len(v.Input.X)
		strict := 0 // the vectors' k
		for strict <= n*(n+1)/2 && atMost(n, strict) < v.Input.Misrate/2 {
			strict++
		}
		d := WalshAverages(v.Input.X)
		if !agrees(d[strict], want.Lower, 1e-9) || !agrees(d[len(d)-1-strict], want.Upper, 1e-9) {
			t.Errorf("D[%d] = [%v, %v], want [%v, %v]", strict, d[strict], d[len(d)-1-strict], want.Lower, want.Upper)
		}
		// Our interval has the confidence, and the next order statistic would
		// not.
		c := critical(n, v.Input.Misrate)
		if c < 0 {
			if !errors.Is(err, ErrTooFew) {
				t.Errorf("error %v, want ErrTooFew", err)
			}
			return
		}
		if err != nil || lo != d[c] || hi != d[len(d)-1-c] {
			t.Errorf("got [%v, %v], %v, want D[%d]", lo, hi, err, c)
		}
		if atMost(n, c) > v.Input.Misrate/2 || atMost(n, c+1) <= v.Input.Misrate/2 {
			t.Errorf("c = %d: P(W ≤ c) = %v for misrate %v", c, atMost(n, c), v.Input.Misrate)
		}
	})
}

// atMost is P(W ≤ w) for n values without ties, by counting subsets of 1 … n
// as polynomial coefficients in exact whole numbers (n ≤ 50).
func atMost(n, w int) float64 {
	counts := []uint64{1}
	for r := 1; r <= n; r++ {
		next := make([]uint64, len(counts)+r)
		for i, c := range counts {
			next[i] += c
			next[i+r] += c
		}
		counts = next
	}
	sum := uint64(0)
	for i, c := range counts {
		if i <= w {
			sum += c
		}
	}
	return float64(sum) / math.Ldexp(1, n)
}

func TestCenterBoundsRefuses(t *testing.T) {
	for _, c := range []struct {
		x       []float64
		misrate float64
	}{
		{[]float64{1, 2, 3}, 0.05},
		{[]float64{1, 2, math.NaN(), 4, 5, 6, 7}, 0.05},
		{[]float64{1, 2, math.Inf(1), 4, 5, 6, 7}, 0.05},
		{[]float64{1, 2, 3, 4, 5, 6, 7}, 0},
		{[]float64{1, 2, 3, 4, 5, 6, 7}, 1.5},
	} {
		if lo, hi, err := CenterBounds(c.x, c.misrate); err == nil {
			t.Errorf("CenterBounds(%v, %v) = [%v, %v], want an error", c.x, c.misrate, lo, hi)
		}
	}
}
