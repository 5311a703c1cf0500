package judge

import (
	"math"

	"github.com/tarebench/tare/internal/unit"
)

// looksCost is the factor by which the looks of a sequential design widen an
// interval. Pocock's boundary of five looks is at 2.41 instead of 1.96, which
// is 1.23 times (Pocock 1977). The boundary of a study that ends at a look
// before its last is less wide. With this value, simulated runs end when
// expected (TestForecast in internal/study).
const looksCost = 1.15

// Expected estimates how many replicates of standard deviation sd settle a row
// ([Interval.settled]) whose center does not change. An interval of half-width
// z·sd/√n settles it by a distance w with (z·sd/w)² replicates, and the fewest
// count. The distances are to exclude 0 at alpha/family, or to be within delta.
// Under a gate, they are to end below delta, or to begin above it at
// alpha/family. Expected is 0 if the number is unknown.
//
// The interval itself is less useful: at the first look it spans all
// replicates, and then shrinks faster than 1/√n.
func (iv Interval) Expected(sd, delta float64, better unit.Direction, gate bool, alpha float64, family int) int {
	x, joint := iv.tolerance(delta), normal(alpha/float64(max(family, 1)))
	type way struct{ z, w float64 }
	ways := []way{{normal(alpha), x - math.Abs(iv.Center)}, {joint, math.Abs(iv.Center)}}
	if gate {
		worse := iv.Center
		switch better {
		case unit.HigherIsBetter:
			worse = -worse
		case unit.Unknown:
			worse = math.Abs(worse)
		}
		ways = []way{{normal(alpha), x - worse}, {joint, worse - x}}
	}
	least := math.Inf(1)
	for _, y := range ways {
		if y.w > 0 && sd >= 0 {
			root := looksCost * y.z * sd / y.w
			least = min(least, root*root)
		}
	}
	if least > math.MaxInt32 {
		return 0
	}
	return int(math.Ceil(least - 1e-9))
}

// normal is the two-sided quantile of a standard normal distribution.
func normal(alpha float64) float64 { return math.Sqrt2 * math.Erfinv(1-alpha) }
