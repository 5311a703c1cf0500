//go:build lab

package selftest

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/perf/benchfmt"

	"github.com/tarebench/tare/cmd/tare/internal/build"
	"github.com/tarebench/tare/cmd/tare/internal/lab/busy"
	"github.com/tarebench/tare/cmd/tare/internal/process"
	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/session"
	"github.com/tarebench/tare/cmd/tare/internal/stats"
)

var busyGroups = flag.String("busy-groups", string(busy.Sessions), "scheduling groups of busy processes: sessions or cgroups")

// TestBusy compares the 24 benchmarks of known truth beside processes that never
// sleep, half of which walk memory, each in its own scheduling group. It counts the
// changes that are found, and the changes that go test -count=10 with benchstat's
// test finds with the same binaries. Choose a row: -run 'TestBusy/16/5%'.
func TestBusy(t *testing.T) {
	t.Setenv("GOFLAGS", "-mod=mod")
	for _, row := range []struct {
		busy    int
		permill int
		budget  time.Duration
		usual   bool
	}{
		{16, 50, session.CompareBudget, true},
		{16, 100, session.CompareBudget, true},
		{16, 500, 4 * time.Second, false},
		{64, 100, session.CompareBudget, false},
		{4, 20, session.CompareBudget, true},
		{4, 50, session.CompareBudget, true},
		{0, 20, session.CompareBudget, true},
	} {
		t.Run(fmt.Sprintf("%d/%d%%", row.busy, row.permill/10), func(t *testing.T) {
			dir := t.TempDir()
			if err := writeModule(t.Context(), dir); err != nil {
				t.Fatal(err)
			}
			idle, err := busy.Keep(t.Context(), row.busy, busy.Groups(*busyGroups))
			if err != nil {
				t.Fatal(err)
			}
			defer idle()
			began := time.Now()
			spec := comparison(dir, session.Host{Tree: os.DirFS("/")}, 1+uint64(began.Unix()))
			spec.Delta, spec.BudgetSeconds = float64(row.permill)/2000, row.budget.Seconds()
			if spec.Variants, err = build.ParseAll(".", fmt.Sprintf(".,tags=p%d", row.permill)); err != nil {
				t.Fatal(err)
			}
			run, err := session.Open(t.Context(), spec, session.Quiet{})
			if err != nil {
				t.Fatal(err)
			}
			defer run.Close()
			if err := run.Run(t.Context()); err != nil {
				t.Fatal(err)
			}
			truth := result.SelfTestTruth{Stratum: result.Changed, Change: float64(row.permill) / 1000}
			for _, r := range run.Comparison().Benchmarks {
				if r.Unit == "sec/op" {
					truth.Add(r)
					t.Logf("%-14s %+7.2f%% (%+.2f to %+.2f) %-9s %d blocks %.1f s", r.Name, 100*r.Change.Ratio-100, 100*r.Change.Lo-100, 100*r.Change.Hi-100, r.Verdict, r.Blocks, r.Seconds)
				}
			}
			slices.Sort(truth.Seconds)
			load, _ := os.ReadFile("/proc/loadavg")
			t.Logf("tare: found %d of %d, wrong sign %d, median %.1f s, %.0f s in all; load %s", truth.Right, truth.Comparisons, truth.Wrong, stats.Median(truth.Seconds), time.Since(began).Seconds(), load)
			if truth.Wrong > 0 {
				t.Errorf("%d wrong signs", truth.Wrong)
			}
			if row.usual {
				found, wrong, took := usualMethod(t, dir, run.Folder())
				t.Logf("usual: found %d, wrong sign %d, %.0f s in all", found, wrong, took.Seconds())
			}
		})
	}
}

// usualMethod measures all old and then all new with the kept binaries, as go
// test -count=10 -benchtime 100ms does, and tests as benchstat does.
func usualMethod(t *testing.T, dir, folder string) (found, wrong int, took time.Duration) {
	began := time.Now()
	var sides [2]map[string][]float64
	for side := range sides {
		sides[side] = usualSide(t, t.Context(), dir, filepath.Join(folder, session.KeptName("truth", side)))
	}
	for name, old := range sides[0] {
		switch p := stats.MannWhitney(old, sides[1][name]).P; {
		case p >= 0.05:
		case stats.Median(sides[1][name]) > stats.Median(old):
			found++
		default:
			wrong++
		}
	}
	return found, wrong, time.Since(began)
}

func usualSide(t *testing.T, ctx context.Context, dir, binary string) map[string][]float64 {
	cmd := process.Command(ctx, binary, "-test.run=^$", "-test.bench=.", "-test.count=10", "-test.benchtime=100ms")
	cmd.Dir = dir
	text, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	values := make(map[string][]float64)
	for r := benchfmt.NewReader(bytes.NewReader(text), binary); r.Scan(); {
		if line, ok := r.Result().(*benchfmt.Result); ok {
			v, _ := line.Value("sec/op")
			name := strings.Clone(string(line.Name))
			values[name] = append(values[name], v)
		}
	}
	return values
}
