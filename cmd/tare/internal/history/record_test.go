package history

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tarebench/tare/cmd/tare/internal/judge"
	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/session"
)

// gitOf answers the recorder's git commands about a line of commits with a tag
// on the first.
func gitOf(w *world, head int) Repository {
	text := func(c Commit) string { return fmt.Sprintf("%s\x00%d\x00s\n", c.Hash, c.Time.Unix()) }
	return Repository{func(_ context.Context, _ []byte, args ...string) ([]byte, error) {
		if args[0] == "describe" {
			return []byte(w.commits[0].Hash + "\n"), nil
		}
		if slices.Contains(args, "--reverse") {
			var all strings.Builder
			for _, c := range w.commits[:head+1] {
				all.WriteString(text(c))
			}
			return []byte(all.String()), nil
		}
		if revision := args[len(args)-2]; revision != "HEAD" {
			return []byte(text(w.commits[w.number[revision]])), nil
		}
		return []byte(text(w.commits[head])), nil
	}}
}

// TestRun records a short history through a store, and finds its step.
func TestRun(t *testing.T) {
	t.Parallel()
	w := newWorld(20, 3)
	b := &w.marks[0]
	store := openFolder(t.TempDir())
	for m := range b.level {
		for k := range b.level[m] {
			b.level[m][k] = 0
			if k >= 12 {
				b.level[m][k] = 0.1
			}
		}
	}
	var found []Decision
	for head := 1; head < 20; head++ {
		var asked []Pair
		measure := w.compare(head)
		out, err := Run(context.Background(), Spec{Session: session.Spec{Plan: result.Plan{Alpha: 0.05}}, Store: store, Repo: gitOf(w, head),
			Compare: func(ctx context.Context, p Pair) (result.Comparison, error) {
				asked = append(asked, p)
				return measure(ctx, p)
			}}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if asked[0].Old != w.commits[head-1].Hash || head > 1 && asked[1].Old != w.commits[0].Hash {
			t.Errorf("commit %d was compared with %+v", head, asked)
		}
		for _, d := range out.Decisions {
			if d.Name == b.key.Name && d.Found {
				found = append(found, d)
			}
		}
	}
	if len(found) != 1 || found[0].Commit != w.commits[12].Hash || math.Abs(found[0].LogRatio-0.1) > 0.01 {
		t.Errorf("changes %+v", found)
	}
}

// undecided answers every confirmation with a row that shows nothing.
func undecided(ask *int, answer func(context.Context, Pair) (result.Comparison, error)) func(context.Context, Pair) (result.Comparison, error) {
	return func(ctx context.Context, p Pair) (result.Comparison, error) {
		c, err := answer(ctx, p)
		if p.Bench != "" {
			*ask++
			for i := range c.Benchmarks {
				c.Benchmarks[i].Verdict = result.Undecided
			}
		}
		return c, err
	}
}

// An undecided candidate is measured again after 1, 3, 7 and 15 further
// commits, and each measurement counts as a test.
func TestUndecidedIsTriedAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(40, 4)
	w.flatten(0.1, 10)
	store := openFolder(t.TempDir())
	var at []int
	tests := 0
	for head := 1; head < 34; head++ {
		asked := 0
		out, err := Run(context.Background(), Spec{Session: session.Spec{Plan: result.Plan{Alpha: 0.05}}, Store: store, Repo: gitOf(w, head),
			Compare: undecided(&asked, w.compare(head))}, nil)
		if err != nil {
			t.Fatal(err)
		}
		tests += asked
		for _, d := range out.Decisions {
			if d.Commit == w.commits[10].Hash && d.Name == w.marks[0].key.Name {
				at = append(at, head-10)
				if !d.Undecided || d.Found {
					t.Errorf("decision %+v", d)
				}
			}
		}
	}
	if !slices.Equal(at, []int{0, 1, 3, 7, 15}) {
		t.Errorf("measured after %v commits", at)
	}
	files, _, err := load(context.Background(), store)
	if err != nil {
		t.Fatal(err)
	}
	if o := NewGraph(files, nil).Online(); o.Tests != tests {
		t.Errorf("%d tests are counted of %d", o.Tests, tests)
	}
}

