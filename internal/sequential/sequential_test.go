package sequential

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// looksOf are the looks of d that the blocks have reached.
func looksOf(d Design, center, spread []float64) []Look {
	var looks []Look
	for _, n := range d.Looks[:d.Reached(len(center))] {
		l := Look{Center: center[:n]}
		if spread != nil {
			l.Spread = spread[:n]
		}
		looks = append(looks, l)
	}
	return looks
}

func normal(n int, seed uint64) []float64 {
	r := rand.New(rand.NewPCG(seed, 0))
	x := make([]float64, n)
	for i := range x {
		x[i] = r.NormFloat64()
	}
	return x
}

// decide is the decision of the last look.
func decide(t testing.TB, d Design, seed uint64, looks []Look) Decision {
	t.Helper()
	all, err := d.Decide(seed, looks...)
	if err != nil {
		t.Fatal(err)
	}
	return all[len(all)-1]
}

func TestDesignTables(t *testing.T) {
	for _, c := range []struct {
		n     int
		alpha float64
		looks []int
		spend []float64
	}{
		{40, 0.05, []int{8, 11, 15, 20, 28, 40}, []float64{0.0078125, 0.0153, 0.0212, 0.0290, 0.0388, 0.0496}},
		{20, 0.05, []int{8, 11, 15, 20}, []float64{0.015625, 0.0240, 0.0374, 0.0496}},
		{40, 0.01, []int{8, 11, 15, 20, 28, 40}, []float64{0.0015625, 0.00306, 0.00424, 0.0058, 0.00776, 0.00992}},
		{80, 0.05, []int{8, 11, 15, 20, 28, 40, 56, 80}, nil},
		{12, 0.05, []int{8, 12}, nil},
		{8, 0.05, []int{8}, nil},
		{7, 0.05, nil, nil},
	} {
		d := NewDesign(c.n, c.alpha)
		if !slices.Equal(d.Looks, c.looks) {
			t.Errorf("looks of %d: %v, want %v", c.n, d.Looks, c.looks)
		}
		for i, s := range c.spend {
			if !agrees(d.Spend[i], s, 1e-12) {
				t.Errorf("spend of %d at %v: %v, want %v", c.n, c.alpha, d.Spend, c.spend)
				break
			}
		}
		for i, s := range d.Spend {
			if s > c.alpha || i > 0 && s < d.Spend[i-1] {
				t.Errorf("spend of %d: %v", c.n, d.Spend)
			}
		}
	}
	d := NewDesign(40, 0.05)
	extra := d.WithLook(13)
	if !slices.Equal(extra.Looks, []int{8, 11, 13, 15, 20, 28, 40}) || extra.Spend[2] <= extra.Spend[1] || extra.Spend[2] >= extra.Spend[3] {
		t.Errorf("WithLook(13): %+v", extra)
	}
	if len(d.Looks) != 6 || len(d.WithLook(5).Looks) != 6 || len(d.WithLook(15).Looks) != 6 || len(d.WithLook(50).Looks) != 6 {
		t.Error("WithLook changed its receiver, or added a look that is none")
	}
}

// Values of one size without ties give the published critical values, but for
// the grain of Monte Carlo and of the one arrangement of ranks.
func TestCriticalValuesOfTheTable(t *testing.T) {
	for _, c := range []struct {
		n    int
		want []float64
	}{
		{40, []float64{0, 5, 16, 40, 99, 238}},
		{20, []float64{1, 6, 20, 45}},
	} {
		d := NewDesign(c.n, 0.05)
		mean := make([]float64, len(c.want))
		times := uint64(40)
		if raceDetector {
			times = 6
		}
		for i := range times {
			looks := looksOf(d, normal(c.n, i), nil)
			for k := range looks {
				mean[k] += decide(t, d, i, looks[:k+1]).Critical / float64(times)
			}
		}
		for k, want := range c.want {
			if math.Abs(mean[k]-want) > 1+0.05*want {
				t.Errorf("N = %d, look %d: mean critical value %.2f, table %v", c.n, k+1, mean[k], want)
			}
		}
	}
}

