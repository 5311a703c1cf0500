package report

import (
	"testing"

	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/words"
)

func TestCommandForOneBenchmark(t *testing.T) {
	key := result.Key{Name: "Encode/size=1k", Procs: 2}
	rec := &result.Recording{Benchmarks: []result.Benchmark{{Key: key}}}
	rec.Study.Command = []string{"tare", "compare", "-bench", ".", "-bench=Old", "main", ".", "--", "-x"}
	d := Document{Recording: rec}
	got := words.Shell(d.Again(key))
	if want := `tare compare -bench '^BenchmarkEncode$/^size=1k$' main . -- -x`; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
