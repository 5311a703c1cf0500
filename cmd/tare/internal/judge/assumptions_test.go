package judge

import (
	"math/rand/v2"
	"testing"

	"github.com/tarebench/tare/cmd/tare/internal/catalog"
)

// correlated runs the test on simulated rows of 40 blocks, whose differences are
// autoregressive with phi, and counts the rows with the finding.
func correlated(rows int, phi float64, random *rand.Rand) (found int) {
	table := make([]*row, rows)
	for i := range table {
		table[i] = &row{iv: exactInterval(0, true, 40), changes: make([]float64, 40)}
		at := 0.0
		for k := range table[i].changes {
			at = phi*at + random.NormFloat64()
			table[i].changes[k] = at
		}
	}
	warnCorrelated(table, 0.05)
	for _, r := range table {
		for _, f := range r.Findings {
			if catalog.BlocksCorrelated.Is(f) {
				found++
			}
		}
	}
	return found
}

// TestAssumptions: runs in which all assumptions hold are seldom warned about,
// however many rows they have, and strong violations are found.
func TestAssumptions(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	for _, rows := range []int{1, 20, 160} {
		if raceDetector && rows > 20 {
			continue // it sees the same code, ten times slower
		}
		const runs = 300
		with := 0
		for range runs {
			if correlated(rows, 0, random) > 0 {
				with++
			}
		}
		// One of the three tests: 1.7%. More than 14 of 300 come up once in 5,000
		// times.
		if with > 14 {
			t.Errorf("%d of %d runs of %d rows are warned about", with, runs, rows)
		}
	}
	const runs = 100
	found := 0
	for range runs {
		found += correlated(1, 0.6, random)
	}
	if found < 80 {
		t.Errorf("of %d rows %d are found to be correlated", runs, found)
	}
}
