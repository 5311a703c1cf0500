package worker

import (
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tarebench/tare/internal/overlay"
	"github.com/tarebench/tare/stats"
)

// TestHandoffFigures prints what docs/decisions/direct-handoff.md is about, for
// benchmarks of the standard library:
//
//	TARE_FIGURES='unicode/utf8 .*' go test ./internal/worker -run HandoffFigures -v
//
// TARE_FIGURES_SLICE is the length of a slice, TARE_FIGURES_CPU the processor
// (-1 for none), TARE_FIGURES_PIPE=1 commands every slice by the pipe.
func TestHandoffFigures(t *testing.T) {
	pkg, pattern, ok := strings.Cut(os.Getenv("TARE_FIGURES"), " ")
	if !ok {
		t.Skip("measures for minutes: set TARE_FIGURES to a package and a pattern")
	}
	setting := func(name, other string) string {
		if v := os.Getenv("TARE_FIGURES_" + name); v != "" {
			return v
		}
		return other
	}
	slice, err := time.ParseDuration(setting("SLICE", "100us"))
	if err != nil {
		t.Fatal(err)
	}
	o := Options{Timeout: time.Minute, Pipe: setting("PIPE", "") != ""}
	if cpu, err := strconv.Atoi(setting("CPU", "0")); err != nil {
		t.Fatal(err)
	} else if cpu >= 0 {
		o.CPUs = []int{cpu}
	}
	procs, _ := strconv.Atoi(setting("PROCS", "2"))
	blocks, _ := strconv.Atoi(setting("BLOCKS", "8"))
	path := standardBinary(t, pkg)
	dir := filepath.Join(goroot(t), "src", filepath.FromSlash(pkg))
	var widths, shares, starts, spreads []float64
	for _, name := range standardNames(t, path, dir, pattern) {
		c := Config{Path: path, Dir: dir, Env: os.Environ(), Bench: Pattern(name), Name: name, Procs: procs}
		var centres, spread, inside, start []float64
		n := int64(0)
		for range blocks {
			b, err := figuresBlock(t, c, o, slice, &n)
			if err != nil {
				var of *SideError
				if errors.As(err, &of) {
					t.Logf("%s: %v\n%s", name, err, of.Output)
				} else {
					t.Logf("%s: %v", name, err)
				}
				break
			}
			centres, spread = append(centres, b.centre), append(spread, b.spread)
			inside, start = append(inside, b.inside), append(start, b.start)
		}
		if len(centres) == 0 {
			continue
		}
		width := 100 * (slices.Max(centres) - slices.Min(centres)) / 2
		t.Logf("%-44s n %7d  half-width %6.3f%%  spread of a pair %5.2f%%  in slices %.3f  start %4.1f ms", name, n, width, 100*stats.Median(spread), stats.Median(inside), stats.Median(start))
		widths, spreads = append(widths, width), append(spreads, 100*stats.Median(spread))
		shares, starts = append(shares, stats.Median(inside)), append(starts, stats.Median(start))
	}
	for what, x := range map[string][]float64{"half-width %": widths, "in slices": shares, "start ms": starts, "spread of a pair %": spreads} {
		slices.Sort(x)
		if len(x) > 0 {
			t.Logf("%s: .1 %.3f  .5 %.3f  .9 %.3f of %d", what, x[len(x)/10], x[len(x)/2], x[len(x)*9/10], len(x))
		}
	}
}

type figures struct{ centre, spread, inside, start float64 }

// figuresBlock is a block of 40 ms of slices, both sides the same binary.
func figuresBlock(t *testing.T, c Config, o Options, slice time.Duration, n *int64) (f figures, err error) {
	began := time.Now()
	g, err := StartGroup(t.Context(), []Config{c, c}, o)
	if err != nil {
		return f, err
	}
	defer g.Close()
	f.start = 1e3 * time.Since(began).Seconds()
	for range 12 { // the pilot
		if *n > 0 && began.IsZero() {
			break
		}
		try := max(1, *n)
		s, err := g.Run(t.Context(), []Slot{{Side: 0, N: try}, {Side: 0, N: try}, {Side: 0, N: try}})
		if err != nil {
			return f, err
		}
		took := min(s[0].Raw, s[1].Raw, s[2].Raw)
		if took >= 0.7*float64(slice) && *n > 0 {
			break
		}
		*n = max(1, int64(float64(try)*min(100, float64(slice)/max(1, took))))
		if took >= 0.7*float64(slice) {
			break
		}
	}
	pairs := max(8, int(40*time.Millisecond/slice/2))
	var slots []Slot
	for i := range pairs {
		first := rand.IntN(2)
		if i%2 == 1 {
			first = 1 - slots[len(slots)-2].Side
		}
		slots = append(slots, Slot{Side: first, N: *n}, Slot{Side: 1 - first, N: *n})
	}
	run := time.Now()
	taken, err := g.Run(t.Context(), slots)
	if err != nil {
		return f, err
	}
	wall := time.Since(run)
	var logs []float64
	var raw float64
	for i := 0; i < len(slots); i += 2 {
		var side [2]float64
		side[slots[i].Side], side[slots[i+1].Side] = taken[i].Seconds(), taken[i+1].Seconds()
		raw += taken[i].Raw + taken[i+1].Raw
		if i > 2 && side[0] > 0 && side[1] > 0 {
			logs = append(logs, math.Log(side[1]/side[0]))
		}
	}
	if len(logs) == 0 {
		return f, errors.New("nothing was timed")
	}
	f.centre, f.spread, f.inside = stats.Median(logs), 1.4826*stats.MAD(logs), raw/float64(wall)
	if _, err := g.End(t.Context()); err != nil {
		return f, err
	}
	return f, nil
}

func goroot(t *testing.T) string {
	t.Helper()
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

// standardBinary builds a package of the standard library with the overlay.
func standardBinary(t *testing.T, pkg string) string {
	t.Helper()
	if path := os.Getenv("TARE_FIGURES_BINARY"); path != "" {
		return path
	}
	dir := t.TempDir()
	made, err := overlay.Generate(goroot(t), dir)
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(map[string]any{"Replace": made.Replace})
	if err != nil {
		t.Fatal(err)
	}
	list := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(list, text, 0o666); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "std.test")
	if out, err := exec.Command("go", "test", "-c", "-overlay="+list, "-o", path, pkg).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return path
}

// standardNames lists the leaf benchmarks that match.
func standardNames(t *testing.T, path, dir, pattern string) []string {
	t.Helper()
	w, err := Start(t.Context(), Config{Path: path, Dir: dir, Env: os.Environ(), Bench: pattern})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	return leaves(t, w)
}
