package attempt

import (
	"math"
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