// With few units every sign pattern can be run through the rule: the exact
// share of patterns that it stops must stay within what the looks may spend,
// and one more would go beyond it.
func TestSpendByEnumeration(t *testing.T) {
	planned := NewDesign(40, 0.05)
	generous := Design{N: 11, Alpha: 0.5, Looks: []int{4, 6, 8, 9, 10, 11}, Spend: []float64{0.15, 0.2, 0.25, 0.3, 0.4, 0.5}}
	for seed := range uint64(8) {
		d, n := planned, 15
		if seed >= 4 {
			d, n = generous, 11
		}
		x := normal(n, seed)
		if seed%2 == 1 { // ties and zeros
			for i := range x {
				x[i] = math.Round(2*x[i]) / 2
			}
		}
		looks := looksOf(d, x, nil)
		var critical []float64
		var ranks [][]int32 // doubled
		for k, l := range looks {
			critical = append(critical, decide(t, d, seed, looks[:k+1]).Critical)
			ranks = append(ranks, doubledRanks(l.Center))
		}
		// share is the part of all sign patterns that look k or one before it
		// stops, when look k alone is given one more than its critical value.
		share := func(k int, more float64) float64 {
			stopped := 0
			for pattern := range uint(1) << len(x) {
				for j := range looks[:k+1] {
					plus, total := int32(0), int32(0)
					for i, r := range ranks[j] {
						total += r
						if pattern>>i&1 == 1 {
							plus += r
						}
					}
					limit := critical[j]
					if j == k {
						limit += more
					}
					if float64(min(plus, total-plus))/2 <= limit {
						stopped++
						break
					}
				}
			}
			return float64(stopped) / math.Ldexp(1, len(x))
		}
		for k := range looks {
			// The looks at 8 and 11 are exact; at 15 the vectors are a sample.
			slack := 0.0
			if d.Looks[k] > 11 {
				slack = 4 * math.Sqrt(d.Spend[k]/vectors)
			}
			within := share(k, 0)
			if within > d.Spend[k]+slack {
				t.Errorf("seed %d, look %d: %.5f of all sign patterns are stopped, allowed %.5f (critical %v)", seed, k+1, within, d.Spend[k], critical)
			}
			if got := share(k, 1); seed%2 == 0 && got > within && got <= d.Spend[k]-slack {
				t.Errorf("seed %d, look %d: one more would stop %.5f of all sign patterns, and %.5f are allowed (critical %v)", seed, k+1, got, d.Spend[k], critical)
			}
		}
	}
}

func TestDecideProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := NewDesign(rapid.SampledFrom([]int{20, 40}).Draw(t, "N"), 0.05)
		n := rapid.IntRange(8, 20).Draw(t, "n")
		seed := rapid.Uint64().Draw(t, "seed")
		grain := rapid.SampledFrom([]float64{0, 0.5}).Draw(t, "grain")
		center, spread, negated := make([]float64, n), make([]float64, n), make([]float64, n)
		for i := range center {
			center[i] = rapid.Float64Range(-2, 3).Draw(t, "d")
			if grain > 0 {
				center[i] = math.Round(center[i]/grain) * grain
			}
			spread[i] = rapid.Float64Range(0.5, 2).Draw(t, "s")
			negated[i] = -center[i]
		}
		before := slices.Clone(center)
		looks := looksOf(d, center, spread)
		all, err := d.Decide(seed, looks...)
		if err != nil {
			t.Fatal(err)
		}
		a := all[len(all)-1]
		for k := range looks {
			// A look says again what it said when it was the last.
			if again, _ := d.Decide(seed, looks[:k+1]...); again[k] != all[k] {
				t.Fatalf("look %d first said %+v, later %+v", k+1, again[k], all[k])
			}
		}
		other, _ := d.Decide(seed, looksOf(d, negated, spread)...)
		b := other[len(other)-1]
		if !agrees(b.Lo, -a.Hi, 1e-9) || !agrees(b.Hi, -a.Lo, 1e-9) || b.Critical != a.Critical {
			t.Fatalf("swapped sides: %+v against %+v", b, a)
		}
		if !(a.Lo <= a.Center && a.Center <= a.Hi) {
			t.Fatalf("centre outside its interval: %+v", a)
		}
		// Verdict and interval agree: what lies on one side was significant.
		last := looks[len(looks)-1]
		test := signedRankTest(last.Standard())
		if a.Excludes(0) && min(test.Plus, test.Minus) > a.Critical {
			t.Fatalf("interval %+v leaves 0 out, rank sums %+v do not", a, test)
		}
		p, _ := d.P(seed, looks...)
		if !(p > 0 && p <= 1) {
			t.Fatalf("p = %v", p)
		}
		if !slices.Equal(before, center) {
			t.Fatal("the input was changed")
		}
	})
}

