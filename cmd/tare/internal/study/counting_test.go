package study

import (
	"testing"
	"time"

	"github.com/tarebench/tare/cmd/tare/internal/result"
)

// TestCountingIterations: as many as make fractions exact, for as long as a
// block can bear.
func TestCountingIterations(t *testing.T) {
	for _, c := range []struct {
		wall    time.Duration // of an iteration
		n, want int64         // of a timed slice, of a counting one
	}{
		{0, 50, 50}, // nothing known
		{20 * time.Microsecond, 50, 1000},
		{time.Millisecond, 2, 500},
		{time.Second, 1, 1},
	} {
		b := &bench{plan: result.Pilot{Iterations: c.n, IterationSeconds: c.wall.Seconds()}}
		if got := b.countingIterations(1000, 500*time.Millisecond); got != c.want {
			t.Errorf("an iteration of %v: %d are counted; want %d", c.wall, got, c.want)
		}
	}
}

// TestAgreed: six slopes that are alike settle a count; one that differs never
// does.
func TestAgreed(t *testing.T) {
	third, half := []float64{1, 111. / 333}, []float64{1, 0.5}
	for _, c := range []struct {
		name   string
		counts [][]float64
		want   bool
	}{
		{"one block", [][]float64{third, third}, false},
		{"three blocks alike", [][]float64{third, third, third, third, third, third}, true},
		{"one counts more", [][]float64{third, third, third, third, third, half}, false},
		{"the last three count the same", [][]float64{half, half, third, third, third, third, third, third}, false},
	} {
		if b := (&bench{counts: c.counts}); b.allocationsAgree() != c.want {
			t.Errorf("%s: agreed is %v", c.name, !c.want)
		}
	}
}
