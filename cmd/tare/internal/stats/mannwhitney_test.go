package stats

import (
	"encoding/json"
	"math"
	"math/bits"
	"os"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/tarebench/tare/cmd/tare/internal/lab"
)

// bruteP deals the pooled values in every possible way.
func bruteP(x, y []float64) float64 {
	pool := slices.Concat(x, y)
	n := len(x)
	pairs := make([][]int, len(pool)) // twice the score of i against j
	for i, a := range pool {
		pairs[i] = make([]int, len(pool))
		for j, b := range pool {
			switch {
			case a > b:
				pairs[i][j] = 2
			case a == b:
				pairs[i][j] = 1
			}
		}
	}
	deviation := func(mask uint) int {
		u := 0
		for i := range pool {
			if mask>>i&1 == 0 {
				continue
			}
			for j := range pool {
				if mask>>j&1 == 0 {
					u += pairs[i][j]
				}
			}
		}
		d := u - n*len(y)
		return max(d, -d)
	}
	observed := deviation(1<<n - 1)
	extreme, all := 0, 0
	for mask := uint(0); mask < 1<<len(pool); mask++ {
		if bits.OnesCount(mask) != n {
			continue
		}
		all++
		if deviation(mask) >= observed {
			extreme++
		}
	}
	return float64(extreme) / float64(all)
}

// multisets lists all samples of n values out of 1, 2, 3.
func multisets(n int) [][]float64 {
	var all [][]float64
	for a := 0; a <= n; a++ {
		for b := 0; a+b <= n; b++ {
			s := slices.Repeat([]float64{1}, a)
			s = append(s, slices.Repeat([]float64{2}, b)...)
			s = append(s, slices.Repeat([]float64{3}, n-a-b)...)
			all = append(all, s)
		}
	}
	return all
}

// TestMannWhitneyAgainstEnumeration covers every case of n, m ≤ 7 over three
// values. The larger ones need the tag lab.
func TestMannWhitneyAgainstEnumeration(t *testing.T) {
	most := 12
	if lab.Long {
		most = 14
	} else if raceDetector {
		most = 10 // the race detector runs the same code ten times slower
	} else {
		t.Log("n + m > 12 is left out; -tags lab enumerates it too")
	}
	var r RankSums
	cases := 0
	for n := 1; n <= 7; n++ {
		for m := 1; m <= 7 && n+m <= most; m++ {
			for _, x := range multisets(n) {
				for _, y := range multisets(m) {
					got, want := r.Test(x, y), bruteP(x, y)
					if math.Abs(got.P-want) > 1e-12 || !got.Exact {
						t.Fatalf("MannWhitney(%v, %v) = %+v, enumeration gives p = %v", x, y, got, want)
					}
					cases++
				}
			}
		}
	}
	t.Logf("%d cases", cases)
}

// TestMannWhitneyCollections draws more values, so that the groups differ.
func TestMannWhitneyCollections(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		value := rapid.Map(rapid.IntRange(1, rapid.IntRange(1, 9).Draw(t, "values")), func(i int) float64 { return float64(i) })
		x := rapid.SliceOfN(value, 1, 6).Draw(t, "x")
		y := rapid.SliceOfN(value, 1, 6).Draw(t, "y")
		if got, want := MannWhitney(x, y).P, bruteP(x, y); math.Abs(got-want) > 1e-12 {
			t.Fatalf("p = %v, enumeration gives %v", got, want)
		}
	})
}

func TestMannWhitneyBenchstatFault(t *testing.T) {
	a, b := []float64{1, 2}, []float64{1, 1, 1, 1, 1, 1}
	for _, p := range []float64{MannWhitney(a, b).P, MannWhitney(b, a).P} {
		if p != 0.25 {
			t.Errorf("p of {1,2} against six 1s = %v, want 0.25: the 2 falls to the pair in 2 of 8 deals", p)
		}
	}
}

func TestMannWhitneyAgainstScipy(t *testing.T) {
	data, err := os.ReadFile("testdata/mannwhitney_scipy.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct {
		X, Y   []float64
		U, P   float64
		Method string
	}
	if err := json.Unmarshal(data, &cases); err != nil {
		t.Fatal(err)
	}
	if len(cases) < 40 {
		t.Fatalf("%d cases, want at least 40", len(cases))
	}
	var r RankSums
	for i, c := range cases {
		got := r.Test(c.X, c.Y)
		if got.U != c.U || math.Abs(got.P-c.P) > 1e-10*max(c.P, 1e-6) || got.Exact != (c.Method == "exact") {
			t.Errorf("case %d (%d, %d, %s): got %+v, scipy has U = %v, p = %v", i, len(c.X), len(c.Y), c.Method, got, c.U, c.P)
		}
	}
}

