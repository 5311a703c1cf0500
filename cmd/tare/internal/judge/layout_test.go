package judge

import (
	"io"
	"testing"

	"github.com/tarebench/tare/cmd/tare/internal/lab"
)

// TestSharedLayouts: both sides of a block are linked with the same seed. What
// the layout does cancels where the sides share their code. Where a change
// elsewhere moves the code of one side, or shuffles it again, it must not raise
// the error rate. 40 studies of each kind, 10 under the race detector, 250 with
// the tag lab; the bound widens with fewer.
func TestSharedLayouts(t *testing.T) {
	n := 40
	switch {
	case lab.Long:
		n = 250
	case raceDetector:
		n = 10
	}
	b := bound{t: t, w: io.Discard}
	kinds := []struct {
		name string
		// other is the effect of a layout on the new side, from that on the
		// old side; random choice is fair.
		other func(old float64, sign func() float64) float64
	}{
		{"code alike", func(old float64, _ func() float64) float64 { return old }},
		{"code moved by half a cache line in half of the layouts", func(old float64, sign func() float64) float64 {
			if sign() > 0 {
				return -old
			}
			return old
		}},
		{"code in another order", func(_ float64, sign func() float64) float64 { return 0.03 * sign() }},
	}
	found := make([]float64, len(kinds))
	for i, kind := range kinds {
		study := func(i uint64, change float64) ending {
			r := chance("layout "+kind.name, i)
			sign := func() float64 { return float64(1 - 2*int(r.Uint64()&1)) }
			var old float64 // one of two alignments
			p := simulatedPairing(scenes[0], r, plan.MaxBlocks, harderShape,
				func() float64 { old = 0.03 * sign(); return old },
				func() float64 { return kind.other(old, sign) })
			e, _ := endings(p, change, r.Uint64())
			return e
		}
		var null, known tally
		for _, e := range replicate(n, func(i uint64) [2]ending { return [2]ending{study(i, 0), study(i+uint64(n), 0.01)} }) {
			null.add(e[0])
			known.add(e[1])
		}
		found[i] = known.percent(known.slower)
		wrong := null.percent(null.faster + null.slower)
		t.Logf("%s: A/A called different %.1f%%, 1%% found in %.1f%%", kind.name, wrong, found[i])
		b.atMost("layouts shared, "+kind.name+": A/A called different", wrong, 5.7, n)
	}
	if found[0] < found[2]+40 {
		t.Errorf("a change of 1%% is found in %.1f%% of studies of shared layouts and code, in %.1f%% of others", found[0], found[2])
	}
}
