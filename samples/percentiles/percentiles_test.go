package percentiles

import (
	"testing"

	"github.com/tarebench/tare"
	"github.com/tarebench/tare/benchmark"
)

const line = "GET /index.html HTTP/1.1 200 1024"

func TestLog(t *testing.T) {
	var l Log
	for range 49 {
		l.Append(line)
	}
	if l.Sum != 0 || len(l.lines) != 49*len(line) {
		t.Errorf("sealed early: sum %x, %d bytes", l.Sum, len(l.lines))
	}
	l.Append(line)
	if l.Sum == 0 || len(l.lines) != 0 {
		t.Errorf("not sealed: sum %x, %d bytes", l.Sum, len(l.lines))
	}
}

func BenchmarkMean(b *testing.B) {
	var l Log
	for b.Loop() {
		l.Append(line)
	}
}

func BenchmarkPercentiles(b *testing.B) {
	var l Log
	tb := benchmark.NewB(b, tare.Repeat(1)) // the slow one in fifty is the subject
	for tb.Loop() {
		l.Append(line)
		tb.Lap()
	}
}
