package instrument

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tarebench/tare/cmd/tare/internal/result"
)

// fakeValgrind writes the profile of a benchmark with the given cost, and
// records its calls.
type fakeValgrind struct {
	perOp     func(run int) float64 // in the nth run of that many iterations, from 0
	setUp     float64
	intervals bool // one per iteration
	bytes     int
	mu        sync.Mutex // some runs are concurrent
	counts    []int64
	env       []string
}

func (f *fakeValgrind) exec(_ context.Context, _ string, env []string, argv ...string) ([]byte, []byte, error) {
	var file string
	var n int64
	for _, a := range argv {
		if v, ok := strings.CutPrefix(a, "--callgrind-out-file="); ok {
			file = v
		}
		if v, ok := strings.CutPrefix(a, "-test.benchtime="); ok {
			n, _ = strconv.ParseInt(strings.TrimSuffix(v, "x"), 10, 64)
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.env = env
	run := 0
	for _, c := range f.counts {
		if c == n {
			run++
		}
	}
	f.counts = append(f.counts, n)
	intervals := int64(1)
	if f.intervals {
		intervals = n
	}
	var b strings.Builder
	for range intervals {
		cost := (f.setUp + f.perOp(run)*float64(n)) / float64(intervals)
		label := fmt.Sprintf("Trigger: Client Request: tare-%d", n)
		fmt.Fprintf(&b, "part: 1\ndesc: %s\nevents: Ir\nfl=a.go\nfn=p.work\n7 %.0f\n", label, cost)
	}
	if err := os.WriteFile(file, []byte(b.String()), 0o666); err != nil {
		return nil, nil, err
	}
	return fmt.Appendf(nil, "BenchmarkX \t %d\t 1.0 ns/op\t %d B/op\t 1 allocs/op\n", n, f.bytes), nil, nil
}

func TestInstructions(t *testing.T) {
	steady := func(int) float64 { return 500 }
	tests := []struct {
		name     string
		fake     *fakeValgrind
		want     result.Estimate
		runs     int
		findings []string
		most     int64
	}{
		{"set-up cancels", &fakeValgrind{perOp: steady, setUp: 1e6}, result.Estimate{Center: 500, Lo: 500, Hi: 500, N: 5}, 11, nil, mostIterations},
		{"pauses bound the count", &fakeValgrind{perOp: steady, intervals: true}, result.Estimate{Center: 500, Lo: 500, Hi: 500, N: 5}, 11, nil, mostIntervals},
		{"the heap bounds the count", &fakeValgrind{perOp: steady, bytes: 1 << 20}, result.Estimate{Center: 500, Lo: 500, Hi: 500, N: 5}, 11, []string{"count-without-gc"}, 256},
		{
			"never the same twice", &fakeValgrind{perOp: func(run int) float64 { return 500 + 10*float64(run) }},
			result.Estimate{N: 5}, 1 + 2*5, []string{"count-spread"}, mostIterations,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Counter{Exec: tt.fake.exec, Alpha: 0.01}.Instructions(t.Context(), Target{Binary: "x", Benchmark: "X"})
			if err != nil {
				t.Fatal(err)
			}
			if tt.want.Center != 0 && (!agree(got.PerOp.Center, tt.want.Center, 1e-6) || !agree(got.PerOp.Lo, got.PerOp.Hi, 1e-6)) || got.PerOp.N != tt.want.N {
				t.Errorf("PerOp = %+v, want %+v", got.PerOp, tt.want)
			}
			if got.Runs != tt.runs || got.Many > tt.most || got.Few < 2 || got.Few >= got.Many {
				t.Errorf("runs %d (want %d), few %d, many %d (at most %d)", got.Runs, tt.runs, got.Few, got.Many, tt.most)
			}
			var ids []string
			for _, f := range got.Findings {
				ids = append(ids, f.ID)
			}
			if !slices.Equal(ids, tt.findings) {
				t.Errorf("findings %v, want %v", ids, tt.findings)
			}
			if tt.want.Center != 0 && (len(got.Functions) != 1 || got.Functions[0].Name != "p.work" || got.Functions[0].Line != 7) {
				t.Errorf("functions %+v", got.Functions)
			}
			for _, e := range []string{"GOMAXPROCS=1", "GOGC=off"} {
				if !slices.Contains(tt.fake.env, e) {
					t.Errorf("environment %v lacks %s", tt.fake.env, e)
				}
			}
		})
	}
}

// TestInstructionsObeyTheBudget: the first two processes show what the others take.
func TestInstructionsObeyTheBudget(t *testing.T) {
	for budget, want := range map[time.Duration]string{0: "", 10 * time.Second: "", 5 * time.Second: "11 processes take about 6s, and -budget is 5s"} {
		synctest.Test(t, func(t *testing.T) {
			fake := &fakeValgrind{perOp: func(int) float64 { return 500 }}
			slow := func(ctx context.Context, dir string, env []string, argv ...string) ([]byte, []byte, error) {
				time.Sleep(time.Second)
				return fake.exec(ctx, dir, env, argv...)
			}
			got, err := Counter{Exec: slow, Alpha: 0.01, Budget: budget}.Instructions(t.Context(), Target{Binary: "x", Benchmark: "X"})
			if (err == nil) != (want == "") || err != nil && (err.Error() != want || got.Runs != 1) {
				t.Errorf("budget %s: %v, want %q", budget, err, want)
			}
		})
	}
}

func TestInstructionsFailures(t *testing.T) {
	target := Target{Binary: "x", Benchmark: "X"}
	fails := func(context.Context, string, []string, ...string) ([]byte, []byte, error) {
		return []byte("--- FAIL: BenchmarkX"), []byte("panic: no luck"), errors.New("exit status 1")
	}
	_, err := Counter{Exec: fails}.Instructions(t.Context(), target)
	if err == nil || !strings.Contains(err.Error(), "no luck") || !strings.Contains(err.Error(), "FAIL") {
		t.Errorf("a failing benchmark: %v, want its own words", err)
	}
	silent := &fakeValgrind{perOp: func(int) float64 { return 1 }}
	mute := func(ctx context.Context, dir string, env []string, argv ...string) ([]byte, []byte, error) {
		_, _, err := silent.exec(ctx, dir, env, argv...)
		return []byte("PASS\n"), nil, err
	}
	if _, err := (Counter{Exec: mute}).Instructions(t.Context(), target); !errors.Is(err, errNotRun) {
		t.Errorf("no result line: %v, want %v", err, errNotRun)
	}
}

func TestCheckValgrind(t *testing.T) {
	tests := []struct {
		out  string
		err  error
		want string
	}{
		{"valgrind-3.19.0\n", nil, ""},
		{"valgrind-3.25.1\n", nil, ""},
		{"valgrind-4.0.0\n", nil, ""},
		{"valgrind-3.7.0\n", nil, "no-valgrind"},
		{"something else\n", nil, "no-valgrind"},
		{"", exec.ErrNotFound, "no-valgrind"},
	}
	for _, tt := range tests {
		f := CheckValgrind(t.Context(), func(context.Context, string, []string, ...string) ([]byte, []byte, error) {
			return []byte(tt.out), nil, tt.err
		})
		switch {
		case tt.want == "" && f != nil:
			t.Errorf("%q: %v, want nothing", tt.out, f)
		case tt.want != "" && (f == nil || f.ID != tt.want || !strings.Contains(f.Action, "apt-get install valgrind")):
			t.Errorf("%q: %v, want %s with the line that installs it", tt.out, f, tt.want)
		}
	}
}

func TestTopChanges(t *testing.T) {
	spent := func(name, file string, line int, perOp float64) result.FunctionCount {
		return result.FunctionCount{Name: name, File: file, Line: line, PerOp: perOp}
	}
	old := []result.FunctionCount{spent("a", "x/a.go", 1, 100), spent("same", "", 0, 50), spent("gone", "", 0, 7), spent("b", "", 0, 10)}
	new := []result.FunctionCount{spent("a", "y/a.go", 2, 103), spent("same", "", 0, 50.000001), spent("b", "", 0, 4), spent("born", "n.go", 9, 1)}
	got := TopChanges(old, new, 3)
	want := []result.FunctionChange{
		{Name: "gone", Old: 7}, {Name: "b", Old: 10, New: 4}, {Name: "a", File: "y/a.go", Line: 2, Old: 100, New: 103},
	}
	if !slices.Equal(got, want) {
		t.Errorf("TopChanges = %+v, want %+v", got, want)
	}
}
