package report

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/tarebench/tare/internal/report/words"
	"github.com/tarebench/tare/internal/result"
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
	want := "[3/12] Encode/size=1k  faster  -3.2%  (-4.9 … -1.8%)  (140 rounds, 7 blocks)\n" +
		"Sum  12.35 [12.00 … 12.50] ns/op  (20 rounds, 1 block)\n"
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
	want := "\r\x1b[2K[3/12] Encode/size=1k  -3.2%  (-4.9 … -1.8%)  140 rounds, 7 blocks  about 1m23s left" +
		"\r\x1b[2K[3/12] Encode/size=1k  building  about 1m23s left" +
		"\r\x1b[2K"
	if b.String() != want {
		t.Errorf("got  %q\nwant %q", b.String(), want)
	}
}

func TestLiveLineOfLinks(t *testing.T) {
	p := result.Progress{Name: "example.org/m", Phase: "linking", Binaries: 16, Linking: 40 * time.Second}
	if got, want := liveLine(p, 80), "example.org/m  linking 16 binaries, about 40s"; got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	p.Binaries, p.Linking = 1, 200*time.Millisecond
	if got, want := liveLine(p, 80), "example.org/m  linking 1 binary"; got != want {
		t.Errorf("got  %q\nwant %q", got, want)
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

func TestEstimateTime(t *testing.T) {
	const m = time.Minute
	for _, c := range []struct {
		left, most, total time.Duration
		want              string
	}{
		{20 * time.Second, m, 0, ""},
		{2 * m, 10 * m, 0, "60 benchmarks: 2m00s where changes are clear, 10m00s at most; -total 5m spends a fixed time where it is needed"},
		{5 * m, 5 * m, 0, "60 benchmarks: about 5m00s"},
		{2 * m, 4 * m, 5 * m, "60 benchmarks in 5m00s, builds included"},
	} {
		if got := estimateTime(result.Progress{Total: 60, Left: c.left, Most: c.most}, c.total); got != c.want {
			t.Errorf("%v to %v of %v: %q, want %q", c.left, c.most, c.total, got, c.want)
		}
	}
}
