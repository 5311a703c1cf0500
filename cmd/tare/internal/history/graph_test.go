package history

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"testing"
	"time"
)

func hash(i int) string { return fmt.Sprintf("%040x", i+0xabcdef) }

// recorded is a history of n commits, each compared with its parent and with
// commit 0 on the machine that machineOf names.
func recorded(n int, steps map[int]float64, noise float64, machineOf func(k int) string) ([]File, []string) {
	random := rand.New(rand.NewPCG(5, 5))
	level := make([]float64, n)
	var files []File
	var line []string
	add := func(a, b int, machine string) {
		v := level[b] - level[a] + noise*random.NormFloat64()
		files = append(files, File{Name: fmt.Sprint(len(files)), Entry: Entry{Study: &Study{
			Machine: machine, Old: Commit{Hash: hash(a)}, New: Commit{Hash: hash(b)},
			Rows: []Row{{Pkg: "p", Name: "A", Unit: "sec/op", LogRatio: v, Lo: v - 1.96*noise, Hi: v + 1.96*noise, Blocks: 8}},
		}}})
	}
	for k := range n {
		line = append(line, hash(k))
		if k == 0 {
			continue
		}
		level[k] = level[k-1] + steps[k]
		add(k-1, k, machineOf(k))
		add(0, k, machineOf(k))
	}
	return files, line
}

func TestSeries(t *testing.T) {
	t.Parallel()
	files, line := recorded(60, map[int]float64{20: 0.05, 40: -0.02}, 0.002, func(k int) string { return fmt.Sprint("machine ", k/30) })
	files = append(files,
		File{Entry: Entry{Decision: &Decision{Commit: hash(20), Pkg: "p", Name: "A", Unit: "sec/op", LogRatio: 0.05, Lo: 0.04, Hi: 0.06, P: 1e-6, Found: true}}})
	g := NewGraph(files, line)
	s := g.Series(Key{"p", "A", "sec/op"}, 0)
	if math.Abs(s.Level[59]-0.03) > 0.005 {
		t.Errorf("the last level is %v", s.Level[59])
	}
	if len(s.Changes) != 1 || s.Changes[0].At != 20 {
		t.Errorf("changes %+v", s.Changes)
	}
	if len(s.Candidates) != 1 || s.Candidates[0].Commit != 40 {
		t.Errorf("candidates %+v", s.Candidates)
	}
	if o := g.Online(); o.Tests != 1 || o.Found != 1 {
		t.Errorf("state %+v", o)
	}
}

// Commits outside the line, a working tree and variants with keys have no place
// in the levels of the line.
func TestGraphOrder(t *testing.T) {
	t.Parallel()
	files := []File{
		{Entry: Entry{Study: &Study{Old: Commit{Hash: hash(0)}, New: Commit{Hash: hash(9), Time: time.Unix(9, 0)}}}},
		{Entry: Entry{Study: &Study{Old: Commit{Hash: hash(0)}, New: Commit{Hash: hash(1)}}}},
		{Entry: Entry{Study: &Study{Old: Commit{Hash: hash(1)}, New: Commit{}}}},
		{Entry: Entry{Study: &Study{Old: Commit{Hash: hash(1)}, New: Commit{Hash: hash(5), Variant: "tags=x"}}}},
	}
	g := NewGraph(files, []string{hash(0), hash(1), hash(2)})
	if len(g.Commits) != 3 || g.Line != 2 || g.Commits[2].Hash != hash(9) {
		t.Errorf("commits %+v, %d on the line", g.Commits, g.Line)
	}
	if g.Find(hash(1)) != 1 || g.Find("00") != -1 || g.Find(hash(1)[:38]) != -1 {
		t.Error("commits are found wrongly by their hash")
	}
}

// Commits of the same code share their comparisons.
func TestCompared(t *testing.T) {
	t.Parallel()
	edge := func(a, b int, same bool) File {
		return File{Entry: Entry{Study: &Study{Old: Commit{Hash: hash(a)}, New: Commit{Hash: hash(b)}, Rows: []Row{
			{Name: "A", Unit: "sec/op", Lo: -0.01, Hi: 0.01, SameCode: same}}}}}
	}
	// 0 is compared with 2, which has the code of 3, and 4 with 3. 5 has the code of 6.
	g := NewGraph([]File{edge(0, 2, false), edge(2, 3, true), edge(3, 4, false), edge(5, 6, true)}, nil)
	key := Key{Name: "A", Unit: "sec/op"}
	for _, test := range []struct {
		a, b int
		want bool
	}{{0, 2, true}, {3, 0, true}, {2, 4, true}, {0, 4, false}, {5, 6, true}, {2, 5, false}, {0, 9, false}} {
		if got := g.Compared(key, hash(test.a), hash(test.b)); got != test.want {
			t.Errorf("%d and %d: %v", test.a, test.b, got)
		}
	}
	if g.Compared(Key{Name: "B", Unit: "sec/op"}, hash(0), hash(2)) {
		t.Error("another benchmark is compared too")
	}
}

