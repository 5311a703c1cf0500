package compare

import (
	"bytes"
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/tarebench/tare/internal/benchfile"
	"github.com/tarebench/tare/internal/result"
)

// together makes one recording of several benchmarks of two variants.
func together(recs ...*result.Recording) *result.Recording {
	out := *recs[0]
	out.Benchmarks, out.Rounds, out.Blocks = nil, nil, nil
	for i, rec := range recs {
		b := rec.Benchmarks[0]
		b.Name = string(rune('A' + i))
		out.Benchmarks = append(out.Benchmarks, b)
		for _, r := range rec.Rounds {
			r.Benchmark = i
			out.Rounds = append(out.Rounds, r)
		}
		for _, k := range rec.Blocks {
			k.Benchmark = i
			out.Blocks = append(out.Blocks, k)
		}
	}
	return &out
}

func TestLockstep(t *testing.T) {
	rec := together(
		simulated(8, 8, 0.05, 0.005, 0.002, 1),
		simulated(8, 8, -0.05, 0.005, 0.002, 2),
		simulated(8, 8, 0, 0.005, 0.002, 3),
		simulated(20, 8, 0, 0.005, 0.08, 4),
		simulated(0, 8, 0, 0, 0, 5),
		simulated(0, 8, 0, 0, 0, 6),
		simulated(0, 8, 0, 0, 0, 7),
	)
	rec.Stops = []result.Stop{
		{Benchmark: 4, Reason: "failed", Variant: 1, Message: "panic: boom"},
		{Benchmark: 5, Reason: "skipped", Message: "needs a network"},
	}
	rec.Benchmarks[6].Missing = []int{0}
	c := Lockstep(rec)

	if want := (result.Summary{Faster: 1, Slower: 1, Same: 1, Undecided: 1, Failed: 1}); c.Summary != want {
		t.Errorf("summary %+v, want %+v", c.Summary, want)
	}
	byName := make(map[string]result.BenchmarkComparison)
	for _, r := range c.Benchmarks {
		if r.Unit == "sec/op" {
			byName[r.Name] = r
		}
	}
	for name, want := range map[string]string{"E": "failed", "F": "skipped", "G": "one-side-only"} {
		if r := byName[name]; ids(r.Findings) != want || r.P != nil {
			t.Errorf("%s: %q, want %q", name, ids(r.Findings), want)
		}
	}
	if m := byName["E"].Findings[0].Message; !strings.Contains(m, "boom") || !strings.Contains(m, "in .") {
		t.Errorf("a failure without its words: %q", m)
	}
	for _, name := range []string{"A", "B", "C", "D"} {
		r := byName[name]
		if r.P == nil || r.PBH == nil || r.PHolm == nil || *r.PBH < *r.P || *r.PHolm < *r.PBH {
			t.Errorf("%s: p = %v, BH %v, Holm %v", name, r.P, r.PBH, r.PHolm)
		}
	}
	// p ≈ 0.04 twice among four: neither outlasts the adjustment.
	if got := ids(byName["A"].Findings); !strings.Contains(got, "not-after-adjustment") {
		t.Errorf("A: p = %v, BH %v: %q", *byName["A"].P, *byName["A"].PBH, got)
	}
	if c.Incomplete || c.Schema != result.Schema || len(c.Variants) != 2 {
		t.Errorf("incomplete %v, schema %d, %d variants", c.Incomplete, c.Schema, len(c.Variants))
	}
	g := c.GeoMeans[0]
	product := 1.0
	for _, name := range []string{"A", "B", "C", "D"} {
		product *= byName[name].Change.Ratio
	}
	if g.Unit != "sec/op" || g.N != 4 || math.Abs(g.Change.Ratio-math.Pow(product, 0.25)) > 1e-12 || !(g.Change.Lo < g.Change.Ratio && g.Change.Ratio < g.Change.Hi) {
		t.Errorf("geometric mean %+v of product %v", g, product)
	}
	a, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	if b, _ := json.Marshal(Lockstep(rec)); !bytes.Equal(a, b) {
		t.Error("the same recording gave other bytes")
	}
	rec.End = nil
	if !Lockstep(rec).Incomplete {
		t.Error("a recording without an end is not incomplete")
	}
}

// Where the budget ends between two looks, the blocks since the last look
// still count.
func TestLockstepLooksOnceMoreAtTheEnd(t *testing.T) {
	rec := simulated(10, 8, 0.01, 0.01, 0.01, 1)
	now, end := judgeOf(rec).Rows[0], Lockstep(rec).Benchmarks[0]
	if width := now.Change.Hi / now.Change.Lo; !(end.Change.Hi/end.Change.Lo < width) {
		t.Errorf("at 8 blocks [%v, %v], at the end with 10 [%v, %v]", now.Change.Lo, now.Change.Hi, end.Change.Lo, end.Change.Hi)
	}
}

func TestLockstepOfThreeVariants(t *testing.T) {
	rec := simulated(8, 8, 0.05, 0.005, 0.002, 1)
	rec.Study.Variants = append(rec.Study.Variants, result.Variant{Label: "third"})
	for i := range rec.Rounds {
		s := rec.Rounds[i].Slices
		third := s[0]
		third.Raw *= 0.9
		rec.Rounds[i].Slices = append(s, third)
	}
	c := Lockstep(rec)
	verdicts := make(map[int]result.Verdict)
	for _, r := range c.Benchmarks {
		if r.Unit == "sec/op" {
			verdicts[r.NewVariant] = r.Verdict
		}
	}
	if verdicts[1] != result.Slower || verdicts[2] != result.Faster || c.Summary.Faster != 1 || c.Summary.Slower != 1 {
		t.Errorf("%v, %+v", verdicts, c.Summary)
	}
	if len(c.GeoMeans) < 2 || c.GeoMeans[0].NewVariant != 1 || c.GeoMeans[1].NewVariant != 2 {
		t.Errorf("geometric means %+v", c.GeoMeans)
	}
}

