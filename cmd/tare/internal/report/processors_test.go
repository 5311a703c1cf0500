package report

import (
	"fmt"
	"testing"

	"github.com/tarebench/tare/cmd/tare/internal/result"
)

func TestProcessors(t *testing.T) {
	document := func(sets ...string) Document {
		c := &result.Comparison{Config: map[string]string{"goos": "linux"}}
		for i, set := range sets {
			key := result.Key{Name: fmt.Sprint("B", i), Procs: 2}
			c.Benchmarks = append(c.Benchmarks,
				result.BenchmarkComparison{Key: key, Unit: "sec/op", Blocks: 8, CPUs: set},
				result.BenchmarkComparison{Key: key, Unit: "B/op", Blocks: 8},
				result.BenchmarkComparison{Key: result.Key{Name: "Same"}, Unit: "sec/op"}) // not measured
		}
		return Document{Comparison: c}
	}
	for want, d := range map[string]Document{
		"":                            document("", ""),
		"0":                           document("0", "0"),
		"0; all for B1-2":             document("0", "", "0"),
		"0; all for B1-2; 1 for B3-2": document("0", "", "0", "1", "0"),
		"1; all for 4 benchmarks":     document("1", "1", "1", "1", "1", "", "", "", ""),
	} {
		if got := d.Config()["cpus"]; got != want {
			t.Errorf("%q, want %q", got, want)
		}
		if d.Comparison.Config["cpus"] != "" {
			t.Error("the comparison's own configuration was changed")
		}
	}
	run := Document{Run: &result.Run{Benchmarks: []result.Measurement{{Key: result.Key{Name: "A"}, Unit: "sec/op", Blocks: 3, CPUs: "1"}}}}
	if got := run.Config()["cpus"]; got != "1" {
		t.Errorf("a run: %q", got)
	}
}
