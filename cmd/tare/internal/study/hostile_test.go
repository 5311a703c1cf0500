package study

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tarebench/tare/cmd/tare/internal/lab"
	"github.com/tarebench/tare/cmd/tare/internal/result"
)

// outcome is what came, or must come, of a hostile benchmark.
type outcome struct {
	kind string // measured, skipped, failed or alone
	says string // in the table a regular expression
}

func readOutcomes(t *testing.T, path string) map[string]outcome {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	all := make(map[string]outcome)
	for line := range strings.Lines(string(data)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		o := outcome{kind: f[1]}
		if len(f) > 2 {
			o.says = f[2]
		}
		all[f[0]] = o
	}
	return all
}

// hostileName shortens the name of 10 KB for the table.
func hostileName(name string) string {
	if len(name) > 1000 {
		return name[:14] + "…"
	}
	return name
}

func outcomes(rec *result.Recording) map[string]outcome {
	all := make(map[string]outcome)
	for i, b := range rec.Benchmarks {
		name, o := hostileName(b.Name), outcome{kind: "measured"}
		for _, f := range rec.Findings {
			if f.ID == "one-at-a-time" && f.Subject == b.Name {
				o = outcome{"alone", f.Message}
			}
		}
		for _, s := range rec.Stops {
			switch {
			case s.Benchmark != i:
			case s.Reason == "failed" || s.Reason == "skipped":
				o = outcome{s.Reason, s.Message}
			case len(b.Blocks) == 0:
				o = outcome{"nothing", s.Reason}
			}
		}
		all[name] = o
	}
	return all
}

// TestHostile measures benchmarks that misbehave in every way we could think
// of, two variants at once, in one study. Without the tag lab it leaves out
// those that only a timeout ends or that are slow by themselves.
func TestHostile(t *testing.T) {
	if testing.Short() { // on another system's ways of handing over, which the tests beside it take
		t.Skip("-short leaves out what takes a minute")
	}
	t.Parallel()
	dir, err := filepath.Abs("testdata/hostile")
	if err != nil {
		t.Fatal(err)
	}
	want := readOutcomes(t, filepath.Join(dir, "outcomes.txt"))
	if len(want) < 30 {
		t.Errorf("%d hostile benchmarks, want at least 30", len(want))
	}
	old, new := newSource(t, dir, ""), newSource(t, dir, "")
	old.env, new.env = []string{"HOSTILE_SLOW="}, []string{"HOSTILE_SLOW="} // TestHostileSlow has those
	o := Options{
		Study:    result.Study{Plan: result.Plan{BlockSeconds: 0.02, TimeoutSeconds: 5, Kind: "compare", Seed: 1, MaxBlocks: 2, BudgetSeconds: 20, Alpha: 0.05}, Schema: result.RecordingSchema, Variants: []result.Variant{{Label: "old"}, {Label: "new"}}},
		Sources:  []Source{old, new},
		Packages: []string{"example.com/hostile"},
	}
	if !lab.Long {
		t.Log("-tags lab runs all of them")
		o.TimeoutSeconds = 60 // it ends none of these
		quick := []string{"Well", "SubFails", "PanicLate", "PanicSlowlyInLoop", "ExitLate", "ClosesDescriptors3And4", "ChildProcess", "FixedPort"}
		o.Bench = "^Benchmark(" + strings.Join(quick, "|") + ")$"
		maps.DeleteFunc(want, func(name string, _ outcome) bool {
			top, _, _ := strings.Cut(name, "/")
			return !slices.Contains(quick, top)
		})
	}
	// Each slice of it leaves one more goroutine that spins: on a busy machine
	// the next may take longer than a deadlock here is given.
	const spins = "^BenchmarkSpinningGoroutine$"
	o.Skip = spins
	left := sleepers(t) // of runs of this test that were killed
	rec, err := record(t, o)
	if err != nil {
		t.Fatalf("%v\n%v", err, rec.Findings)
	}
	got := outcomes(rec)
	if _, wanted := want["SpinningGoroutine"]; wanted {
		o.Bench, o.Skip, o.TimeoutSeconds = spins, "", 60
		if rec, err = record(t, o); err != nil {
			t.Fatalf("%v\n%v", err, rec.Findings)
		}
		maps.Copy(got, outcomes(rec))
	}
	for _, name := range slices.Sorted(maps.Keys(want)) {
		w, g := want[name], got[name]
		if matched, err := regexp.MatchString(w.says, g.says); err != nil {
			t.Fatal(err)
		} else if w.kind != g.kind || !matched {
			t.Errorf("%s: %s %q, want %s %q", name, g.kind, shorten(g.says), w.kind, w.says)
		}
	}
	for name, g := range got {
		if _, ok := want[name]; !ok {
			t.Errorf("%q: %s %q, and it is not in the table", name, g.kind, shorten(g.says))
		}
	}
	// The processes of a benchmark end with it.
	for began := time.Now(); ; time.Sleep(10 * time.Millisecond) {
		if !slices.ContainsFunc(sleepers(t), func(p string) bool { return !slices.Contains(left, p) }) {
			break
		}
		if time.Since(began) > time.Minute {
			t.Fatal("the child of BenchmarkChildProcess is still there")
		}
	}
}

// sleepers lists the processes of BenchmarkChildProcess.
func sleepers(t *testing.T) (all []string) {
	t.Helper()
	out, err := exec.Command("ps", "-eo", "pid,args").Output()
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(out)) {
		if strings.Contains(line, "sleep 98765") {
			all = append(all, line)
		}
	}
	return all
}

func shorten(s string) string {
	if len(s) > 400 {
		return fmt.Sprintf("%s… (%d bytes)", s[:400], len(s))
	}
	return s
}