// The same code has the same level in every unit that was ever measured.
func TestSameCodeInEveryUnit(t *testing.T) {
	t.Parallel()
	same := &Study{Old: Commit{Hash: hash(0)}, New: Commit{Hash: hash(1)}, Rows: []Row{{Name: "A", Unit: "sec/op", SameCode: true}}}
	measured := &Study{Old: Commit{Hash: hash(1)}, New: Commit{Hash: hash(2)}, Rows: []Row{
		{Name: "A", Unit: "sec/op", LogRatio: 0.1, Lo: 0.09, Hi: 0.11, Blocks: 8}, {Name: "A", Unit: "B/op", LogRatio: 0.2, Lo: 0.2, Hi: 0.2, Blocks: 8}}}
	g := NewGraph([]File{{Entry: Entry{Study: same}}, {Entry: Entry{Study: measured}}}, []string{hash(0), hash(1), hash(2)})
	if n := len(g.Keys()); n != 2 {
		t.Errorf("%d series", n)
	}
	if s := g.Series(Key{Name: "A", Unit: "B/op"}, 0); s.Level[1] != 0 || math.Abs(s.Level[2]-0.2) > 1e-12 {
		t.Errorf("levels of B/op %v", s.Level)
	}
}

// A resumed study is one measurement: its last state counts, once, and other
// studies of the same commits count too.
func TestResumedStudyCountsOnce(t *testing.T) {
	t.Parallel()
	study := func(measurement string, k int, ratio float64, names ...string) File {
		s := &Study{Measurement: measurement, Old: Commit{Hash: hash(0)}, New: Commit{Hash: hash(k)}}
		for _, name := range names {
			s.Rows = append(s.Rows, Row{Name: name, Unit: "sec/op", LogRatio: ratio, Lo: ratio - 0.01, Hi: ratio + 0.01, Blocks: 8})
		}
		return File{Entry: Entry{Study: s}}
	}
	files := []File{study("x", 1, 0.3, "A"), study("", 1, 0.2, "A"), study("", 1, 0.2, "A"), study("x", 2, 0.7, "A"), study("y", 1, 0.2, "A"), study("x", 1, 0.2, "A", "B")}
	g := NewGraph(files, []string{hash(0), hash(1), hash(2)})
	a, b := g.Series(Key{Name: "A", Unit: "sec/op"}, 0), g.Series(Key{Name: "B", Unit: "sec/op"}, 0)
	if len(a.Edges) != 5 || len(b.Edges) != 1 || math.Abs(a.Level[1]-0.2) > 1e-12 || math.Abs(a.Level[2]-0.7) > 1e-12 {
		t.Errorf("%d edges, levels %v", len(a.Edges), a.Level)
	}
}

func TestAddAndLoad(t *testing.T) {
	t.Parallel()
	s := openFolder(filepath.Join(t.TempDir(), "h"))
	ctx := context.Background()
	for i, e := range []Entry{study(1), {Decision: &Decision{Commit: "x", Name: "A", Unit: "sec/op", P: 0.5}}} {
		if _, err := add(ctx, s, e, time.Unix(int64(i), 0)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := add(ctx, s, Entry{}, time.Now()); err == nil {
		t.Error("an empty entry was stored")
	}
	files, skipped, err := load(ctx, s)
	if err != nil || len(skipped) != 0 || len(files) != 2 || files[0].Study == nil || files[1].Decision == nil {
		t.Errorf("%+v, %+v, %v", files, skipped, err)
	}
}

// An edge has the standard error of its center. The interval, which is valid at
// every look, is twice as wide after eight blocks.
func TestEdgeHasTheStandardError(t *testing.T) {
	t.Parallel()
	file := func(se float64) File {
		return File{Entry: Entry{Study: &Study{Old: Commit{Hash: hash(0)}, New: Commit{Hash: hash(1)},
			Rows: []Row{{Name: "A", Unit: "sec/op", Lo: -0.0196, Hi: 0.0196, SE: se, Blocks: 8}}}}}
	}
	for se, want := range map[float64]float64{0.004: 0.004 * math.Sqrt(7./5), 1e-9: leastSD} {
		if s := NewGraph([]File{file(se)}, nil).Series(Key{Name: "A", Unit: "sec/op"}, 0); math.Abs(s.Edges[0].SD-want) > 1e-9 {
			t.Errorf("of %v: %v, want %v", se, s.Edges[0].SD, want)
		}
	}
}