// P is a p-value: under the null the probability of P ≤ u is at most u,
// whichever look the study stops at. It also agrees with the interval.
func TestPIsUniformUnderTheNull(t *testing.T) {
	const u = 0.05
	times := 400
	if raceDetector {
		times = 40 // it sees the same code, ten times slower
	}
	d := NewDesign(20, 0.05)
	small, disagree := 0, 0
	for i := range uint64(times) {
		looks := looksOf(d, normal(20, 7000+i), nil)
		for k := range looks {
			p, err := d.P(i, looks[:k+1]...)
			if err != nil {
				t.Fatal(err)
			}
			excludes := decide(t, d, i, looks[:k+1]).Excludes(0)
			if excludes != (p <= u) {
				disagree++
			}
			if excludes || k == len(looks)-1 {
				if p <= u {
					small++
				}
				break
			}
		}
	}
	// Four standard deviations of a binomial share.
	if limit := float64(times)*u + 4*math.Sqrt(float64(times)*u*(1-u)); float64(small) > limit {
		t.Errorf("P ≤ %v in %d of %d null studies, limit %.0f", u, small, times, limit)
	}
	if disagree > max(4, times/20) {
		t.Errorf("p and interval disagree at %d looks of %d studies", disagree, times)
	}
}

func TestPFarOut(t *testing.T) {
	d := NewDesign(40, 0.05)
	x := make([]float64, 40)
	for i := range x {
		x[i] = float64(i + 1)
	}
	previous := 1.0
	looks := looksOf(d, x, nil)
	for k := range looks {
		p, err := d.P(1, looks[:k+1]...)
		if err != nil || p >= previous {
			t.Errorf("look %d of values of one sign: p = %v after %v, %v", k+1, p, previous, err)
		}
		previous = p
	}
	// 2·2⁻⁴⁰ at the last look, and as much again from the others at most.
	if previous < math.Ldexp(1, -39) || previous > math.Ldexp(1, -35) {
		t.Errorf("forty values of one sign: p = %v", previous)
	}
}

// Layouts used again: the units stop growing, their values go on moving.
func TestDecideWithFewerUnitsThanBlocks(t *testing.T) {
	d := NewDesign(40, 0.05)
	units := func(seed uint64) []float64 {
		x := normal(10, seed)
		for i := range x {
			x[i] += 4
		}
		return x
	}
	looks := []Look{{Center: units(1)[:8]}, {Center: units(1)}, {Center: units(2)}}
	got := decide(t, d, 5, looks)
	if got.Units != 10 || !(got.Lo > 0) {
		t.Errorf("ten units of one sign: %+v", got)
	}
	if p, err := d.P(5, looks...); err != nil || p > 0.05 {
		t.Errorf("p = %v, %v", p, err)
	}
}

func TestDecideRefuses(t *testing.T) {
	d := NewDesign(40, 0.05)
	x := normal(11, 1)
	nan := slices.Clone(x)
	nan[3] = math.NaN()
	zero := make([]float64, 8)
	for name, looks := range map[string][]Look{
		"none":           nil,
		"shrinking":      {{Center: x[:8]}, {Center: x[:7]}},
		"too many units": {{Center: x}},
		"NaN":            {{Center: nan[:8]}},
		"zero spread":    {{Center: x[:8], Spread: zero}},
		"spread missing": {{Center: x[:8], Spread: x[:3]}},
	} {
		if got, err := d.Decide(1, looks...); err == nil {
			t.Errorf("%s: got %+v, want an error", name, got)
		}
		if p, err := d.P(1, looks...); err == nil {
			t.Errorf("%s: p = %v, want an error", name, p)
		}
	}
}

