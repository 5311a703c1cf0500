package report

import (
	"strings"
	"testing"

	"github.com/tarebench/tare/cmd/tare/internal/result"
)

func TestBisectionText(t *testing.T) {
	point := func(name, title string) result.Point {
		return result.Point{Name: name, Title: title, Author: "Ann"}
	}
	merge := point("ddd", "merge side")
	merge.Merge = true
	change := result.Change{Ratio: 1.1, Lo: 1.09, Hi: 1.11}
	none := result.Change{Ratio: 1, Lo: 0.999, Hi: 1.001}
	b := result.Bisection{Of: "commits", Unit: "sec/op", Points: 5, Benchmark: result.Key{Name: "Work"}, Folder: "f", Again: "tare bisect a b -resume f",
		Good: point("aaa", "a"), Bad: point("eee", "e"), Ends: change, Differs: true, Blocks: 30, Seconds: 9,
		SameCode: []result.Point{point("bbb", "b")},
		Broken:   []result.BrokenPoint{{Point: point("fff", "f"), Reason: "compile: package x:\n# x\n./x.go:1:20: syntax error\n./x.go:2:1: more"}},
		Steps: []result.BisectionStep{{Points: []result.Point{merge}, Parent: point("ccc", "c"), First: merge, Change: change,
			Files: []string{"x.go"}, Causes: []string{"Work allocates in 2 places, not 1"},
			Inside: []result.Bisection{{Of: "merge", Points: 3, Good: point("aaa", "a"), Bad: point("sss", "s"), Same: true, Ends: none}}}}}
	unmeasured := b
	unmeasured.Steps = []result.BisectionStep{{Points: []result.Point{merge}, Parent: point("ccc", "c"), First: merge, Change: change,
		Inside: []result.Bisection{{Of: "merge", Points: 3, Good: point("aaa", "a"), Bad: point("sss", "s"),
			Broken: []result.BrokenPoint{{Point: point("sss", "s"), Reason: "compile: undefined: f"}}}}}}
	open := result.Bisection{Of: "commits", Unit: "sec/op", Points: 3, Good: point("aaa", "a"), Bad: point("eee", "e"), Ends: change, Differs: true,
		Open: []result.Point{point("bbb", "b"), point("ccc", "c")}, Posterior: []float64{0.5, 0.5}, Folder: "f", Again: "tare bisect a b -resume f"}
	hidden := open
	hidden.Hidden, hidden.MovedBy = true, 0.012
	hunk := result.Point{Name: "x.go:7", Title: "func f()", Diff: "@@ -1 +1 @@ func f()\n-\ta\n+\tb\n"}
	small := result.Change{Ratio: 1.002, Lo: 0.999, Hi: 1.005}
	hunks := result.Bisection{Of: "hunks", Unit: "sec/op", Points: 9, Good: point("HEAD", ""), Bad: hunk, Ends: change, Differs: true,
		Steps: []result.BisectionStep{{Points: []result.Point{hunk}, First: hunk, Change: change, Hunk: &result.HunkShare{Lo: 0.83, Hi: 0.97, Without: &small, Alone: &small, Together: true}}}}
	apart := hunks
	apart.Steps = []result.BisectionStep{{Points: []result.Point{hunk, hunk}, Change: change, Inside: []result.Bisection{{Of: "regrouped", Steps: []result.BisectionStep{
		{Points: []result.Point{hunk}, First: hunk, Change: change, Hunk: &result.HunkShare{Lo: 1, Hi: 1, WhyNot: "x.go:7 alone: compile: undefined: g"}}}}}}}
	single := open
	single.Open = single.Open[:1]
	ends := result.Bisection{Of: "commits", Unit: "sec/op", Points: 3, Good: point("aaa", "a"), Bad: point("eee", "e"), Ends: result.Change{Ratio: 1.01, Lo: 0.98, Hi: 1.04}}
	short := ends
	short.NeedsSeconds = 34.2
	timed := open
	timed.NeedsSeconds = 20
	for _, test := range []struct {
		name string
		b    result.Bisection
		want []string
		not  []string
	}{
		{"a merge that neither side explains", b, []string{
			"ddd merge side  +10.0%", "author Ann, compared with its parent ccc", "files: x.go", "the machine code shows: Work allocates in 2 places",
			"it merges 2 commits (aaa to sss): no change there", "so the merge itself brings it", "left out: 1 commit that runs the machine code",
			"aaa to eee, 4 commits\n", "not measured: fff f: compile: package x: ./x.go:1:20: syntax error\n",
		}, []string{"not decided"}},
		{"a side that cannot be measured", unmeasured, []string{
			"it merges 2 commits (aaa to sss): undecided whether they change it\n    not measured: sss s: compile: undefined: f\n",
		}, []string{"so the merge itself"}},
		{"the blocks ended", open, []string{"not decided: one of these brings it", "  bbb b\n  ccc c\n", "tare bisect a b -resume f", "probability  ▄▄\n(a mark is 1 commit, from good to bad: · is below 0.5%, █ above 87%)\n"}, nil},
		{"a hunk", hunks, []string{"HEAD and its change, 8 hunks\n", "x.go:7 func f()  +10.0% (+9.0 … +11.0%)\n",
			"  83 to 97% of the change; without it +0.20% (-0.10 … +0.50%); alone +0.20% (-0.10 … +0.50%): it acts only together with others\n",
			"    @@ -1 +1 @@ func f()\n    -    a\n    +    b\n"}, []string{"compared with its parent"}},
		{"hunks that do not build apart", apart, []string{"one of these brings +10.0% (+9.0 … +11.0%). The hunks between cannot be measured", "  regrouped so that they build:\n\n    x.go:7 func f()",
			"the whole change: the other hunks make the same machine code\n", "not measured: x.go:7 alone: compile: undefined: g\n"}, []string{"merge"}},
		{"one candidate", single, []string{"not confirmed: probably this brings it", "  bbb b\n"}, []string{"one of these"}},
		{"the ends need a budget", short, []string{"undecided whether they differ: +1.0% (-2.0 … +4.0%). About -budget 35s decides it\n"}, []string{"-delta"}},
		{"no budget decides the ends", ends, []string{"a larger -delta may show that they are the same"}, []string{"-budget"}},
		{"the time ended", timed, []string{"the search needs about 20 s more: tare bisect a b -resume f\n"}, []string{"raise"}},
		{"moves hide the step", hidden, []string{"not decided: moved code explains it, by about 1.2%. If it is a step, one of these brings it\n  bbb b\n"}, []string{"resume"}},
		{"the same code", result.Bisection{Of: "commits", Points: 2, Same: true, SameCodeEnds: true, Good: point("a", ""), Bad: point("b", "")},
			[]string{"no change between them: both run the same machine code"}, []string{"probability"}},
	} {
		var out strings.Builder
		if err := BisectionText(&out, test.b); err != nil {
			t.Fatal(err)
		}
		for _, want := range test.want {
			if !strings.Contains(out.String(), want) {
				t.Errorf("%s: no %q in\n%s", test.name, want, out.String())
			}
		}
		for _, not := range test.not {
			if strings.Contains(out.String(), not) {
				t.Errorf("%s: %q in\n%s", test.name, not, out.String())
			}
		}
	}
}
