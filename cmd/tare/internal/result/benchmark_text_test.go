package result

import (
	"bytes"
	"strings"
	"testing"
)

// TestBenchmarkText: a line per block, the medians of its timed slices. A
// reported metric in one of tare's units is separate, as in tables; units that
// tare does not know keep their values.
func TestBenchmarkText(t *testing.T) {
	slice := func(raw float64, metrics map[string]float64) []Slice {
		return []Slice{{N: 100, Raw: raw, Counted: true, Mallocs: 300, Bytes: 4800, Metrics: metrics}}
	}
	sized := slice(5000, nil) // by b.SetBytes
	sized[0].SetBytes = 100
	reported := map[string]float64{
		"sec/op": 7, "B/op": 7, "allocs/op": 7, // ReportMetric(7e9, "ns/op") and the like
		"p99-sec/op": 3e-6, "msec/op": 5, "sec/GC": 2e-3, "B/s": 8e6, "disk-B/s": 9,
	}
	rec := &Recording{
		Study:      Study{Variants: []Variant{{Label: "old"}}},
		Benchmarks: []Benchmark{{Key: Key{Pkg: "p", Name: "X/size=1", Procs: 4}}, {Key: Key{Pkg: "p", Name: "Empty", Procs: 1}}},
	}
	rec.Benchmarks[0].Blocks = []Block{
		{
			Rounds: []Round{
				{Slices: slice(900_000, nil), Warmup: true},
				{Slices: slice(1000, reported)},
				{Slices: slice(3000, reported)},
				{Slices: slice(2000, reported)},
			},
			Counting: []Round{{Slices: slice(900_000, nil)}},
		},
		{Block: 1, Disturbed: "stolen", Rounds: []Round{{Slices: slice(5000, nil)}}},
		{Block: 2, Rounds: []Round{{Slices: sized}}},
		{Block: 3, Failed: "old ended", Rounds: []Round{{Slices: slice(5000, nil)}}},
	}
	var b bytes.Buffer
	if err := WriteBenchmarks(&b, rec); err != nil {
		t.Fatal(err)
	}
	want := `pkg: p
BenchmarkX/size=1-4	300	7e+09 ns/op	8 MB/s	7 B/op	7 allocs/op	9 disk-B/s	5 msec/op	2000000 ns/GC	3000 p99-ns/op
BenchmarkX/size=1-4	100	50 ns/op	2000 MB/s	48 B/op	3 allocs/op
`
	_, got, _ := strings.Cut(b.String(), "pkg")
	if got = "pkg" + got; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
