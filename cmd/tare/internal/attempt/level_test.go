package attempt

import (
	"math"
	"math/rand/v2"
	"testing"
)

// Before the first keep, all levels together are at most half of Alpha, and after
// it as much comes back as LORD++ allows.
func TestLevelsSumToTheirWealth(t *testing.T) {
	var l Levels
	sum := 0.0
	for range 100000 {
		sum += l.Next()
		l.Add(false)
	}
	if sum > firstWealth || sum < 0.99*firstWealth {
		t.Errorf("levels without a keep sum to %v, want %v", sum, firstWealth)
	}
	l = Levels{}
	before := l.Next()
	l.Add(true)
	if after := l.Next(); after < before {
		t.Errorf("the level after a keep is %v, before it %v", after, before)
	}
}

// The estimate of the share of false keeps that LORD++ bounds never exceeds Alpha:
// the sum of the levels so far over the number of keeps.
func TestLevelsBoundTheEstimatedShare(t *testing.T) {
	for every := 1; every < 40; every++ {
		var l Levels
		sum := 0.0
		for i := 1; i <= 2000; i++ {
			sum += l.Next()
			l.Add(i%every == 0)
			if share := sum / math.Max(1, float64(len(l.Kept))); share > Alpha*(1+1e-6) {
				t.Fatalf("a keep every %d attempts: after %d the levels sum to %v times the keeps", every, i, share)
			}
		}
	}
}

// All attempts of a session share sixteen function orders, and each draws eight.
// In the worst case an order changes the time of every edit by the same amount, 1%
// beside 0.5% of other noise. Ten of 100 edits gain 3%. A t-test with 7 degrees of
// freedom keeps edits.
func TestSharedOrdersStayHonest(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	share := func(orders int) (mean float64) {
		const sessions, edits, blocks = 1000, 100, 8
		for range sessions {
			effects := make([]float64, orders)
			for i := range effects {
				effects[i] = r.NormFloat64()
			}
			var l Levels
			keeps, wrong := 0, 0
			for _, at := range r.Perm(edits) {
				sum, squares := 0.0, 0.0
				for _, order := range r.Perm(orders)[:blocks] {
					x := effects[order] + 0.5*r.NormFloat64()
					if at < 10 {
						x += 3
					}
					sum, squares = sum+x, squares+x*x
				}
				mean := sum / blocks
				sd := math.Sqrt((squares/blocks - mean*mean) / (blocks - 1))
				kept := tailOfT7(mean/sd) < min(l.Next(), mostLevel)/2
				if l.Add(kept); kept {
					keeps++
					if at >= 10 {
						wrong++
					}
				}
			}
			mean += float64(wrong) / float64(max(1, keeps)) / sessions
		}
		return mean
	}
	shared, fixed := share(16), share(8)
	t.Logf("false keeps: %.2f%% with orders drawn from sixteen, %.2f%% with always the same eight", 100*shared, 100*fixed)
	if shared > Alpha {
		t.Errorf("%.3f of the keeps are false, want at most %v", shared, Alpha)
	}
}

// tailOfT7 is the probability that Student's t with 7 degrees of freedom exceeds x.
func tailOfT7(x float64) float64 {
	angle := math.Atan(x / math.Sqrt(7))
	c := math.Cos(angle)
	return (1 - 2/math.Pi*(angle+math.Sin(angle)*(c+2.0/3*c*c*c+8.0/15*math.Pow(c, 5)))) / 2
}