// All values zero: nothing differs, and the interval is the point 0.
func TestDecideZeros(t *testing.T) {
	d := NewDesign(40, 0.05)
	looks := looksOf(d, make([]float64, 8), nil)
	got := decide(t, d, 1, looks)
	if got.Center != 0 || got.Lo != 0 || got.Hi != 0 {
		t.Errorf("eight zeros: %+v", got)
	}
	if p, err := d.P(1, looks...); err != nil || p != 1 {
		t.Errorf("eight zeros: p = %v, %v", p, err)
	}
}

func BenchmarkDecide(b *testing.B) {
	d := NewDesign(40, 0.05)
	looks := looksOf(d, normal(40, 1), nil)
	for b.Loop() {
		if _, err := d.Decide(7, looks...); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkP(b *testing.B) {
	d := NewDesign(40, 0.05)
	looks := looksOf(d, normal(40, 1), nil)
	for b.Loop() {
		if _, err := d.P(7, looks...); err != nil {
			b.Fatal(err)
		}
	}
}

// TestTiesStayDecided: what a look calls significant is not taken back by a
// later one that saw nothing else. With magnitudes all alike, whoever has one
// sign throughout at 11 units had it at 8, so the second look stops nobody
// new; that must not make it blind.
func TestTiesStayDecided(t *testing.T) {
	d := NewDesign(40, 0.05)
	for _, spread := range [][]float64{nil, slices.Repeat([]float64{0.5}, 40)} {
		center := slices.Repeat([]float64{-1}, 40)
		var looks []Look
		for _, n := range d.Looks {
			l := Look{Center: center[:n]}
			if spread != nil {
				l.Spread = spread[:n]
			}
			looks = append(looks, l)
		}
		decisions, err := d.Decide(1, looks...)
		if err != nil {
			t.Fatal(err)
		}
		for k, got := range decisions {
			if got.Lo != -1 || got.Hi != -1 {
				t.Errorf("%d units of -1 give an interval from %v to %v", d.Looks[k], got.Lo, got.Hi)
			}
		}
	}
}

// TestEveryEndHasAnInterval: a study that ends one block behind a look may
// stop next to nothing that the look did not; it still has an interval.
func TestEveryEndHasAnInterval(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for n := MinBlocks; n <= 40; n++ {
		center := make([]float64, n)
		for i := range center {
			center[i] = 1 + random.NormFloat64()
		}
		d := NewDesign(40, 0.05).WithLook(n)
		decisions, err := d.Decide(1, looksOf(d, center, nil)...)
		if err != nil {
			t.Fatal(err)
		}
		if last := decisions[len(decisions)-1]; last.Units != n || last.Critical < 0 || math.IsInf(last.Hi-last.Lo, 0) {
			t.Errorf("%d blocks end with %+v", n, last)
		}
	}
}

// The study asks where to look next: that is the design's own table.
func TestNextLook(t *testing.T) {
	for _, n := range []int{8, 20, 40, 60, 100, 200} {
		var got []int
		for at := NextLook(n, 0); len(got) == 0 || at > got[len(got)-1]; at = NextLook(n, at) {
			got = append(got, at)
		}
		if want := NewDesign(n, 0.05).Looks; !slices.Equal(got, want) {
			t.Errorf("looks of %d blocks: %v, the design has %v", n, got, want)
		}
	}
	if NextLook(0, 0) != 1 || NextLook(5, 0) != 5 || NextLook(40, 40) != 40 {
		t.Errorf("no design: %d, %d, %d", NextLook(0, 0), NextLook(5, 0), NextLook(40, 40))
	}
}
