package judge

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/tarebench/tare/cmd/tare/internal/lab"
	"github.com/tarebench/tare/cmd/tare/internal/stats"
)

// TestLevelOfAnHour: the machine has two clock speeds, 1.6 apart, and is slow
// for a share of the time that another hour does not have. The interval of a
// level is about its hour: it covers the center of the hour's blocks at its
// rate, and hardly ever the level of another hour.
func TestLevelOfAnHour(t *testing.T) {
	t.Parallel()
	const blocks, alpha = 24, 0.05
	n := lab.Times(400, 10000)
	missed, another := 0, 0
	var levels []float64
	for hour := range uint64(n) {
		random := chance("level", hour+1)
		share := random.Float64()
		e := level(hourOf(random, share, blocks), unshared(blocks), alpha)
		center := math.Log(1.6) * share
		if math.Log(e.Lo) > center || math.Log(e.Hi) < center {
			missed++
		}
		if next := math.Log(1.6) * random.Float64(); math.Log(e.Lo) > next || math.Log(e.Hi) < next {
			another++
		}
		levels = append(levels, math.Log(e.Center))
	}
	t.Logf("levels of %d hours: 1.48 MAD %.1f%%; another hour is outside of the interval in %.0f%%", n, 148.26*stats.MAD(levels), 100*float64(another)/float64(n))
	atMost(t, "the interval misses the level of its hour", missed, n, alpha)
}

// hourOf are times per operation of blocks. A block is slow for a part of its
// time that varies around the share.
func hourOf(random *rand.Rand, share float64, blocks int) series {
	s := make(series, blocks)
	for i := range s {
		part := share + 0.1*random.NormFloat64()
		s[i] = []float64{math.Exp(math.Log(1.6)*part + 0.01*random.NormFloat64())}
	}
	return s
}

func unshared(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}
