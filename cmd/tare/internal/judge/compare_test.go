package judge

import (
	"bytes"
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/tarebench/tare/cmd/tare/internal/result"
)

// together makes one recording of several benchmarks of two variants.
func together(recs ...*result.Recording) *result.Recording {
	out := *recs[0]
	out.Benchmarks = nil
	for i, rec := range recs {
		b := rec.Benchmarks[0]
		b.Name = string(rune('A' + i))
		for k := range b.Blocks {
			b.Blocks[k].Benchmark = i
		}
		out.Benchmarks = append(out.Benchmarks, b)
	}
	return &out
}

func TestLockstep(t *testing.T) {
	rec := together(
		simulated(10, 8, 0.05, 0.005, 0.002, 1),
		simulated(10, 8, -0.05, 0.005, 0.002, 2),
		simulated(8, 8, 0, 0.005, 0.002, 3),
		simulated(20, 8, 0, 0.005, 0.08, 4),
		simulated(0, 8, 0, 0, 0, 5),
		simulated(0, 8, 0, 0, 0, 6),
		simulated(0, 8, 0, 0, 0, 7),
	)
	rec.Stops = []result.Stop{
		{Benchmark: 0, Reason: "budget"}, {Benchmark: 1, Reason: "budget"}, {Benchmark: 2, Reason: "decided"}, {Benchmark: 3, Reason: "budget"},
		{Benchmark: 4, Reason: "failed", Variant: 1, Message: "panic: boom"},
		{Benchmark: 5, Reason: "skipped", Message: "needs a network"},
	}
	rec.Benchmarks[6].Missing = []int{0}
	c := Compare(rec)

	if want := (result.Summary{Faster: 1, Slower: 1, Same: 1, Undecided: 1, Failed: 1, Skipped: 1, Missing: 1}); c.Summary != want {
		t.Errorf("summary %+v, want %+v", c.Summary, want)
	}
	byName := make(map[string]result.BenchmarkComparison)
	for _, r := range c.Benchmarks {
		if r.Unit == "sec/op" {
			byName[r.Name] = r
		}
	}
	for name, want := range map[string]string{"E": "failed", "F": "skipped", "G": "missing"} {
		if r := byName[name]; ids(r.Findings) != want || r.P != nil {
			t.Errorf("%s: %q, want %q", name, ids(r.Findings), want)
		} else if string(r.Verdict) != want {
			t.Errorf("%s: verdict %s, want %s", name, r.Verdict, want)
		}
	}
	if m := byName["E"].Findings[0].Message; !strings.Contains(m, "boom") || !strings.Contains(m, "in .") {
		t.Errorf("a failure without its words: %q", m)
	}
	for _, name := range []string{"A", "B", "C", "D"} {
		r := byName[name]
		if r.P == nil || r.PHolm == nil || *r.PHolm < *r.P {
			t.Errorf("%s: p = %v, Holm %v", name, r.P, r.PHolm)
		}
	}
	// The first look that may decide for four rows is at 9 blocks: 4·2/512.
	if got := ids(byName["A"].Findings); strings.Contains(got, "not-after-adjustment") || *byName["A"].PHolm != 4*2./512 {
		t.Errorf("A: p = %v, Holm %v: %q", *byName["A"].P, *byName["A"].PHolm, got)
	}
	for _, name := range []string{"A", "B", "C", "D"} { // one row, one estimate
		if r := byName[name]; math.Abs(r.New.Center/(r.Old.Center*r.Change.Ratio)-1) > 1e-12 {
			t.Errorf("%s: %v is not %v times %v", name, r.New.Center, r.Old.Center, r.Change.Ratio)
		}
	}
	if c.Incomplete || len(c.Variants) != 2 {
		t.Errorf("incomplete %v, %d variants", c.Incomplete, len(c.Variants))
	}
	g := c.GeoMeans[0]
	if g.Unit != "sec/op" || g.N != 4 || !(g.Change.Lo < 1 && 1 < g.Change.Hi) || math.Abs(g.New/(g.Old*g.Change.Ratio)-1) > 1e-12 {
		t.Errorf("geometric mean %+v of +5, -5, 0 and 0%%", g)
	}
	a, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	if b, _ := json.Marshal(Compare(rec)); !bytes.Equal(a, b) {
		t.Error("the same recording gave other bytes")
	}
	rec.End = nil
	if !Compare(rec).Incomplete {
		t.Error("a recording without an end is not incomplete")
	}
}

// Where the budget ends between two looks, the blocks since the last look
// still count.
func TestLockstepLooksOnceMoreAtTheEnd(t *testing.T) {
	rec := simulated(10, 8, 0.01, 0.01, 0.01, 1)
	rec.Study.Delta = 0 // nothing stops it at 8
	now, end := judgeOf(rec).Rows[0], Compare(rec).Benchmarks[0]
	if width := now.Change.Hi / now.Change.Lo; !(end.Change.Hi/end.Change.Lo < width) {
		t.Errorf("at 8 blocks [%v, %v], at the end with 10 [%v, %v]", now.Change.Lo, now.Change.Hi, end.Change.Lo, end.Change.Hi)
	}
}

func TestLockstepOfThreeVariants(t *testing.T) {
	rec := simulated(8, 8, 0.05, 0.005, 0.002, 1)
	rec.Study.Variants = append(rec.Study.Variants, result.Variant{Label: "third"})
	for _, b := range rec.Benchmarks[0].Blocks {
		for i, r := range b.Rounds {
			third := r.Slices[0]
			third.Raw *= 0.9
			b.Rounds[i].Slices = append(r.Slices, third)
		}
	}
	c := Compare(rec)
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

// FuzzRecording: whatever recording can be read has a table and a summary that
// can be written, whatever its numbers are.
func FuzzRecording(f *testing.F) {
	var b bytes.Buffer
	w := result.NewWriter(&b)
	rec := simulated(9, 3, 0.02, 0.01, 0.02, 6)
	study := rec.Study
	lines := []result.Line{{Study: &study}, {Benchmark: &rec.Benchmarks[0]}}
	for _, k := range rec.Benchmarks[0].Blocks {
		lines = append(lines, result.Line{Block: &k})
	}
	for _, l := range lines {
		if err := w.Write(l); err != nil {
			f.Fatal(err)
		}
	}
	f.Add(b.Bytes())
	f.Add([]byte(`{"study":{"schema":2,"variants":[{},{}],"max_blocks":8}}
{"benchmark":{"name":"X"}}
{"block":{"rounds":{"count":1,"sides":[{"n":1,"t":1e300,"metrics":{"x":-1e308}},{"n":9007199254740992,"t":-1,"counted":1,"metrics":{"x":1e308}}]}}}
{"stop":{"reason":"failed","variant":1}}
`))
	f.Fuzz(func(t *testing.T, text []byte) {
		rec, err := result.Read(bytes.NewReader(text))
		if err != nil || rec.Study.MaxBlocks > 50 {
			return
		}
		rounds := 0
		for _, b := range rec.Benchmarks {
			for _, k := range b.Blocks {
				rounds += k.RoundCount()
			}
		}
		if rounds > 300 {
			return
		}
		if _, err := json.Marshal(Compare(rec)); err != nil {
			t.Fatal(err)
		}
		for _, b := range rec.Benchmarks {
			BlockMedians(b.Unpacked(), 0)
		}
	})
}
