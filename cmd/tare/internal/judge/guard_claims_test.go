package judge

import (
	"math"
	"testing"

	"github.com/tarebench/tare/cmd/tare/internal/result"
)

// A verdict stands where whole blocks point the same way, within the tolerance,
// and are precise enough to say so.
func TestGuardAllows(t *testing.T) {
	const delta = 0.02
	nan := math.NaN()
	for _, test := range []struct {
		name           string
		center, half   float64
		verdict        result.Verdict
		lo, hi         float64 // of the guard
		strict, wallOK result.Held
	}{
		{"32% faster by slices, 170% slower in all", -0.38, 0.1, result.Faster, 0.9, 1.1, result.HeldDisagrees, result.HeldDisagrees},
		{"agrees", -0.05, 0.01, result.Faster, -0.06, -0.03, result.NotHeld, result.NotHeld},
		{"known to point the same way within the tolerance", -0.03, 0.01, result.Faster, -0.05, 0.015, result.NotHeld, result.NotHeld},
		{"too imprecise", -0.03, 0.01, result.Faster, -0.10, 0.05, result.HeldImprecise, result.NotHeld},
		{"nothing known", -0.03, 0.01, result.Faster, nan, nan, result.HeldImprecise, result.NotHeld},
		{"the same sign, far less", -0.30, 0.01, result.Faster, -0.10, -0.08, result.HeldDisagrees, result.HeldDisagrees},
		{"slower", 0.05, 0.01, result.Slower, 0.03, 0.06, result.NotHeld, result.NotHeld},
		{"slower, faster in all", 0.05, 0.01, result.Slower, -0.06, -0.03, result.HeldDisagrees, result.HeldDisagrees},
		{"same", 0, 0.01, result.Same, -0.02, 0.02, result.NotHeld, result.NotHeld},
		{"same, perhaps more in all", 0, 0.01, result.Same, -0.01, 0.05, result.HeldImprecise, result.HeldImprecise},
		{"same, more in all", 0, 0.01, result.Same, 0.05, 0.07, result.HeldDisagrees, result.HeldDisagrees},
		{"undecided", 0, 0.1, result.Undecided, 1, 2, result.NotHeld, result.NotHeld},
	} {
		iv := about(test.center, test.half)
		for steady, want := range map[bool]result.Held{true: test.strict, false: test.wallOK} {
			g := &Guard{Center: (test.lo + test.hi) / 2, Lo: test.lo, Hi: test.hi, ApartLo: test.lo - iv.Hi, ApartHi: test.hi - iv.Lo, steady: steady, Tolerance: GuardTolerance(delta)}
			if got := g.Allows(iv, test.verdict, delta); got != want {
				t.Errorf("%s, steady %v: %q, want %q", test.name, steady, got, want)
			}
		}
	}
}

func TestGuardAllowsGate(t *testing.T) {
	const delta = 0.02
	for _, test := range []struct {
		center, half float64
		outcome      Gate
		lo, hi       float64
		want         result.Held
	}{
		{0, 0.01, Pass, -0.01, 0.03, result.NotHeld},
		{0, 0.01, Pass, 0.06, 0.08, result.HeldDisagrees},
		{0, 0.01, Pass, -0.03, 0.06, result.HeldImprecise},
		{-0.2, 0.1, Pass, -0.2, -0.1, result.NotHeld},
		{0.1, 0.01, Regression, 0.08, 0.12, result.NotHeld},
		{0.1, 0.01, Regression, -0.05, -0.03, result.HeldDisagrees},
		{0.05, 0.04, Open, -1, 1, result.NotHeld},
	} {
		iv := about(test.center, test.half)
		g := &Guard{Lo: test.lo, Hi: test.hi, ApartLo: test.lo - iv.Hi, ApartHi: test.hi - iv.Lo, Tolerance: GuardTolerance(delta)}
		if got := g.AllowsGate(iv, test.outcome, delta); got != test.want {
			t.Errorf("%v ± %v, %s, guard %v … %v: %q, want %q", test.center, test.half, test.outcome, test.lo, test.hi, got, test.want)
		}
	}
}
