package history

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tarebench/tare/cmd/tare/internal/catalog"
	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/session"
	"github.com/tarebench/tare/internal/finding"
)

func hashAt(k int) string { return fmt.Sprintf("%040x", k+1) }

// edge is a comparison of two commits, with a row for each name.
func edge(a, b int, names ...string) File {
	s := &Study{Machine: "m", Old: Commit{Hash: hashAt(a)}, New: Commit{Hash: hashAt(b)}}
	for _, name := range names {
		s.Rows = append(s.Rows, Row{Pkg: "p", Name: name, Unit: "sec/op", Lo: -0.01, Hi: 0.01, Blocks: 8})
	}
	return File{Entry: Entry{Study: s}}
}

func found(k int, name string) File {
	return File{Entry: Entry{Decision: &Decision{Commit: hashAt(k), Pkg: "p", Name: name, Unit: "sec/op", Found: true}}}
}

// Benchmarks with a candidate come first, then those that changed often, then
// those that have never been compared, then those compared longest ago.
func TestRank(t *testing.T) {
	t.Parallel()
	line := []string{hashAt(0), hashAt(1), hashAt(2), hashAt(3)}
	g := NewGraph([]File{
		edge(0, 1, "Old", "Recent", "Once", "Twice", "Open"), edge(1, 2, "Recent", "Once", "Twice", "Open"), edge(2, 3, "Recent"),
		found(1, "Once"), found(1, "Twice"), found(2, "Twice"),
		{Entry: Entry{Study: &Study{Old: Commit{Hash: hashAt(8)}, New: Commit{Hash: hashAt(9)},
			Rows: []Row{{Pkg: "elsewhere", Name: "Aside", Unit: "sec/op"}}}}},
	}, line)
	open := func(k Key) []Candidate {
		if k.Name == "Open" {
			return make([]Candidate, 1)
		}
		return nil
	}
	of := rank(g, open)
	var got []string
	names := []string{"Recent", "Old", "New", "Once", "Twice", "Open"}
	slices.SortFunc(names, func(a, b string) int { return of[result.Key{Pkg: "p", Name: a}] - of[result.Key{Pkg: "p", Name: b}] })
	got = append(got, names...)
	if want := []string{"Open", "Twice", "Once", "New", "Old", "Recent"}; !slices.Equal(got, want) {
		t.Errorf("order %v, want %v", got, want)
	}
	// A benchmark that was compared on another branch only has no place on the
	// line.
	if of[result.Key{Pkg: "elsewhere", Name: "Aside"}] != of[result.Key{Pkg: "p", Name: "New"}] {
		t.Error("a benchmark of another branch is not as new as one without a history")
	}
	if of[result.Key{Pkg: "p"}] != of[result.Key{Pkg: "p", Name: "Open"}] || of[result.Key{Pkg: "q"}] != of[result.Key{Pkg: "p", Name: "New"}] {
		t.Error("a package has not the rank of its first benchmark")
	}
}

// Benchmarks that the time did not reach are named.
func TestUnmeasured(t *testing.T) {
	t.Parallel()
	row := func(name, unit string, v result.Verdict) result.BenchmarkComparison {
		return result.BenchmarkComparison{Key: result.Key{Pkg: "p", Name: name}, Unit: unit, Verdict: v}
	}
	got := unmeasured(result.Comparison{
		Findings:   []finding.Finding{catalog.PackageNotReached.Of("q"), catalog.NotBuilt.Of("r", finding.Text("variant", "v1"), finding.Text("why", "x")), catalog.Missing.Of("s", finding.Text("variant", "v1"))},
		Benchmarks: []result.BenchmarkComparison{row("A", "sec/op", result.NotReached), row("A", "B/op", result.NotReached), row("B", "sec/op", result.Same), row("C", "sec/op", result.NotReached)}})
	if len(got) != 3 || !strings.HasPrefix(got[0], "q: not reached: half of -total") || !strings.HasPrefix(got[1], "r: ") || got[2] != "no time in the total: A, C" {
		t.Errorf("not measured: %q", got)
	}
	if got := unmeasured(result.Comparison{Benchmarks: []result.BenchmarkComparison{row("B", "sec/op", result.Same)}}); len(got) != 0 {
		t.Errorf("not measured: %q", got)
	}
}

