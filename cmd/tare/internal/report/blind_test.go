package report

import (
	"testing"

	"github.com/tarebench/tare/cmd/tare/internal/result"
)

// TestReachedBy: the benchmarks that see a function come first, and up to three are
// named, also without a sample.
func TestReachedBy(t *testing.T) {
	key := func(name string) result.Key { return result.Key{Pkg: "p", Name: name, Procs: 2} }
	a, b, c, d := key("A"), key("B"), key("C"), key("D")
	for want, f := range map[string]result.Seen{
		"":                         {},
		"A-2, B-2":                 {Reached: 2, ReachedBy: []result.Key{a, b}, Samples: 30},
		"C-2, A-2":                 {Reached: 2, ReachedBy: []result.Key{a, c}, Benchmarks: []result.SeenIn{{Key: c}}},
		"D-2, A-2, B-2 and 9 more": {Reached: 12, ReachedBy: []result.Key{a, b, c}, Benchmarks: []result.SeenIn{{Key: d}}},
	} {
		if got := reachedBy(&f); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
