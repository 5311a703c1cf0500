package report

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/words"
)

func compared() result.Progress {
	return result.Progress{
		Index: 3, Total: 12, Name: "Encode/size=1k", Phase: "measuring", Rounds: 140, Blocks: 7,
		Ratio: 0.968, Lo: 0.951, Hi: 0.982, Unit: "sec/op", Verdict: result.Faster, Left: 83 * time.Second,
	}
}

func TestLivePipeWritesOneLinePerFinishedBenchmark(t *testing.T) {
	var b strings.Builder
	l := NewLive(&b, LiveOptions{})
	p := compared()
	l.Progress(p)
	l.Finished(p)
	alone := result.Progress{Name: "Sum", Rounds: 20, Blocks: 1, Ratio: math.NaN(), Lo: math.NaN(), Hi: math.NaN(),
		Unit: "sec/op", Value: result.Estimate{Center: 1.2345e-8, Lo: 1.2e-8, Hi: 1.25e-8, N: 8}}
	l.Finished(alone)
	l.Close()
	want := "[3/12] Encode/size=1k  faster  -3.2%  (-4.9 … -1.8%)\n" +
		"Sum  12.35 [12.00 … 12.50] ns/op\n"
	if b.String() != want {
		t.Errorf("got\n%swant\n%s", b.String(), want)
	}
}

func TestLiveTerminalRewritesOneLine(t *testing.T) {
	var b strings.Builder
	l := NewLive(&b, LiveOptions{Terminal: true, Width: 120})
	clock := time.Unix(0, 0)
	l.now = func() time.Time { return clock }
	p := compared()
	l.Progress(p)
	l.Progress(p) // too soon: not drawn
	clock = clock.Add(time.Second)
	p.Phase = "building"
	l.Progress(p)
	l.Close()
	want := "\r\x1b[2K[3/12] Encode/size=1k  -3.2%  (-4.9 … -1.8%)  140 rounds, 7 blocks  about 83 s left" +
		"\r\x1b[2K[3/12] Encode/size=1k  building  about 83 s left" +
		"\r\x1b[2K"
	if b.String() != want {
		t.Errorf("got  %q\nwant %q", b.String(), want)
	}
}

func TestLiveLineFitsItsWidth(t *testing.T) {
	p := compared()
	p.Name = strings.Repeat("世界/", 40) + "end"
	for _, width := range []int{20, 40, 79, 119} {
		if line := liveLine(p, width); words.Columns(line) > width {
			t.Errorf("width %d: %d cells: %q", width, words.Columns(line), line)
		}
	}
}

func TestPrintableDefusesNames(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"Encode/size=1k", "Encode/size=1k"},
		{"größe/世界", "größe/世界"},
		{"a\x1b[2Jb", `a\x1b[2Jb`},
		{"line\nbreak\ttab", `line\x0abreak\x09tab`},
		{"\u202egnp.exe", `\u202egnp.exe`},
		{"bad\xff", `bad\xff`},
		{"\U000e0001tag", `\U000e0001tag`},
		{"\u009b31m", `\u009b31m`},
	} {
		if got := words.Printable(c.in); got != c.want {
			t.Errorf("words.Printable(%q) = %q, want %q", c.in, got, c.want)
		}
	}
}

// A log keeps every line, so the progress is written at most every half minute.
func TestLiveLogsWhereTheStudyStands(t *testing.T) {
	var b strings.Builder
	l := NewLive(&b, LiveOptions{Total: 5 * time.Minute})
	began := time.Unix(0, 0)
	clock := began
	l.now, l.logged = func() time.Time { return clock }, began
	p := compared()
	for clock = began; clock.Before(began.Add(100 * time.Second)); clock = clock.Add(time.Second) {
		switch at := clock.Sub(began); {
		case at < 40*time.Second:
			p.Phase, p.Name, p.Left = "building", "example.org/m", 0
		case at == 40*time.Second:
			p.Phase, p.Left = "planned", 260*time.Second
			p.Reach = result.Reach{Expected: 180, Of: 215, Enough: 350 * time.Second}
		default:
			p.Phase, p.Left = "measuring", 300*time.Second-at
			p.Reach = result.Reach{Reached: int(at.Seconds()), Expected: 88, Of: 215}
		}
		l.Progress(p)
	}
	p.Reach = result.Reach{} // without a total
	clock = clock.Add(time.Minute)
	l.Progress(p)
	want := "tare: building example.org/m\n" +
		"tare: built in 40 s\n" +
		"tare: 215 benchmarks in 5 min, builds included: the remaining 4.3 min reach about 180 on a quiet machine (-total 6m: all)\n" +
		"tare: 70 of 215 benchmarks reached, about 88 expected, about 3.8 min left\n" +
		"tare: [3/12] example.org/m, about 3.4 min left\n"
	if b.String() != want {
		t.Errorf("got\n%swant\n%s", b.String(), want)
	}
}

func TestDurationsOfFlags(t *testing.T) {
	for _, c := range []struct {
		d           time.Duration
		flag, whole string
	}{
		{5 * time.Minute, "5m", "5m"},
		{90 * time.Second, "1m30s", "1m30s"},
		{83 * time.Second, "1m23s", "1m30s"},
		{2 * time.Hour, "2h", "2h"},
		{125 * time.Minute, "2h5m", "2h5m"},
		{301 * time.Second, "5m1s", "6m"},
	} {
		if flag, whole := flagDuration(c.d), wholeDuration(c.d); flag != c.flag || whole != c.whole {
			t.Errorf("%v: %s and %s, want %s and %s", c.d, flag, whole, c.flag, c.whole)
		}
	}
}

func TestEstimateTime(t *testing.T) {
	const m = time.Minute
	all, some := result.Reach{Expected: 60, Of: 60, Enough: 3 * m}, result.Reach{Expected: 22, Of: 60, Enough: 7*m + time.Second}
	for _, c := range []struct {
		left, total time.Duration
		reach       result.Reach
		want        string
	}{
		{20 * time.Second, 0, result.Reach{}, ""},
		{2 * m, 0, result.Reach{}, "60 benchmarks: about 2 min, and longer if changes are not clear (-total 5m limits the whole run)"},
		{2 * m, 5 * m, all, "60 benchmarks in 5 min, builds included"},
		{4 * m, 5 * m, some, "60 benchmarks in 5 min, builds included: the remaining 4 min reach about 22 on a quiet machine (-total 8m: all)"},
		{4 * m, 5 * m, result.Reach{}, "60 benchmarks in 5 min, builds included"}, // of several comparisons
		{0, 5 * m, result.Reach{}, ""}, // nothing is to be measured
	} {
		if got := estimateTime(result.Progress{Total: 60, Left: c.left, Reach: c.reach}, c.total); got != c.want {
			t.Errorf("%v of %v: %q, want %q", c.left, c.total, got, c.want)
		}
	}
}

// TestFinishedAgreesWithTheTable: a line that stays has no number that the
// final judgment may change.
func TestFinishedAgreesWithTheTable(t *testing.T) {
	p := result.Progress{Name: "All/ASCII", Index: 12, Total: 12, Ratio: 3.615, Lo: 0.9, Hi: 9, Rounds: 52, Blocks: 11, Verdict: result.Undecided}
	if got, want := doneLine(p), "[12/12] All/ASCII  undecided"; got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}
