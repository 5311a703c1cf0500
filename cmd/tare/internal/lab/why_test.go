//go:build lab

package lab

import (
	"flag"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/perf/benchfmt"
	"golang.org/x/perf/benchmath"

	"github.com/tarebench/tare/cmd/tare/internal/lab/document"
	"github.com/tarebench/tare/cmd/tare/internal/result"
)

var why = flag.String("why", "", "write the picture of docs/why.md to `FILE`")

// sameCode is a benchmark of one binary, compared with itself by both methods.
type sameCode struct {
	name                        string
	usual, p                    float64 // change of the medians, Mann–Whitney
	change, lo, hi              float64
	verdict                     string
	usualDifferent, taresChange bool
}

// TestWhy compares a package with itself: by go test -count=10, old and then new,
// with the statistics of benchstat; and by tare compare. It draws both.
func TestWhy(t *testing.T) {
	dir := t.TempDir()
	bin := filepath.Join(dir, "tare")
	command(t, ".", "go", "build", "-o", bin, "../..")
	command(t, dir, "go", "mod", "init", "example.org/aa")
	const pkg = "unicode/utf8"
	test := filepath.Join(dir, "utf8.test")
	command(t, dir, "go", "test", "-c", "-o", test, pkg)
	usual := func() map[string][]float64 {
		return timesOf(t, command(t, dir, test, "-test.run=^$", "-test.bench=.", "-test.count=10", "-test.benchtime=100ms"))
	}
	old, now := usual(), usual()
	var got result.Comparison
	if err := document.Read([]byte(command(t, dir, bin, "compare", "-measure-all", "-delta", "1%", "-format", "json", ".", ".", pkg)), &got); err != nil {
		t.Fatal(err)
	}
	var rows []sameCode
	for _, b := range got.Benchmarks {
		x, y := old[b.Name], now[b.Name]
		if b.Unit != "sec/op" || len(x) == 0 || len(y) == 0 {
			continue
		}
		compared := benchmath.AssumeNothing.Compare(benchmath.NewSample(x, &benchmath.DefaultThresholds), benchmath.NewSample(y, &benchmath.DefaultThresholds))
		row := sameCode{name: b.Name, usual: median(y)/median(x) - 1, p: compared.P, change: b.Change.Ratio - 1, lo: b.Change.Lo - 1, hi: b.Change.Hi - 1, verdict: string(b.Verdict)}
		row.usualDifferent, row.taresChange = row.p < 0.05, b.Verdict == result.Faster || b.Verdict == result.Slower
		rows = append(rows, row)
	}
	if len(rows) == 0 {
		t.Fatal("no benchmark is in both outputs")
	}
	var usualWrong, tareWrong int
	for _, r := range rows {
		usualWrong += count(r.usualDifferent)
		tareWrong += count(r.taresChange)
		t.Logf("%-40s usual %+6.1f%% p=%.3f   tare %+6.2f%% (%+.2f … %+.2f%%) %s", r.name, 100*r.usual, r.p, 100*r.change, 100*r.lo, 100*r.hi, r.verdict)
	}
	t.Logf("of %d: different by the usual method %d, by tare %d", len(rows), usualWrong, tareWrong)
	if *why != "" {
		if err := os.WriteFile(*why, []byte(whyPicture(rows, usualWrong, tareWrong)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func count(b bool) int {
	if b {
		return 1
	}
	return 0
}

func command(t *testing.T, dir, name string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Dir, cmd.Stderr, cmd.Env = dir, os.Stderr, append(os.Environ(), "GOWORK=off")
	if dir == "." {
		cmd.Env = os.Environ()
	}
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s %s: %v", name, strings.Join(args, " "), err)
	}
	return string(out)
}

// timesOf returns the seconds per operation of each benchmark.
func timesOf(t *testing.T, text string) map[string][]float64 {
	times := map[string][]float64{}
	reader := benchfmt.NewReader(strings.NewReader(text), "output")
	for reader.Scan() {
		if r, ok := reader.Result().(*benchfmt.Result); ok {
			sec, _ := r.Value("sec/op")
			name, _, _ := strings.Cut(r.Name.String(), "-")
			times[name] = append(times[name], sec)
		}
	}
	return times
}

func median(all []float64) float64 {
	s := slices.Sorted(slices.Values(all))
	return (s[(len(s)-1)/2] + s[len(s)/2]) / 2
}

// whyPicture draws a line for each benchmark: the usual method above, tare below.
func whyPicture(rows []sameCode, usualWrong, tareWrong int) string {
	const width, left, right, row, top = 860, 250, 840, 22, 78
	limit := 0.05
	for _, r := range rows {
		limit = max(limit, math.Abs(r.usual), math.Abs(r.lo), math.Abs(r.hi))
	}
	x := func(change float64) float64 { return (left+right)/2 + change/(1.05*limit)*(right-left)/2 }
	var b strings.Builder
	height := top + row*len(rows) + 40
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" font-family="sans-serif" font-size="12">`+"\n", width, height, width, height)
	fmt.Fprintf(&b, `<rect width="%d" height="%d" fill="#fff"/><text x="12" y="24" font-size="16" font-weight="bold">The same code, compared with itself</text>`+"\n", width, height)
	fmt.Fprintf(&b, `<circle cx="18" cy="45" r="4" fill="none" stroke="#999"/><circle cx="32" cy="45" r="4" fill="#d55e00"/><text x="44" y="49">go test -count=10, old, then new: change of the medians; filled: p &lt; 0.05 (%d of %d)</text>`+"\n", usualWrong, len(rows))
	fmt.Fprintf(&b, `<line x1="10" x2="38" y1="64" y2="64" stroke="#0072b2" stroke-width="4"/><text x="44" y="68">tare compare: interval of the change; called faster or slower: %d of %d</text>`+"\n", tareWrong, len(rows))
	bottom := top + row*len(rows)
	fmt.Fprintf(&b, `<line x1="%.1f" x2="%.1f" y1="%d" y2="%d" stroke="#444"/>`+"\n", x(0), x(0), top, bottom)
	for _, tick := range []float64{-limit, -limit / 2, limit / 2, limit} {
		fmt.Fprintf(&b, `<line x1="%.1f" x2="%.1f" y1="%d" y2="%d" stroke="#ddd"/><text x="%.1f" y="%d" text-anchor="middle" fill="#444">%+.0f%%</text>`+"\n", x(tick), x(tick), top, bottom, x(tick), bottom+18, 100*tick)
	}
	fmt.Fprintf(&b, `<text x="%.1f" y="%d" text-anchor="middle" fill="#444">no change</text>`+"\n", x(0), bottom+18)
	for i, r := range rows {
		y := top + row*i + row/2
		fill := "none"
		stroke := "#999"
		if r.usualDifferent {
			fill, stroke = "#d55e00", "#d55e00"
		}
		fmt.Fprintf(&b, `<text x="12" y="%d">%s</text><circle cx="%.1f" cy="%d" r="4" fill="%s" stroke="%s"/>`, y+4, r.name, x(r.usual), y-3, fill, stroke)
		from, to := x(r.lo), x(r.hi)
		if to-from < 3 {
			from, to = (from+to)/2-1.5, (from+to)/2+1.5
		}
		fmt.Fprintf(&b, `<line x1="%.1f" x2="%.1f" y1="%d" y2="%d" stroke="#0072b2" stroke-width="4"/>`+"\n", from, to, y+5, y+5)
	}
	b.WriteString("</svg>\n")
	return b.String()
}
