package judge

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestWelch: the statistic that R 4.2 prints for its own data sets, by
// oneway.test(extra ~ group, sleep) and oneway.test(count ~ spray, InsectSprays).
func TestWelch(t *testing.T) {
	for _, c := range []struct {
		name   string
		groups [][]float64
		want   float64
	}{
		{"sleep", [][]float64{
			{0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0},
			{1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4},
		}, 3.4626},
		{"InsectSprays", [][]float64{
			{10, 7, 20, 14, 14, 12, 10, 23, 17, 20, 14, 13},
			{11, 17, 21, 11, 16, 14, 17, 17, 19, 21, 7, 13},
			{0, 1, 7, 2, 3, 1, 2, 1, 3, 0, 1, 4},
			{3, 5, 12, 6, 4, 3, 5, 5, 5, 5, 2, 4},
			{3, 5, 3, 5, 3, 6, 1, 1, 3, 2, 6, 4},
			{11, 9, 15, 22, 15, 16, 13, 10, 26, 26, 24, 13},
		}, 36.0654},
	} {
		var samples []sample
		for _, x := range c.groups {
			samples = append(samples, sampleOf(x))
		}
		if got := welch(samples); math.Abs(got-c.want) > 1e-4 {
			t.Errorf("%s: %.5f, want %.4f", c.name, got, c.want)
		}
	}
}

// TestEqualChanges: machines whose noise differs fivefold are found to disagree
// about as often as the level says, also where the noisy ones have fewer blocks.
func TestEqualChanges(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 0))
	const level, times = 0.05, 2000
	draw := func(n int, mean, spread float64) (x []float64) {
		for range n {
			x = append(x, mean+spread*r.NormFloat64())
		}
		return x
	}
	found, missed := 0, 0
	for i := range times {
		of := []stratum{{0, draw(12, 0, 1)}, {1, draw(6, 0, 5)}, {2, draw(8, 0, 2)}}
		if equalChanges(of, uint64(i), level) <= level {
			found++
		}
		of[0].changes = draw(12, 4, 1)
		if equalChanges(of, uint64(i), level) > level {
			missed++
		}
	}
	t.Logf("%d of %d where there is nothing, %d missed of four standard deviations", found, times, missed)
	if bound := level*times + 4*math.Sqrt(times*level*(1-level)); float64(found) > bound {
		t.Errorf("found %d of %d, at most %.0f are allowed", found, times, bound)
	}
	if missed > times/3 {
		t.Errorf("missed %d of %d", missed, times)
	}
}
