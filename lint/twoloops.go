package lint

import "github.com/tarebench/tare/finding"

var twoLoops = Check{
	Analyzer: analyzer("twoloops", runTwoLoops),
	Severity: finding.Severe,
	Default:  true,
}

func runTwoLoops(r *reporter, s *scope) {
	var main *loop
	for _, l := range s.loops {
		if l.kind == loopLoop {
			main = l
			break
		}
	}
	if main == nil {
		return
	}
	for _, l := range s.loops {
		if l.kind == loopN && !s.exclusive(l, main) {
			r.report(l.stmt, "a b.N loop in a benchmark that loops with b.Loop: b.Loop sets b.N only when it ends, and both loops count into one time", "keep one", nil)
		}
	}
}
