package stats

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

func TestMannKendallAgainstScipy(t *testing.T) {
	data, err := os.ReadFile("testdata/kendall_scipy.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct {
		X   []float64
		Tau float64
	}
	if err := json.Unmarshal(data, &cases); err != nil {
		t.Fatal(err)
	}
	if len(cases) < 10 {
		t.Fatalf("%d cases", len(cases))
	}
	for i, c := range cases {
		if got := MannKendall(c.X).Tau; math.Abs(got-c.Tau) > 1e-12 {
			t.Errorf("case %d: tau = %v, scipy has %v", i, got, c.Tau)
		}
	}
}

// TestRunOrder compares the sort and its results with the definitions.
func TestRunOrder(t *testing.T) {
	var r RunOrder
	rapid.Check(t, func(t *rapid.T) {
		most := rapid.SampledFrom([]int{3, 9, 1000}).Draw(t, "most")
		x := rapid.SliceOfN(rapid.Map(rapid.IntRange(0, most), func(i int) float64 { return float64(i) }), 0, 70).Draw(t, "x")
		wantTrend, wantSerial := MannKendall(x), SerialCorrelation(x)
		sorted := slices.Clone(x)
		trend, serial := r.Sort(sorted)
		if d := cmp.Diff([]any{wantTrend, wantSerial}, []any{trend, serial}, cmpopts.EquateNaNs()); d != "" {
			t.Fatalf("of %v, apart and together: %s", x, d)
		}
		if want := slices.Sorted(slices.Values(x)); !slices.Equal(sorted, want) {
			t.Fatalf("sorted: %v, want %v", sorted, want)
		}
		if len(x) < leastForTrend {
			return
		}
		inversions := 0
		for i := range x {
			for j := i + 1; j < len(x); j++ {
				if x[i] > x[j] {
					inversions++
				}
			}
		}
		if r.inversions != inversions {
			t.Fatalf("%v inversions in %v, want %v", r.inversions, x, inversions)
		}
		third := len(x) / 3
		if want := Median(x[len(x)-third:]) - Median(x[:third]); trend.Change != want {
			t.Fatalf("%v changes by %v, want %v", x, trend.Change, want)
		}
	})
}

// TestDriftRates counts false and true alarms of both tests over samples of 20,
// with a fixed seed.
func TestDriftRates(t *testing.T) {
	const runs = 4000
	rng := rand.New(rand.NewPCG(1, 2))
	alarms := func(shape func(i int, noise float64, last float64) float64) (trend, serial float64) {
		for range runs {
			x := make([]float64, 20)
			last := 0.0
			for i := range x {
				x[i] = shape(i, rng.NormFloat64(), last)
				last = x[i]
			}
			if MannKendall(x).P < 0.05 {
				trend++
			}
			if SerialCorrelation(x).P < 0.05 {
				serial++
			}
		}
		return trend / runs, serial / runs
	}
	trend, serial := alarms(func(_ int, noise, _ float64) float64 { return noise })
	if trend > 0.062 || serial > 0.065 || trend < 0.03 || serial < 0.03 {
		t.Errorf("independent values: alarms %v and %v, want about 0.05", trend, serial)
	}
	if trend, _ := alarms(func(i int, noise, _ float64) float64 { return noise + float64(i)/8 }); trend < 0.8 {
		t.Errorf("a drift of 2.4 deviations is seen in %v", trend)
	}
	if _, serial := alarms(func(_ int, noise, last float64) float64 { return 0.7*last + noise }); serial < 0.7 {
		t.Errorf("an autocorrelation of 0.7 is seen in %v", serial)
	}
}

func TestDriftEdges(t *testing.T) {
	if p := MannKendall([]float64{1, 2, 3}).P; !math.IsNaN(p) {
		t.Errorf("p of three values = %v, want NaN", p)
	}
	same := slices.Repeat([]float64{7}, 12)
	if tr, s := MannKendall(same), SerialCorrelation(same); tr.P != 1 || tr.Change != 0 || s.P != 1 {
		t.Errorf("constant: %+v %+v, want p = 1", tr, s)
	}
	up := []float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}
	if tr := MannKendall(up); tr.Tau != 1 || tr.Change != 8 || tr.P > 1e-4 {
		t.Errorf("rising: %+v", tr)
	}
}
