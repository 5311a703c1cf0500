package judge

import (
	"math/rand/v2"
	"testing"

	"github.com/tarebench/tare/cmd/tare/internal/kind"
)

// warned runs the tests of assumptions on simulated rows of 40 blocks, whose
// differences are autoregressive with phi and move by so much with who starts
// first, and counts the rows with each finding.
func warned(rows int, phi, role float64, random *rand.Rand) (correlated, started int) {
	var a assumptions
	table := make([]*row, rows)
	for i := range table {
		table[i] = new(row)
	}
	for row := range rows {
		changes, first := make([]float64, 40), make([]bool, 40)
		at := 0.0
		for i := range changes {
			at = phi*at + random.NormFloat64()
			changes[i], first[i] = at, random.IntN(2) == 0
			if first[i] {
				changes[i] += role
			}
		}
		a.test(row, changes, first)
	}
	a.find(table, 0.05)
	for _, r := range table {
		for _, f := range r.Findings {
			if kind.BlocksCorrelated.Is(f) {
				correlated++
			}
			if kind.StartMatters.Is(f) {
				started++
			}
		}
	}
	return correlated, started
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
			if a, b := warned(rows, 0, 0, random); a+b > 0 {
				with++
			}
		}
		// Two of the three tests: 3.3%. More than 22 of 300 come up once in
		// 2,000 times.
		if with > 22 {
			t.Errorf("%d of %d runs of %d rows are warned about", with, runs, rows)
		}
	}
	const runs = 100
	correlated, started := 0, 0
	for range runs {
		a, _ := warned(1, 0.6, 0, random)
		_, b := warned(1, 0, 1.5, random)
		correlated, started = correlated+a, started+b
	}
	if correlated < 80 || started < 80 {
		t.Errorf("of %d rows %d are found to be correlated, %d to depend on the start", runs, correlated, started)
	}
}
