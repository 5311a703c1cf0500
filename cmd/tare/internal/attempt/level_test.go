package attempt

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/tarebench/tare/cmd/tare/internal/judge"
	"github.com/tarebench/tare/cmd/tare/internal/lab"
	"github.com/tarebench/tare/cmd/tare/internal/result"
)

// Before the first keep, all levels together are at most half of alpha, and after
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

// The estimate of the share of false keeps that LORD++ bounds never exceeds alpha:
// the sum of the levels so far over the number of keeps.
func TestLevelsBoundTheEstimatedShare(t *testing.T) {
	for every := 1; every < 40; every++ {
		var l Levels
		sum := 0.0
		for i := 1; i <= 2000; i++ {
			sum += l.Next()
			l.Add(i%every == 0)
			if share := sum / math.Max(1, float64(len(l.Kept))); share > alpha*(1+1e-6) {
				t.Fatalf("a keep every %d attempts: after %d the levels sum to %v times the keeps", every, i, share)
			}
		}
	}
}

// All attempts of a session share their first function orders, and each begins
// with its own half. In the worst case an order changes the time of every edit by
// the same amount, 1%. One edit in ten gains 3%.
func TestSharedOrdersStayHonest(t *testing.T) {
	t.Parallel()
	sessions, share := lab.Times(6, 200), 0.0
	for seed := range uint64(sessions) {
		r := rand.New(rand.NewPCG(seed, 2))
		var effects [mostBlocks]float64
		for i := range effects {
			effects[i] = 0.01 * r.NormFloat64()
		}
		var levels Levels
		keeps, wrong := 0, 0
		for range 40 {
			var e edit
			if r.IntN(10) == 0 {
				e.gain = 0.03
			}
			blocks, orders, k := blocksOf(e, r), r.Perm(2*judge.MinBlocks), 0
			a, _ := judgedAttempt(func() result.Block {
				order := k
				if k < len(orders) {
					order = orders[k]
				}
				k++
				b := blocks()
				for i := range b.Rounds {
					s := &b.Rounds[i].Slices[0]
					s.Raw *= math.Exp(effects[order])
				}
				return b
			}, min(levels.Next(), mostLevel), 0.005, r.Uint64())
			if levels.Add(a.Verdict == Keep); a.Verdict == Keep {
				if keeps++; e.gain == 0 {
					wrong++
				}
			}
		}
		share += float64(wrong) / float64(max(1, keeps)) / float64(sessions)
	}
	t.Logf("false keeps: %.2f%%", 100*share)
	if share > alpha+0.05*float64(6)/float64(sessions) { // one false keep of a short test
		t.Errorf("%.3f of the keeps are false, want at most %v", share, alpha)
	}
}
