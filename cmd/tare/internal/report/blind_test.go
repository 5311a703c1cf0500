package report

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/words"
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

// TestBlindLines: each function is in one part of the line, and packages elsewhere
// count as unseen.
func TestBlindLines(t *testing.T) {
	seen := func(name string, from float64) result.Seen {
		return result.Seen{Name: "m." + name, Reached: 1, Samples: 9, Smallest: &result.Interval{Lo: from / 2, Hi: from}}
	}
	blind := result.Seen{Name: "m.Blind"}
	for _, c := range []struct {
		functions []result.Seen
		elsewhere []string
		want      []string
		blind     int
	}{
		{nil, []string{"m/cmd/app", "m/x"}, []string{"Changed, but in no program of this comparison: m/cmd/app, m/x."}, 2},
		{[]result.Seen{blind}, []string{"m/x"}, []string{"1 function changed. No slowdown would have been seen in 1: m.Blind.", "Changed, but in no program of this comparison: m/x."}, 2},
		{[]result.Seen{seen("A", 0.05), seen("B", 0.4), seen("C", 0.3), seen("D", 3), blind}, nil,
			[]string{"5 functions changed. A slowdown of 10% would have been seen in 1, of 50% in 2 more, of more than 50%, if any, in 1, not at all in 1: m.Blind."}, 1},
		{[]result.Seen{seen("B", 0.4)}, nil, []string{"1 function changed. A slowdown of 10% would have been seen in none, of 50% in 1."}, 0},
	} {
		d := Document{Comparison: &result.Comparison{Blind: []result.Blind{{NewVariant: 1, Functions: c.functions, Elsewhere: c.elsewhere}}}}
		if got := d.BlindLines(); !slices.Equal(got, c.want) {
			t.Errorf("%q, want %q", got, c.want)
		}
		if n := d.blind(); n == nil || *n != c.blind {
			t.Errorf("%q: blind to %v, want %d", c.want, n, c.blind)
		}
	}
}

// TestBlindTableFits: 80 columns suffice for long names.
func TestBlindTableFits(t *testing.T) {
	key := result.Key{Pkg: "example.com/m", Name: "DecodeLargeDocuments/size=1048576", Procs: 16}
	f := result.Seen{Name: "example.com/m.(*decoder).readEverything", File: "internal/decoding/decoder.go", Line: 1234, Reached: 1, Samples: 90,
		Benchmarks: []result.SeenIn{{Key: key, Share: result.Estimate{Center: 0.5, Lo: 0.4, Hi: 0.6}}}, Smallest: &result.Interval{Lo: 0.07, Hi: 0.15}}
	for _, width := range []int{80, 120, 0} {
		w := &textWriter{o: Options{Width: width, Verbose: true}}
		w.blind(Document{Comparison: &result.Comparison{Blind: []result.Blind{{NewVariant: 1, Functions: []result.Seen{f}}}}})
		var b bytes.Buffer
		if err := w.flush(&b); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(b.String()) {
			if line = strings.TrimSuffix(line, "\n"); width > 0 && words.Columns(line) > width {
				t.Errorf("%d columns of %d: %s", words.Columns(line), width, line)
			}
		}
		if !strings.Contains(b.String(), "+7.0 … 15%") || strings.Contains(b.String(), "decoder.go:1234") != (width == 0) {
			t.Errorf("%d columns: %s", width, b.String())
		}
	}
}
