package lint

import "github.com/tarebench/tare/finding"

var twoLoops = Check{
	Title:    "both b.N and b.Loop drive loops",
	Default:  true,
	Severity: finding.Severe,
	Wrong: `
func BenchmarkHash(b *testing.B) {
	data := make([]byte, 1024)
	for i := 0; i < b.N; i++ {
		crc32.ChecksumIEEE(data)
	}
	for b.Loop() {
		crc32.ChecksumIEEE(data)
	}
}`,
	Right: `
func BenchmarkHash(b *testing.B) {
	data := make([]byte, 1024)
	for b.Loop() {
		crc32.ChecksumIEEE(data)
	}
	b.ReportMetric(float64(b.N), "iterations")
}`,
	Analyzer: analyzer("twoloops", "report benchmarks that loop with both b.N and b.Loop\n\nb.Loop decides itself how often it runs and sets b.N when it ends; until then b.N is no count of anything. A b.N loop before it is set-up with a meaningless count, inside it the work of a meaningless size, after it a second benchmark whose time is added to the first.", runTwoLoops),
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
			r.report(l.stmt, "a b.N loop in a benchmark that loops with b.Loop: b.Loop sets b.N only when it ends, and both loops count into one time; keep one", nil)
		}
	}
}
