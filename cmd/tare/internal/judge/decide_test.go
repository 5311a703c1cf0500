package judge

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// looksOf are the looks of d that the blocks have reached.
func looksOf(d Design, center []float64) []Look {
	var looks []Look
	for _, n := range d.Looks[:d.Reached(len(center))] {
		looks = append(looks, Look{Center: center[:n]})
	}
	return looks
}

func normalSigns(n int, seed uint64) []float64 {
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

func TestDesigns(t *testing.T) {
	for _, c := range []struct {
		n, family int
		alpha     float64
		looks     []int
		spend     []float64 // a few, as published before
		adjusted  []float64
	}{
		{40, 1, 0.05, []int{8, 11, 15, 20, 28, 40}, []float64{2. / 256, 0.0153, 0.0212, 0.0290, 0.0388, 0.0496}, nil},
		{20, 1, 0.05, []int{8, 11, 15, 20}, []float64{2. / 256}, nil},
		{80, 1, 0.05, []int{8, 11, 15, 20, 28, 40, 56, 80}, nil, nil},
		{200, 1, 0.05, []int{8, 11, 15, 20, 28, 40, 56, 80, 112, 160, 200}, nil, nil},
		{12, 1, 0.05, []int{8, 12}, nil, nil},
		{8, 1, 0.05, []int{8}, []float64{0.05}, nil},
		{7, 1, 0.05, []int{7}, []float64{0.05}, nil},
		{5, 1, 0.05, nil, nil, nil},
		{40, 5, 0.05, []int{8, 9, 11, 15, 20, 28, 40}, nil, []float64{0, 1. / 256}},
		{40, 20, 0.05, []int{8, 11, 15, 20, 28, 40}, nil, []float64{0, 1. / 1024}},
		{40, 100, 0.05, []int{8, 11, 13, 15, 20, 28, 40}, nil, []float64{0, 0, 1. / 4096}},
		{40, 172, 0.05, []int{8, 11, 14, 15, 20, 28, 40}, nil, []float64{0, 0, 1. / 8192}},
		{200, 2000, 0.05, []int{8, 11, 15, 18, 20, 28, 40, 56, 80, 112, 160, 200}, nil, []float64{0, 0, 0, 1. / 131072}},
		{15, 2000, 0.05, []int{8, 11, 15}, nil, []float64{0, 0, 0.05 / 2000}},
	} {
		d := NewDesign(c.n, c.alpha, c.family)
		if !slices.Equal(d.Looks, c.looks) {
			t.Errorf("looks of %d for %d rows: %v, want %v", c.n, c.family, d.Looks, c.looks)
		}
		for i, s := range c.spend {
			if math.Abs(d.Spend[i]-s) > 0.0035 {
				t.Errorf("spend of %d: %v, want about %v", c.n, d.Spend, c.spend)
				break
			}
		}
		for i, s := range c.adjusted {
			if !agrees(d.Adjusted[i], s, 1e-12) {
				t.Errorf("a row of %d spends %v, want %v", c.family, d.Adjusted, c.adjusted)
				break
			}
		}
		for _, row := range []struct {
			spend []float64
			total float64
		}{{d.Spend, c.alpha}, {d.Adjusted, c.alpha / float64(c.family)}} {
			for i, s := range row.spend {
				if s > row.total || i > 0 && s < row.spend[i-1] || i == len(row.spend)-1 && s != row.total {
					t.Errorf("spend of %d for %d rows: %v of %v", c.n, c.family, row.spend, row.total)
				}
			}
		}
	}
	d := NewDesign(40, 0.05, 1)
	extra := d.WithEnd(13)
	if !slices.Equal(extra.Looks, []int{8, 11, 13, 15, 20, 28, 40}) || !agrees(extra.Spend[2], (d.Spend[1]+0.05)/2, 1e-12) {
		t.Errorf("WithEnd(13): %+v", extra)
	}
	// Ended at 13, at 15 and again at 15: each spends half of what is left.
	for _, again := range []Design{extra, extra.WithEnd(15), extra.WithEnd(15).WithEnd(15), d.WithEnd(28), NewDesign(40, 0.05, 100).WithEnd(9)} {
		for _, row := range [][]float64{again.Spend, again.Adjusted} {
			if len(row) != len(again.Looks) || !slices.IsSorted(row) || row[len(row)-1] != 0.05 && row[len(row)-1] != 0.05/100 {
				t.Errorf("spends %v at %v", row, again.Looks)
			}
		}
	}
	for _, n := range []int{5, 40, 50} {
		if got := d.WithEnd(n); !slices.Equal(got.Spend, d.Spend) {
			t.Errorf("WithEnd(%d) of a plan for 8 to 40: %+v", n, got)
		}
	}
	if len(d.Looks) != 6 {
		t.Error("WithEnd changed its receiver")
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
		{20, []float64{0, 7, 20, 45}},
	} {
		d := NewDesign(c.n, 0.05, 1)
		mean := make([]float64, len(c.want))
		times := uint64(40)
		if raceDetector {
			times = 6
		}
		for i := range times {
			looks := looksOf(d, normalSigns(c.n, i))
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
	planned := NewDesign(40, 0.05, 1)
	generous := Design{N: 11, Alpha: 0.5, Family: 1, Looks: []int{4, 6, 8, 9, 10, 11}, Spend: []float64{0.15, 0.2, 0.25, 0.3, 0.4, 0.5}}
	generous.Adjusted = generous.Spend
	for seed := range uint64(8) {
		d, n := planned, 15
		if seed >= 4 {
			d, n = generous, 11
		}
		x := normalSigns(n, seed)
		if seed%2 == 1 { // ties and zeros
			for i := range x {
				x[i] = math.Round(2*x[i]) / 2
			}
		}
		looks := looksOf(d, x)
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

// The same for rows of a family, whose boundary adds exact probabilities: the
// share of all sign patterns that crosses is at most what is allowed, and the
// p-value of a pattern is at least its share, at every look.
func TestAdjustedByEnumeration(t *testing.T) {
	for seed := range uint64(6) {
		const n = 15
		d := NewDesign(40, 0.05, []int{6, 10, 40}[seed%3])
		x := normalSigns(n, seed)
		if seed >= 3 { // ties and a spike at zero
			for i := range x {
				x[i] = math.Round(2*x[i]) / 2
			}
		}
		looks := looksOf(d, x)
		tr := newTrial(seed, looks)
		critical, before := tr.boundary(d.Adjusted)
		type outcome struct {
			p     float64
			times int
		}
		var outcomes []outcome
		crossed := make([]int, len(looks))
		for pattern := range uint(1) << n {
			for k, l := range tr.looks {
				plus, total := int32(0), int32(0)
				for i, r := range l.ranks {
					total += r
					if pattern>>i&1 == 1 {
						plus += r
					}
				}
				w := min(plus, total-plus)
				if w <= critical[k] {
					crossed[k]++
				}
				if w <= critical[k] || k == len(looks)-1 {
					outcomes = append(outcomes, outcome{min(1, before[k]+tr.tails(k)[w]), 1})
					break
				}
			}
		}
		sum := 0
		for k, c := range crossed {
			sum += c
			if share := float64(sum) / (1 << n); share > d.Adjusted[k]*(1+1e-12) {
				t.Errorf("seed %d: %v of all sign patterns cross by look %d, allowed %v", seed, share, k+1, d.Adjusted[k])
			}
		}
		slices.SortFunc(outcomes, func(a, b outcome) int { return cmp.Compare(a.p, b.p) })
		for i := range outcomes {
			if i+1 < len(outcomes) && outcomes[i+1].p == outcomes[i].p {
				continue
			}
			if share := float64(i+1) / (1 << n); share > outcomes[i].p*(1+1e-12) {
				t.Errorf("seed %d: p ≤ %v in %v of all sign patterns", seed, outcomes[i].p, share)
				break
			}
		}
	}
}

// Blocks that share function orders: their mean is the unit, and changes from
// look to look. Over all exchanges of the sides of blocks, no more studies cross
// than the plan allows.
func TestSharedOrdersByEnumeration(t *testing.T) {
	for seed := range uint64(3) {
		const n = 15
		d, orders := NewDesign(n, 0.05, 6), 9
		x := normalSigns(n, seed)
		crossed := 0
		for pattern := range uint(1) << (n - 1) { // the other half mirrors it
			var looks []Look
			for _, k := range d.Looks {
				units := min(k, orders)
				center := make([]float64, units)
				for i, v := range x[:k] {
					if pattern>>i&1 == 1 {
						v = -v
					}
					center[i%orders] += v / float64((k-1-i%orders)/orders+1)
				}
				looks = append(looks, Look{Center: center})
			}
			tr := newTrial(seed, looks)
			critical, _ := tr.boundary(d.Adjusted)
			for k, l := range tr.looks {
				if minSum(l.ranks, l.look.Center) <= critical[k] {
					crossed++
					break
				}
			}
		}
		if share := float64(crossed) / (1 << (n - 1)); share > d.adjusted() {
			t.Errorf("seed %d: %.5f of all exchanges cross, allowed %.5f", seed, share, d.adjusted())
		}
	}
}

func TestDecideProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := NewDesign(rapid.SampledFrom([]int{20, 40, 200}).Draw(t, "N"), 0.05, rapid.SampledFrom([]int{1, 3, 20, 2000}).Draw(t, "family"))
		n := rapid.IntRange(8, 20).Draw(t, "n")
		seed := rapid.Uint64().Draw(t, "seed")
		grain := rapid.SampledFrom([]float64{0, 0.5}).Draw(t, "grain")
		center, negated := make([]float64, n), make([]float64, n)
		for i := range center {
			center[i] = rapid.Float64Range(-2, 3).Draw(t, "d")
			if grain > 0 {
				center[i] = math.Round(center[i]/grain) * grain
			}
			negated[i] = -center[i]
		}
		before := slices.Clone(center)
		looks := looksOf(d, center)
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
		other, _ := d.Decide(seed, looksOf(d, negated)...)
		b := other[len(other)-1]
		if !agrees(b.Lo, -a.Hi, 1e-9) || !agrees(b.Hi, -a.Lo, 1e-9) || b.Critical != a.Critical {
			t.Fatalf("swapped sides: %+v against %+v", b, a)
		}
		if !(a.Lo <= a.Center && a.Center <= a.Hi) {
			t.Fatalf("center outside its interval: %+v", a)
		}
		// Verdict and interval agree: what lies on one side was significant.
		last := looks[len(looks)-1]
		test := signedRankTest(last.Center)
		if a.Excludes(0) && min(test.Plus, test.Minus) > a.Critical {
			t.Fatalf("interval %+v leaves 0 out, rank sums %+v do not", a, test)
		}
		if !(a.P > 0 && a.P <= 1) || a.P != b.P || (a.P <= d.Alpha) != a.Excludes(0) && a.P > d.Alpha/float64(d.Family) {
			t.Fatalf("p = %v, swapped %v, of %+v", a.P, b.P, a)
		}
		if !(a.JointLo <= a.Lo && a.Hi <= a.JointHi) {
			t.Fatalf("the intervals are not nested: %+v", a)
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
	d := NewDesign(20, 0.05, 1)
	small, disagree := 0, 0
	for i := range uint64(times) {
		looks := looksOf(d, normalSigns(20, 7000+i))
		for k := range looks {
			got := decide(t, d, i, looks[:k+1])
			p, excludes := got.P, got.Excludes(0)
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

// Blocks of one sign are as rare as their number says at the first look that
// may call a difference, and stay what they were.
func TestPFarOut(t *testing.T) {
	x := make([]float64, 40)
	for i := range x {
		x[i] = float64(i + 1)
	}
	for family, first := range map[int]int{1: 8, 5: 9, 20: 11, 100: 13, 172: 14, 2000: 18} {
		d := NewDesign(40, 0.05, family)
		looks := looksOf(d, x)
		all, err := d.Decide(1, looks...)
		if err != nil {
			t.Fatal(err)
		}
		for k, got := range all {
			want := unanimous(min(d.Looks[k], first))
			if d.Looks[k] < first {
				if got.P < want || got.P <= 0.05/float64(family) {
					t.Errorf("%d rows, %d blocks of one sign: p = %v before the first look that decides", family, d.Looks[k], got.P)
				}
			} else if !agrees(got.P, want, 1e-12) || !(got.JointLo > 0) {
				t.Errorf("%d rows, %d blocks of one sign: p = %v, want %v; joint interval from %v", family, d.Looks[k], got.P, want, got.JointLo)
			}
		}
	}
}

// Layouts used again: the units stop growing, their values go on moving.
func TestDecideWithFewerUnitsThanBlocks(t *testing.T) {
	d := NewDesign(40, 0.05, 1)
	units := func(seed uint64) []float64 {
		x := normalSigns(10, seed)
		for i := range x {
			x[i] += 4
		}
		return x
	}
	looks := []Look{{Center: units(1)[:8]}, {Center: units(1)}, {Center: units(2)}}
	got := decide(t, d, 5, looks)
	if got.N != 10 || !(got.Lo > 0) {
		t.Errorf("ten units of one sign: %+v", got)
	}
	if got.P > 0.05 {
		t.Errorf("p = %v", got.P)
	}
}

func TestDecideRefuses(t *testing.T) {
	d := NewDesign(40, 0.05, 1)
	x := normalSigns(11, 1)
	nan := slices.Clone(x)
	nan[3] = math.NaN()
	for name, looks := range map[string][]Look{
		"none":           nil,
		"shrinking":      {{Center: x[:8]}, {Center: x[:7]}},
		"too many units": {{Center: x}},
		"NaN":            {{Center: nan[:8]}},
		"strata missing": {{Center: x[:8], Strata: make([]int, 3)}},
	} {
		if got, err := d.Decide(1, looks...); err == nil {
			t.Errorf("%s: got %+v, want an error", name, got)
		}
	}
}

// All values zero: nothing differs, and the interval is the point 0.
func TestDecideZeros(t *testing.T) {
	d := NewDesign(40, 0.05, 1)
	looks := looksOf(d, make([]float64, 8))
	got := decide(t, d, 1, looks)
	if got.Center != 0 || got.Lo != 0 || got.Hi != 0 {
		t.Errorf("eight zeros: %+v", got)
	}
	if got.P != 1 {
		t.Errorf("eight zeros: p = %v", got.P)
	}
}

func BenchmarkDecide(b *testing.B) {
	d := NewDesign(40, 0.05, 1)
	looks := looksOf(d, normalSigns(40, 1))
	for b.Loop() {
		if _, err := d.Decide(7, looks...); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkDecide200(b *testing.B) {
	d := NewDesign(200, 0.05, 100)
	looks := looksOf(d, normalSigns(200, 1))
	for b.Loop() {
		if _, err := d.Decide(7, looks...); err != nil {
			b.Fatal(err)
		}
	}
}

// TestTiesStayDecided: what a look calls significant is not taken back by a
// later one that saw nothing else. With magnitudes all alike, whoever has one
// sign throughout at 11 units had it at 8, so the second look stops nobody
// new; that must not make it blind.
func TestTiesStayDecided(t *testing.T) {
	for _, family := range []int{1, 20} {
		d := NewDesign(40, 0.05, family)
		decisions, err := d.Decide(1, looksOf(d, slices.Repeat([]float64{-1}, 40))...)
		if err != nil {
			t.Fatal(err)
		}
		for k, got := range decisions {
			if got.Lo != -1 || got.Hi != -1 {
				t.Errorf("%d units of -1 give an interval from %v to %v", d.Looks[k], got.Lo, got.Hi)
			}
			if d.Looks[k] >= LeastBlocks(0.05/float64(family)) && (got.JointLo != -1 || got.JointHi != -1) {
				t.Errorf("%d units of -1 among %d rows: joint interval from %v to %v", d.Looks[k], family, got.JointLo, got.JointHi)
			}
		}
	}
}

// TestEveryEndHasAnInterval: a study that ends one block after a look may
// stop next to nothing that the look did not; it still has an interval.
func TestEveryEndHasAnInterval(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for n := MinBlocks; n <= 40; n++ {
		center := make([]float64, n)
		for i := range center {
			center[i] = 1 + random.NormFloat64()
		}
		d := NewDesign(40, 0.05, 1).WithEnd(n)
		decisions, err := d.Decide(1, looksOf(d, center)...)
		if err != nil {
			t.Fatal(err)
		}
		if last := decisions[len(decisions)-1]; last.N != n || last.Critical < 0 || math.IsInf(last.Hi-last.Lo, 0) {
			t.Errorf("%d blocks end with %+v", n, last)
		}
	}
}

// The study asks where to look next: that is the design's own table.
func TestNext(t *testing.T) {
	d := NewDesign(40, 0.05, 100)
	var got []int
	for at := d.Next(0); len(got) == 0 || at > got[len(got)-1]; at = d.Next(at) {
		got = append(got, at)
	}
	if !slices.Equal(got, d.Looks) {
		t.Errorf("looks %v, the design has %v", got, d.Looks)
	}
	if NewDesign(0, 0.05, 1).Next(0) != 1 || NewDesign(5, 0.05, 1).Next(0) != 5 || d.Next(40) != 40 {
		t.Error("a study too short for a design does not end where it should")
	}
}