// A total is spent on candidates that are open, in a third of it at most, then
// on the commit, then on the candidates that the commit brings.
func TestTotalIsSpentByNeed(t *testing.T) {
	t.Parallel()
	w := newWorld(20, 4)
	w.flatten(0.2, 10, 16)
	store := openFolder(t.TempDir())
	now := time.Unix(0, 0)
	const total = 300 * time.Second
	var asked []Pair
	cost := func(p Pair) time.Duration {
		if p.Bench == "" {
			return p.Total / 2
		}
		return 40 * time.Second
	}
	record := func(head int, total time.Duration, reached bool) Outcome {
		t.Helper()
		asked = nil
		measure := w.compare(head)
		out, err := Run(context.Background(), Spec{Session: session.Spec{Plan: result.Plan{Alpha: 0.05}}, Store: store, Repo: gitOf(w, head), Total: total,
			Now: func() time.Time { return now },
			Compare: func(ctx context.Context, p Pair) (result.Comparison, error) {
				asked = append(asked, p)
				now = now.Add(cost(p))
				c, err := measure(ctx, p)
				if p.Bench != "" && !reached {
					for i := range c.Benchmarks {
						c.Benchmarks[i] = result.BenchmarkComparison{Key: c.Benchmarks[i].Key, Unit: c.Benchmarks[i].Unit, NewVariant: 1, Verdict: result.NotReached}
					}
				}
				return c, err
			}}, nil)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	for head := 1; head < 16; head++ {
		record(head, 100*time.Second, false) // candidates get no block
	}
	files, _, err := load(context.Background(), store)
	if err != nil {
		t.Fatal(err)
	}
	if o := NewGraph(files, nil).Online(); o.Tests != 0 {
		t.Errorf("%d tests were counted where nothing was measured", o.Tests)
	}
	out := record(16, total, true)
	first, second := w.marks[0].key, w.marks[1].key
	if len(asked) < 4 || asked[0].Bench != first.Name || asked[0].New != w.commits[10].Hash {
		t.Fatalf("asked %+v", asked)
	}
	if asked[0].Total != total/3 {
		t.Errorf("an open candidate has %v of %v", asked[0].Total, total)
	}
	i := slices.IndexFunc(asked, func(p Pair) bool { return p.Bench == "" })
	if i != 1 || asked[1].Old != w.commits[15].Hash || asked[2].Old != w.commits[0].Hash {
		t.Fatalf("after the candidate: %+v", asked)
	}
	// A hundred seconds are for candidates, of which 40 were used.
	if asked[1].Total != 100*time.Second || asked[2].Total != 150*time.Second {
		t.Errorf("the commit has %v and %v", asked[1].Total, asked[2].Total)
	}
	if k := (result.Key{Pkg: first.Pkg, Name: first.Name}); asked[1].Rank[k] >= 0 || asked[1].Rank[k] != slices.Min(slices.Collect(maps.Values(asked[1].Rank))) {
		t.Errorf("the benchmark that changed is not the first")
	}
	if p := asked[3]; p.Bench != second.Name || p.New != w.commits[16].Hash || p.Total != 135*time.Second {
		t.Errorf("the candidate of the commit: %+v", p)
	}
	var changed []string
	for _, d := range out.Decisions {
		if d.Found {
			changed = append(changed, d.Name)
			if math.Abs(d.LogRatio-0.2) > 0.02 {
				t.Errorf("change %+v", d)
			}
		}
	}
	if !slices.Equal(changed, []string{first.Name, second.Name}) {
		t.Errorf("changes of %v", changed)
	}
}

// A commit with the code of its parent is not compared with the tag again,
// except if the parent lacks a comparison or the user names a commit.
func TestSameCodeIsNotComparedAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(12, 5)
	w.flatten(0.2, 4)
	store := openFolder(t.TempDir())
	for head, want := range []int{0, 1, 1, 1, 2, 1, 1, 2, 1} { // comparisons of all benchmarks
		if head == 0 {
			continue
		}
		asked, against := 0, []string(nil)
		if head == 7 {
			against = []string{w.commits[0].Hash}
		}
		measure := w.compare(head)
		out, err := Run(context.Background(), Spec{Session: session.Spec{Plan: result.Plan{Alpha: 0.05}}, Store: store, Repo: gitOf(w, head), Against: against,
			Compare: func(ctx context.Context, p Pair) (result.Comparison, error) {
				if p.Bench != "" {
					return measure(ctx, p)
				}
				asked++
				c := result.Comparison{Alpha: p.Alpha}
				for i := range w.marks {
					b := &w.marks[i]
					row := w.row(b, b.level[0][w.number[p.New]]-b.level[0][w.number[p.Old]])
					if w.number[p.Old] >= 4 || w.number[p.New] < 4 {
						row = result.BenchmarkComparison{Key: row.Key, Unit: row.Unit, NewVariant: 1, Verdict: result.Same, Reason: result.ReasonSameCode}
					}
					c.Benchmarks = append(c.Benchmarks, row)
				}
				return c, nil
			}}, nil)
		if err != nil {
			t.Fatal(err)
		}
		skips := head > 1 && want == 1
		if asked != want || skips != (len(out.Same) == 1 && out.Same[0].Hash == w.commits[0].Hash) {
			t.Errorf("commit %d: %d comparisons, %+v left out", head, asked, out.Same)
		}
	}
}
