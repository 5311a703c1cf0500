package judge

import "testing"

// TestMeanBounds: the interval for the mean of symmetric values misses it as often as
// it says, and exchanging signs exchanges its ends.
func TestMeanBounds(t *testing.T) {
	t.Parallel()
	for _, n := range []int{8, 20} {
		const samples = 400
		above, below := 0, 0
		for i := range samples {
			x := normalSigns(n, uint64(i))
			lo, hi := meanBounds(x, 0.05)
			for k := range x {
				x[k] = -x[k]
			}
			if l, h := meanBounds(x, 0.05); l != -hi || h != -lo {
				t.Fatalf("%v … %v, with other signs %v … %v", lo, hi, l, h)
			}
			if lo > 0 {
				above++
			}
			if hi < 0 {
				below++
			}
		}
		for _, k := range []int{above, below} { // 20 ± 4
			if k < 5 || k > 40 {
				t.Errorf("%d values: %d and %d of %d intervals miss 0 on a side, want about 5%%", n, above, below, samples)
				break
			}
		}
	}
}