func TestGateOutcome(t *testing.T) {
	small, large := 0.001, 0.4
	row := func(name string, v result.Verdict, lo, hi float64, holm *float64) result.BenchmarkComparison {
		return result.BenchmarkComparison{Key: result.Key{Name: name}, Unit: "sec/op", Verdict: v, PHolm: holm,
			Change: result.Change{Ratio: (lo + hi) / 2, Lo: lo, Hi: hi}}
	}
	nan := math.NaN()
	missing := row("missing", result.Undecided, nan, nan, nil)
	missing.Findings = append(missing.Findings, findingOf(oneSideOnly))
	worse := row("allocs", result.Slower, 1.5, 1.5, nil)
	worse.Exact = true
	for _, test := range []struct {
		name string
		rows []result.BenchmarkComparison
		want Gate
	}{
		{"nothing", nil, Open},
		{"faster and same", []result.BenchmarkComparison{row("a", result.Faster, 0.9, 0.95, &small), row("b", result.Same, 0.99, 1.01, &large)}, Pass},
		{"slower within the tolerance", []result.BenchmarkComparison{row("a", result.Slower, 1.001, 1.015, &small)}, Pass},
		{"slower beyond it", []result.BenchmarkComparison{row("a", result.Slower, 1.03, 1.05, &small)}, Regression},
		{"slower, perhaps beyond it", []result.BenchmarkComparison{row("a", result.Slower, 1.01, 1.05, &small)}, Regression},
		{"slower, but not among so many", []result.BenchmarkComparison{row("a", result.Slower, 1.03, 1.05, &large)}, Open},
		{"not significant is no pass", []result.BenchmarkComparison{row("a", result.Undecided, 0.97, 1.03, &large)}, Open},
		{"undecided between faster and same", []result.BenchmarkComparison{row("a", result.Undecided, 0.95, 1.01, &large)}, Pass},
		{"a regression outweighs what is open", []result.BenchmarkComparison{row("a", result.Undecided, 0.9, 1.1, &large), row("b", result.Slower, 1.03, 1.05, &small)}, Regression},
		{"failed", []result.BenchmarkComparison{row("a", result.Failed, nan, nan, nil)}, Open},
		{"too few blocks", []result.BenchmarkComparison{row("a", result.Undecided, nan, nan, nil)}, Open},
		{"on one side only", []result.BenchmarkComparison{row("a", result.Same, 0.99, 1.01, &large), missing}, Pass},
		{"exact", []result.BenchmarkComparison{worse}, Regression},
	} {
		if got := GateOutcome(result.Comparison{Alpha: 0.05, Delta: 0.02, Benchmarks: test.rows}); got != test.want {
			t.Errorf("%s: %s, want %s", test.name, got, test.want)
		}
	}

	// The rows behind it are those that regressed, else those that are open.
	rows := []result.BenchmarkComparison{row("open", result.Undecided, 0.9, 1.1, &large), row("same", result.Same, 0.99, 1.01, &large), row("slow", result.Slower, 1.03, 1.05, &small)}
	for _, test := range []struct {
		rows []result.BenchmarkComparison
		want string
	}{{rows, "slow"}, {rows[:2], "open"}, {rows[1:2], ""}} {
		names := ""
		_, behind := GateRows(result.Comparison{Alpha: 0.05, Delta: 0.02, Benchmarks: test.rows})
		for _, r := range behind {
			names += r.Name
		}
		if names != test.want {
			t.Errorf("the rows behind the gate are %q, want %q", names, test.want)
		}
	}
}

// FuzzRecording: whatever recording can be read has a table and a summary that
// can be written, whatever its numbers are.
func FuzzRecording(f *testing.F) {
	var b bytes.Buffer
	w := result.NewWriter(&b)
	rec := simulated(9, 3, 0.02, 0.01, 0.02, 6)
	study := rec.Study
	lines := []result.Line{{Study: &study}, {Benchmark: &rec.Benchmarks[0]}}
	for _, r := range rec.Rounds {
		lines = append(lines, result.Line{Round: &r})
	}
	for _, k := range rec.Blocks {
		lines = append(lines, result.Line{Block: &k})
	}
	for _, l := range lines {
		if err := w.Write(l); err != nil {
			f.Fatal(err)
		}
	}
	f.Add(b.Bytes())
	f.Add([]byte(`{"study":{"schema":1,"variants":[{},{}],"max_blocks":8}}
{"benchmark":{"name":"X"}}
{"round":{"slices":[{"n":1,"raw":1e300,"metrics":{"x":-1e308}},{"n":9223372036854775807,"raw":-1,"counted":true,"metrics":{"x":1e308}}]}}
{"block":{}}
{"stop":{"reason":"failed","variant":1}}
`))
	f.Fuzz(func(t *testing.T, text []byte) {
		rec, _, err := result.Read(bytes.NewReader(text))
		if err != nil || rec.Study.MaxBlocks > 50 || len(rec.Rounds) > 300 {
			return
		}
		for _, v := range []any{Lockstep(rec), Run(rec)} {
			if _, err := json.Marshal(v); err != nil {
				t.Fatal(err)
			}
		}
		FromRecording(&benchfile.File{Recording: rec})
	})
}
