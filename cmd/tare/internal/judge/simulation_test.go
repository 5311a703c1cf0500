package judge

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/tarebench/tare/cmd/tare/internal/lab"
	"github.com/tarebench/tare/cmd/tare/internal/result"
)

// TestSharedOrdersErrorRate: blocks use their function orders in turn, an order is
// the unit, nothing changed.
func TestSharedOrdersErrorRate(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ rows, orders int }{{6, 9}, {12, 10}, {20, 11}, {100, 13}} {
		n := lab.Times(80, 4000)
		called := countStudies(n, func(seed uint64) bool {
			random, d := rand.New(rand.NewPCG(seed, 9)), NewDesign(40, 0.05, c.rows)
			x := make([]float64, 40)
			p := pairing{relative: true, typical: x}
			for i := range x {
				x[i] = random.NormFloat64()
				p.layout = append(p.layout, i%c.orders)
			}
			var looks []Look
			for _, n := range d.Looks {
				looks = append(looks, p.look(n))
			}
			all, err := d.Decide(seed, looks...)
			if err != nil {
				panic(err)
			}
			for _, o := range all {
				if o.JointLo > 0 || o.JointHi < 0 {
					return true
				}
			}
			return false
		})
		atMost(t, fmt.Sprintf("%d rows, %d shared orders: a row called different", c.rows, c.orders), called, n, 0.05/float64(c.rows))
	}
}

// TestDisturbedBlocksCount: on machines with bursts, theft and noisy spells every
// block counts. Without a change few studies say otherwise, and a change of 5% is
// found in more than half.
func TestDisturbedBlocksCount(t *testing.T) {
	t.Parallel()
	for _, s := range scenes[2:] {
		n := lab.Times(100, 1000)
		judged := func(change float64) (different int) {
			return countStudies(n, func(seed uint64) bool {
				p := simulatedPairing(s, chance("disturbed "+s.name, seed), plan.MaxBlocks, shortShape, noLayout, noLayout)
				_, e := endings(p, change, seed)
				return e.verdict == result.Faster || e.verdict == result.Slower
			})
		}
		atMost(t, s.name+", no change, called different", judged(0), n, plan.Alpha)
		found := judged(0.05)
		if t.Logf("%s: +5%% is found in %d of %d", s.name, found, n); found < n/2 {
			t.Errorf("%s: +5%% is found in %d of %d", s.name, found, n)
		}
	}
}

// TestConformalMagnitude is the rule of docs/decisions/looks.md that is not
// built: blocks of one sign, of a magnitude that few past studies of the machine
// had, are a difference from three blocks on. It holds on a machine that stays as
// it is, and not on one that gets noisier.
func TestConformalMagnitude(t *testing.T) {
	t.Parallel()
	const past, level = 39, 0.01
	quiet, nasty := scenes[0], scenes[3]
	for _, blocks := range []int{3, 4} {
		for _, c := range []struct {
			name      string
			then, now scene
			allowed   float64
		}{{"quiet, as ever", quiet, quiet, level}, {"nasty, as ever", nasty, nasty, level}, {"quiet until now, then nasty", quiet, nasty, unanimous(blocks)}} {
			n := lab.Times(200, 2000)
			called := countStudies(n, func(seed uint64) bool {
				random := chance("conformal "+c.name, seed)
				least := func(s scene) (m float64, alike bool) {
					p := simulatedPairing(s, random, blocks, shortShape, noLayout, noLayout)
					m, up := math.Inf(1), 0
					for _, d := range p.typical {
						if m = min(m, math.Abs(d)); d > 0 {
							up++
						}
					}
					return m, up == 0 || up == blocks
				}
				now, alike := least(c.now)
				above := 1
				for range past {
					if m, _ := least(c.then); m >= now {
						above++
					}
				}
				return alike && unanimous(blocks)*float64(above)/(past+1) <= level
			})
			atMost(t, fmt.Sprintf("%d blocks, %s: called different", blocks, c.name), called, n, c.allowed)
		}
	}
}
