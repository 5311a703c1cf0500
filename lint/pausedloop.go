package lint

import (
	"go/ast"

	"github.com/tarebench/tare/finding"
)

var pausedLoop = Check{
	Title:    "the timer is stopped and started in every iteration",
	Default:  true,
	Severity: finding.Info,
	Wrong: `
func BenchmarkSort(b *testing.B) {
	values := rand.Perm(1000)
	work := make([]int, len(values))
	for i := 0; i < b.N; i++ {
		b.StopTimer()
		copy(work, values)
		b.StartTimer()
		sort.Ints(work)
	}
}`,
	Right: `
func BenchmarkSort(b *testing.B) {
	values := rand.Perm(1000)
	work := make([]int, len(values))
	for b.Loop() {
		copy(work, values)
		sort.Ints(work)
	}
}`,
	Analyzer: analyzer("pausedloop", "report StopTimer and StartTimer inside the timed loop\n\nEvery pause adds its clock reads to the measured time (about 26 to 53 ns each) and stops the world twice: a benchmark of a fast operation reads far too slow and runs for minutes. Move the set-up out of the loop, let it be measured when it is small, or measure with tare, which calibrates the pause and takes it off.", runPausedLoop),
}

func runPausedLoop(r *reporter, s *scope) {
	for _, l := range s.outermost() {
		if l.kind == loopNext {
			continue
		}
		for _, c := range s.timerCalls(l) {
			if methodName(c) == "StopTimer" && s.inEveryIteration(c, l) {
				r.report(c, "the timer is paused in every iteration: each pause adds tens of nanoseconds to the time and stops the world twice; move the set-up out of the loop, or measure with tare, which takes the pause off", nil)
				break
			}
		}
	}
}

// inEveryIteration is unconditional without literals: a pause in an error
// path or every thousandth iteration costs little.
func (s *scope) inEveryIteration(n ast.Node, l *loop) bool {
	return s.unconditional(n, l)
}
