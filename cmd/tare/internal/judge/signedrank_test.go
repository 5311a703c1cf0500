package judge

import (
	"encoding/json"
	"math"
	"os"
	"slices"
	"testing"

	"github.com/tarebench/tare/cmd/tare/internal/stats"
	"pgregory.net/rapid"
)

// The oracle is that of package stats: oracle.py next to it writes it.
const oracleFile = "../stats/testdata/oracle.json"

func agrees(got, want, tolerance float64) bool {
	return got == want || math.Abs(got-want) <= tolerance*max(1, math.Abs(want))
}

// signedRank is the p-value of a sample, with the sums of the ranks of its positive
// and negative values.
type signedRank struct{ Plus, Minus, P float64 }

func signedRankTest(x []float64) signedRank {
	s := signedRank{P: SignedRankP(x)}
	for i, r := range prattRanks(x) {
		if x[i] > 0 {
			s.Plus += float64(r) / 2
		} else {
			s.Minus += float64(r) / 2
		}
	}
	return s
}

func TestSignedRankAgainstOracle(t *testing.T) {
	data, err := os.ReadFile(oracleFile)
	if err != nil {
		t.Fatal(err)
	}
	var o struct {
		SignedRank []struct {
			Kind           string
			X              []float64
			P, Plus, Minus float64
		}
	}
	if err := json.Unmarshal(data, &o); err != nil {
		t.Fatal(err)
	}
	if len(o.SignedRank) == 0 {
		t.Fatal("the oracle has no signed ranks")
	}
	for i, c := range o.SignedRank {
		before := slices.Clone(c.X)
		got := signedRankTest(c.X)
		if !agrees(got.P, c.P, 1e-12) {
			t.Errorf("case %d (%s, n = %d): p = %.17g, want %.17g", i, c.Kind, len(c.X), got.P, c.P)
		}
		if c.Kind == "count" && (got.Plus != c.Plus || got.Minus != c.Minus) {
			t.Errorf("case %d: rank sums %v, %v, want %v, %v", i, got.Plus, got.Minus, c.Plus, c.Minus)
		}
		if !slices.Equal(before, c.X) {
			t.Errorf("case %d: the input was changed", i)
		}
	}
}

// Every sign pattern of few values with ties and zeros, by enumeration of
// rank sums in floating point.
func TestSignedRankByEnumeration(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 11).Draw(t, "n")
		x := make([]float64, n)
		for i := range x {
			x[i] = float64(rapid.IntRange(-4, 4).Draw(t, "x"))
		}
		ranks := make([]float64, n)
		nonzero := 0
		plus, minus := 0.0, 0.0
		for i, v := range x {
			for _, u := range x {
				switch {
				case math.Abs(u) < math.Abs(v):
					ranks[i]++
				case math.Abs(u) == math.Abs(v):
					ranks[i] += 0.5
				}
			}
			ranks[i] += 0.5
			switch {
			case v == 0:
				ranks[i] = 0
			case v > 0:
				plus += ranks[i]
			default:
				minus += ranks[i]
			}
			if v != 0 {
				nonzero++
			}
		}
		atMost := 0
		for pattern := range 1 << n {
			w := 0.0
			for i, r := range ranks {
				if pattern>>i&1 == 1 {
					w += r
				}
			}
			if w <= min(plus, minus) {
				atMost++
			}
		}
		want := min(1, 2*float64(atMost)/float64(int(1)<<n))
		got := signedRankTest(x)
		if !agrees(got.P, want, 1e-13) || got.Plus != plus || got.Minus != minus {
			t.Fatalf("%v: got %+v, want p %v, %v, %v", x, got, want, plus, minus)
		}
	})
}

// The number of averages above θ is the signed-rank statistic of d − θ: this
// makes the interval and the test one thing.
func TestAveragesCountRanks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 12).Draw(t, "n")
		d, z := make([]float64, n), make([]float64, n)
		theta := rapid.Float64Range(-1, 1).Draw(t, "theta")
		for i := range d {
			d[i] = rapid.Float64Range(-2, 2).Draw(t, "d")
			z[i] = d[i] - theta
		}
		above, atTie := 0, false
		for _, m := range stats.WalshAverages(d) {
			if m > theta {
				above++
			}
			atTie = atTie || math.Abs(m-theta) < 1e-9
		}
		if got := signedRankTest(z); !atTie && got.Plus != float64(above) {
			t.Fatalf("%d averages above %v, W⁺ = %v", above, theta, got.Plus)
		}
		if c := (Look{Center: d}).Median(); !(slices.Min(d) <= c && c <= slices.Max(d)) {
			t.Fatalf("center %v of %v", c, d)
		}
	})
}
