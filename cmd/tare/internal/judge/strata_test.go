package judge

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// single is the plan of one look at n blocks, which spends the whole error rate.
func single(n int, alpha float64, family int) Design {
	d := Design{N: n, Alpha: alpha, Family: family, Looks: []int{n}, Spend: []float64{alpha}}
	d.Adjusted = []float64{d.adjusted()}
	return d
}

// TestStrataByEnumeration: the p-value of one look at units of three machines is
// the share of all sign patterns whose sum of ranks within machines is as far
// out, counted one by one.
func TestStrataByEnumeration(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 0))
	for range 20 {
		const n = 12
		l := Look{Center: make([]float64, n), Strata: make([]int, n)}
		for i := range n {
			l.Center[i] = r.NormFloat64() + 0.4
			l.Strata[i] = i % 3
		}
		d, err := single(n, 0.05, 1).Decide(1, l)
		if err != nil {
			t.Fatal(err)
		}
		ranks := make([]int, n)
		for i := range n {
			for j := range n {
				if l.Strata[i] == l.Strata[j] && math.Abs(l.Center[j]) <= math.Abs(l.Center[i]) {
					ranks[i]++
				}
			}
		}
		least := func(positive uint) int {
			plus, minus := 0, 0
			for i, rank := range ranks {
				if positive>>i&1 == 1 {
					plus += rank
				} else {
					minus += rank
				}
			}
			return min(plus, minus)
		}
		var observed uint
		for i, c := range l.Center {
			if c > 0 {
				observed |= 1 << i
			}
		}
		count := 0
		for signs := range uint(1 << n) {
			if least(signs) <= least(observed) {
				count++
			}
		}
		want := float64(count) / (1 << n)
		if p := d[0].P; math.Abs(p-want) > 1e-12 && !(want > 0.04 && want < 0.06) { // at the level the interval decides
			t.Errorf("p = %v, want %v with %d units above 0", p, want, bits.OnesCount(observed))
		}
	}
}

// TestStrataOfOne: units of one machine are judged as without strata.
func TestStrataOfOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.SliceOfN(rapid.Float64Range(-1, 1), 8, 30).Draw(t, "units")
		plain, err := single(len(x), 0.05, 3).Decide(7, Look{Center: x})
		if err != nil {
			t.Fatal(err)
		}
		one, err := single(len(x), 0.05, 3).Decide(7, Look{Center: x, Strata: make([]int, len(x))})
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(plain, one) {
			t.Fatalf("%+v with one stratum, %+v without", one, plain)
		}
	})
}

// TestStrataPairs: the center is that of pairs within strata alone, worked out
// by hand: 1, 2 and 1.5; 10, 20 and 15.
func TestStrataPairs(t *testing.T) {
	l := Look{Center: []float64{1, 10, 2, 20}, Strata: []int{0, 1, 0, 1}}
	if m := l.Median(); m != (2+10)/2. {
		t.Errorf("the center is %v, want 6", m)
	}
	if err := (Look{Center: []float64{1, 2}, Strata: []int{0}}).check(); err == nil {
		t.Error("a look with fewer strata than units is accepted")
	}
}