// TestApproximation compares the normal approximation with the exact tied
// distribution for sizes that allow both.
func TestApproximation(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(26, 30).Draw(t, "n")
		value := rapid.Map(rapid.IntRange(1, 40), func(i int) float64 { return float64(i) })
		x := rapid.SliceOfN(value, n, n).Draw(t, "x")
		y := rapid.SliceOfN(value, n, n).Draw(t, "y")
		exact := MannWhitney(x, y)
		if !exact.Exact {
			t.Fatalf("not exact at %d and %d", n, n)
		}
		groups, twiceU := tieGroups(ascending(x), ascending(y), nil)
		if len(groups) == 1 {
			return
		}
		near := approximateP(groups, n, n, math.Abs(float64(twiceU-n*n))/2)
		if math.Abs(near-exact.P) > 0.006 {
			t.Fatalf("approximation %v, exact %v", near, exact.P)
		}
	})
}

func sample(label string) *rapid.Generator[[]float64] {
	value := rapid.OneOf(rapid.Float64Range(1, 2), rapid.Map(rapid.IntRange(1, 5), func(i int) float64 { return float64(i) }))
	return rapid.SliceOfN(value, 1, 20)
}

func TestMannWhitneyProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x, y := sample("x").Draw(t, "x"), sample("y").Draw(t, "y")
		a, b := MannWhitney(x, y), MannWhitney(y, x)
		if a.P != b.P && math.Abs(a.P-b.P) > 1e-15 {
			t.Fatalf("swapped: %v and %v", a.P, b.P)
		}
		if a.U+b.U != float64(len(x)*len(y)) {
			t.Fatalf("U %v + %v is not n·m", a.U, b.U)
		}
		if !(a.P > 0 && a.P <= 1) {
			t.Fatalf("p = %v", a.P)
		}
		k := math.Ldexp(1, rapid.IntRange(-40, 40).Draw(t, "scale"))
		if s := MannWhitney(scaledBy(x, k), scaledBy(y, k)); s != a {
			t.Fatalf("scaled by %v: %+v, want %+v", k, s, a)
		}
		shuffled := slices.Clone(x)
		slices.Reverse(shuffled)
		if s := MannWhitney(shuffled, y); s != a {
			t.Fatalf("reversed: %+v, want %+v", s, a)
		}
	})
}

func scaledBy(x []float64, k float64) []float64 {
	out := make([]float64, len(x))
	for i, v := range x {
		out[i] = v * k
	}
	return out
}

func TestMannWhitneyEdges(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		x, y []float64
		p    float64
	}{
		{nil, []float64{1}, nan},
		{[]float64{1}, nil, nan},
		{[]float64{nan}, []float64{1}, nan},
		{[]float64{1}, []float64{1}, 1},
		{[]float64{1, 1, 1}, []float64{1, 1, 1, 1}, 1},
		{[]float64{1, 2, 3, 4}, []float64{5, 6, 7, 8}, 2.0 / 70},
		{[]float64{math.Inf(-1), 0}, []float64{math.Inf(1), math.Inf(1)}, 2.0 / 6},
	} {
		got := MannWhitney(c.x, c.y).P
		if got != c.p && !(math.IsNaN(got) && math.IsNaN(c.p)) && math.Abs(got-c.p) > 1e-15 {
			t.Errorf("MannWhitney(%v, %v).P = %v, want %v", c.x, c.y, got, c.p)
		}
	}
}

func BenchmarkMannWhitneyTied(b *testing.B) {
	x, y := make([]float64, 20), make([]float64, 20)
	for i := range x {
		x[i], y[i] = float64(i*7%23), float64(i*5%19)
	}
	slices.Sort(x)
	slices.Sort(y)
	var r RankSums
	for b.Loop() {
		r.Test(x, y)
	}
}

// addedTails is lowerTails by f(n,m,u) = f(n−1,m,u−m) + f(n,m−1,u), as sums of
// positive floats.
func addedTails(n, m int) []float64 {
	top := n*m/2 + 1
	f := make([][]float64, n+1)
	for i := range f {
		f[i] = make([]float64, top)
		f[i][0] = 1 // m = 0: one arrangement, U = 0
	}
	for j := 1; j <= m; j++ {
		for i := 1; i <= n; i++ {
			from, to := f[i-1], f[i]
			for u := min(i*j, top-1); u >= j; u-- {
				to[u] += from[u-j]
			}
		}
	}
	tail := f[n]
	sum := 0.0
	for u, count := range tail {
		sum += count
		tail[u] = sum / choose(n+m, n)
	}
	return tail
}

func TestLowerTails(t *testing.T) {
	var r RankSums
	for _, s := range []sizes{{1, 1}, {1, 9}, {9, 1}, {2, 3}, {5, 5}, {10, 10}, {8, 30}, {20, 20}, {20, 100}, {50, 60}, {100, 100}, {2, 5000}, {1, 10000}} {
		got, want := r.lowerTails(s.n, s.m), addedTails(s.n, s.m)
		if len(got) != len(want) {
			t.Fatalf("%v: %d tails, want %d", s, len(got), len(want))
		}
		for u := range got {
			// Counts up to 2⁵³ are exact floats, and the sums are the same.
			tolerance := 0.0
			if choose(s.n+s.m, s.n) > 1<<53 {
				tolerance = 1e-13 * want[u]
			}
			if math.Abs(got[u]-want[u]) > tolerance {
				t.Fatalf("%v: P(U ≤ %d) = %v, want %v", s, u, got[u], want[u])
			}
		}
	}
}
