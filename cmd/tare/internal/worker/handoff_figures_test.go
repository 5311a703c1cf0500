//go:build lab

package worker

import (
	"encoding/json"
	"errors"
	"flag"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tarebench/tare/cmd/tare/internal/overlay"
	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/stats"
)

var (
	figuresOf    = flag.String("figures", "unicode/utf8", "package whose benchmarks TestHandoffFigures measures, each with itself")
	figuresBench = flag.String("figures-bench", ".*", "the benchmarks that match")
	figuresOther = flag.String("figures-other", "", "benchmark of side 1, whose median and mean show what it pays for the collector of side 0")
	figuresSlice = flag.Duration("figures-slice", 100*time.Microsecond, "length of a slice")
	figuresCPU   = flag.Int("figures-cpu", 0, "CPU of both sides, or -1")
	figuresPipe  = flag.Bool("figures-pipe", false, "command every slice by the pipe")
)

// TestHandoffFigures prints what docs/decisions/handoff.md is about, for
// benchmarks of the standard library:
//
//	go test -tags lab ./cmd/tare/internal/worker -run HandoffFigures -v
func TestHandoffFigures(t *testing.T) {
	o := Options{Timeout: time.Minute, Pipe: *figuresPipe}
	if *figuresCPU >= 0 {
		o.CPUs = []int{*figuresCPU}
	}
	path := standardBinary(t, *figuresOf)
	dir := filepath.Join(goroot(t), "src", filepath.FromSlash(*figuresOf))
	var widths, shares, starts, spreads []float64
	for _, name := range standardNames(t, path, dir, *figuresBench) {
		c := Config{Path: path, Dir: dir, Env: os.Environ(), Bench: result.ExactPattern(name), Name: name, Procs: 2}
		var centres, spread, inside, start []float64
		n := int64(0)
		for range 8 {
			b, err := figuresBlock(t, c, o, *figuresSlice, &n)
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
	other, configs := *figuresOther, []Config{c, c}
	if other != "" {
		configs[1].Name, configs[1].Bench = other, result.ExactPattern(other)
	}
	g, err := StartGroup(t.Context(), configs, o)
	if err != nil {
		return f, err
	}
	defer g.Close()
	f.start = 1e3 * time.Since(began).Seconds()
	sides := [2]int64{*n, *n}
	if other != "" {
		if err := figuresPilot(t, g, 1, slice, &sides[1]); err != nil {
			return f, err
		}
	}
	if err := figuresPilot(t, g, 0, slice, n); err != nil {
		return f, err
	}
	if sides[0] = *n; other == "" {
		sides[1] = *n
	}
	pairs := max(8, int(40*time.Millisecond/slice/2))
	var slots []Slot
	for i := range pairs {
		first := rand.IntN(2)
		if i%2 == 1 {
			first = 1 - slots[len(slots)-2].Side
		}
		slots = append(slots, Slot{Side: first, N: sides[first]}, Slot{Side: 1 - first, N: sides[1-first]})
	}
	run := time.Now()
	taken, err := g.Run(t.Context(), slots)
	if err != nil {
		return f, err
	}
	wall := time.Since(run)
	if other != "" {
		var perOp []float64
		for i, s := range taken {
			if slots[i].Side == 1 {
				perOp = append(perOp, s.Seconds()*1e9)
			}
		}
		t.Logf("%s beside %s: median %.2f mean %.2f ns/op", other, c.Name, stats.Median(perOp), sum(perOp)/float64(len(perOp)))
	}
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

// figuresPilot finds how many iterations a slice has.
func figuresPilot(t *testing.T, g Group, side int, slice time.Duration, n *int64) error {
	for range 12 {
		try := max(1, *n)
		s, err := g.Run(t.Context(), []Slot{{Side: side, N: try}, {Side: side, N: try}, {Side: side, N: try}})
		if err != nil {
			return err
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
	return nil
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
func standardNames(t *testing.T, path, dir, bench string) []string {
	t.Helper()
	w, err := Start(t.Context(), Config{Path: path, Dir: dir, Env: os.Environ(), Bench: bench})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	return leaves(t, w)
}

func sum(x []float64) (s float64) {
	for _, v := range x {
		s += v
	}
	return s
}