// Whatever the number of tests before, a candidate has enough blocks for a
// change to be called.
func TestConfirmingCanDecide(t *testing.T) {
	t.Parallel()
	for _, tests := range []int{0, 1, 10, 1000, 100_000} {
		level := online{Tests: tests}.Level()
		n := confirming(level)
		d := judge.NewDesign(n, level, 1)
		if at := slices.IndexFunc(d.Adjusted, func(spend float64) bool { return spend > 0 }); at < 0 || d.Looks[at] > n/2 || math.Ldexp(1, 1-d.Looks[at]) > d.Adjusted[at] {
			t.Errorf("after %d tests, at %g: looks %v of %d blocks spend %v", tests, level, d.Looks, n, d.Adjusted)
		}
	}
}

// TestExactCandidate: an exact difference of a candidate has the p-value of its
// processes, as many as the level of the test needs.
func TestExactCandidate(t *testing.T) {
	t.Parallel()
	w := newWorld(20, 3)
	w.flatten(0.1, 10)
	store := openFolder(t.TempDir())
	measure := w.compare(12)
	out, err := Run(context.Background(), Spec{Session: session.Spec{Plan: result.Plan{Alpha: 0.05}}, Store: store, Repo: gitOf(w, 12),
		Compare: func(ctx context.Context, p Pair) (result.Comparison, error) {
			c, err := measure(ctx, p)
			for i := range c.Benchmarks {
				if p.Bench != "" {
					n := judge.Agreeing(p.Alpha, 1)
					judge.Exact(&c.Benchmarks[i], 1, 2, n, n)
				}
			}
			return c, err
		}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range out.Decisions {
		if want := math.Ldexp(2, -2*judge.Agreeing(d.Level, 1)); d.P != want || !(d.P <= d.Level) || !d.Found {
			t.Errorf("%+v, want p = %v", d, want)
		}
	}
	if len(out.Decisions) == 0 {
		t.Error("no candidate was measured")
	}
}

// Intervals are stored at 95%, whatever the level of the comparison, and a row
// of the same code is an edge without a measurement.
func TestStudyOf(t *testing.T) {
	t.Parallel()
	c := result.Comparison{Alpha: 0.001, Benchmarks: []result.BenchmarkComparison{
		{Key: result.Key{Name: "B"}, Unit: "sec/op", NewVariant: 1, Blocks: 8, SE: 0.01, Change: result.Change{Ratio: 1, Lo: math.Exp(-0.03290527), Hi: math.Exp(0.03290527)}},
		{Key: result.Key{Name: "A"}, Unit: "sec/op", NewVariant: 1, Verdict: result.Same, Reason: result.ReasonSameCode},
		{Key: result.Key{Name: "C"}, Unit: "sec/op", NewVariant: 1, Blocks: 8, Change: result.Change{Ratio: 1, Lo: 0, Hi: math.Inf(1)}},
		{Key: result.Key{Name: "D"}, Unit: "allocs/op", NewVariant: 1, Blocks: 8},
	}}
	judge.Exact(&c.Benchmarks[3], 1, 2, 6, 6)
	s := studyOf(c, 1, Commit{Hash: "a"}, Commit{Hash: "b"}, time.Unix(0, 0))
	if len(s.Rows) != 3 || !s.Rows[0].SameCode || s.Rows[1].SameCode {
		t.Fatalf("rows %+v", s.Rows)
	}
	if s.Rows[1].SE != 0.01 {
		t.Errorf("the standard error is %v", s.Rows[1].SE)
	}
	if math.Abs(s.Rows[1].Hi-0.0195996) > 1e-6 || math.Abs(s.Rows[1].Lo+0.0195996) > 1e-6 {
		t.Errorf("the interval at 95%% is %v to %v", s.Rows[1].Lo, s.Rows[1].Hi)
	}
	if d := s.Rows[2]; d.P != 2./4096 || d.LogRatio != math.Ln2 || d.Lo != d.LogRatio || d.Hi != d.LogRatio {
		t.Errorf("an exact difference of 6 processes: %+v, want p = 2·4⁻⁶", d)
	}
}

// TestKeep: a comparison without two commits is skipped, with the reason.
func TestKeep(t *testing.T) {
	t.Parallel()
	w := newWorld(5, 3)
	row := func(v int) result.BenchmarkComparison {
		return result.BenchmarkComparison{Key: result.Key{Pkg: "p", Name: "B"}, Unit: "sec/op", NewVariant: v, Blocks: 8, Change: result.Change{Ratio: 1.1, Lo: 1.05, Hi: 1.15}}
	}
	at := func(k int, label string) result.Variant {
		return result.Variant{Label: label, Revision: w.commits[k].Hash}
	}
	store := openFolder(t.TempDir())
	rows, left, err := Keep(context.Background(), store, gitOf(w, 4), result.Comparison{
		Variants:   []result.Variant{at(0, "v1"), at(1, "HEAD"), {Label: ".", Dirty: true, Revision: w.commits[4].Hash}, {Label: "bin=a.test"}, at(0, "v1"), at(0, "v1,tags=x"), at(2, "a")},
		Benchmarks: []result.BenchmarkComparison{row(1), row(2), row(3), row(4), row(5)}}, time.Unix(1, 0))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{". has changes that are not committed", "bin=a.test is not a commit", "both variants are commit 0000000000", "no benchmark has an interval"}
	if rows != 2 || !slices.Equal(left, want) {
		t.Errorf("%d rows kept, left out %q", rows, left)
	}
	files, skipped, err := load(context.Background(), store)
	if err != nil || len(files) != 2 || len(skipped) != 0 {
		t.Fatalf("%+v, %+v, %v", files, skipped, err)
	}
	if g := NewGraph(files, nil); len(g.Commits) != 2 {
		t.Errorf("a variant with keys has a level: %+v", g.Commits)
	}
}

// full is a store that cannot write.
type full struct{ Folder }

func (full) Put(context.Context, string, []byte) error { return errors.New("no space left on device") }

// A measurement that cannot be stored is kept, and named.
func TestStoreThatIsFull(t *testing.T) {
	t.Parallel()
	w := newWorld(5, 3)
	measure := w.compare(1)
	_, err := Run(context.Background(), Spec{Session: session.Spec{Plan: result.Plan{Alpha: 0.05}}, Store: full{openFolder(t.TempDir())}, Repo: gitOf(w, 1),
		Compare: func(ctx context.Context, p Pair) (result.Comparison, error) {
			c, err := measure(ctx, p)
			c.Folder = ".tare/a b"
			return c, err
		}}, nil)
	if err == nil || !strings.Contains(err.Error(), "no space left on device: the study is kept in .tare/a b") {
		t.Errorf("error %v", err)
	}
}

// If the total ends before anything is measured, the record names a sufficient
// one.
func TestRecordWithoutARowNeedsTime(t *testing.T) {
	t.Parallel()
	w := newWorld(3, 3)
	clock := time.Unix(0, 0)
	spec := session.Spec{Plan: result.Plan{Alpha: 0.05, BudgetSeconds: 10}}
	out, err := Run(context.Background(), Spec{Session: spec, Store: openFolder(t.TempDir()), Repo: gitOf(w, 1), Total: 20 * time.Second,
		Now: func() time.Time { return clock },
		Compare: func(context.Context, Pair) (result.Comparison, error) {
			clock = clock.Add(15 * time.Second)
			row := result.BenchmarkComparison{Unit: "sec/op", Verdict: result.NotReached}
			row.Name = "A"
			second := row
			second.Name = "B"
			return result.Comparison{Benchmarks: []result.BenchmarkComparison{row, second}}, nil
		}}, nil)
	if err != nil || !out.Empty() || out.Edges != 0 {
		t.Fatalf("%+v, %v", out, err)
	}
	if want := 36 * time.Second; out.Needs != want {
		t.Errorf("it needs %v, want %v: 15 s of builds and 10 s for each of two benchmarks", out.Needs, want)
	}
}
