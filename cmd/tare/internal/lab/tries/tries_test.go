//go:build lab

package tries

import (
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tarebench/tare/cmd/tare/internal/attempt"
	"github.com/tarebench/tare/cmd/tare/internal/result"
)

var (
	which    = flag.Int("module", 0, "which module to edit")
	attempts = flag.Int("attempts", 100, "how many edits")
	limit    = flag.Duration("limit", 10*time.Minute, "end the session after this time")
	faster   = flag.Int("faster", 10, "one edit in so many has a true gain")
	seed     = flag.Uint64("seed", 1, "seed of the edits")
	keep     = flag.String("keep", "", "keep the module, with its studies, in this directory")
)

// outcome is one attempt with the truth.
type outcome struct {
	edit
	result.Brief
	seconds float64
}

// TestSession plays a session of tare try: an edit, its answer, keep or revert. It
// prints the kept edits, and the total next to the truth.
func TestSession(t *testing.T) {
	tare := filepath.Join(t.TempDir(), "tare")
	if out, err := exec.Command("go", "build", "-o", tare, "github.com/tarebench/tare/cmd/tare").CombinedOutput(); err != nil {
		t.Fatalf("build tare: %v\n%s", err, out)
	}
	dir := *keep
	if dir == "" {
		dir = t.TempDir()
	}
	m := modules[*which]
	run := func(name string, args ...string) (string, int) {
		cmd := exec.Command(name, args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GOWORK=off")
		cmd.Stderr = os.Stderr
		out, _ := cmd.Output()
		return string(out), cmd.ProcessState.ExitCode()
	}
	best := newCode(m)
	render(t, dir, best.files(m))
	for _, args := range [][]string{{"init", "-q"}, {"add", "."}, {"-c", "user.name=t", "-c", "user.email=t@example.com", "commit", "-qm", "first"}} {
		if out, code := run("git", args...); code != 0 {
			t.Fatalf("git %v: %s", args, out)
		}
	}
	r := rand.New(rand.NewPCG(*seed, uint64(*which)))
	var all []outcome
	for began := time.Now(); len(all) < *attempts && time.Since(began) < *limit; {
		next, e := draw(r, best, *faster)
		render(t, dir, next.files(m))
		start := time.Now()
		var o outcome
		calls := 0
		for range 5 { // again
			calls++
			out, code := run(tare, "try", "-format", "line")
			o = outcome{edit: e}
			if err := json.Unmarshal([]byte(out), &o.Brief); err != nil {
				t.Fatalf("exit %d: %q: %v", code, out, err)
			}
			if o.Verdict != string(attempt.Again) {
				break
			}
		}
		o.seconds = time.Since(start).Seconds()
		if calls > 3 {
			t.Errorf("attempt %d: %d calls for one tree", len(all)+1, calls)
		}
		all = append(all, o)
		if o.Verdict == string(attempt.Keep) {
			best = next
		}
		t.Logf("%3d %-8s gain %4.1f%%: %-6s %5.1f s %s %s", len(all), e.kind, 100*e.gain, o.Verdict, o.seconds, shown(o.Changed), o.Reason)
	}
	out, _ := run(tare, "try", "-end")
	t.Log("\n" + out)
	summarize(t, all)
	t.Logf("true total of the steps: %.2f%%", 100*(float64(best.steps)/firstSteps-1))
}

func shown(rows []result.BriefRow) string {
	if len(rows) == 0 || rows[0].Ratio == nil || rows[0].Lo == nil || rows[0].Hi == nil {
		return ""
	}
	return fmt.Sprintf("%+.2f%% (%+.2f … %+.2f%%)", 100*(*rows[0].Ratio-1), 100*(*rows[0].Lo-1), 100*(*rows[0].Hi-1))
}

// summarize prints the figures of a session.
func summarize(t *testing.T, all []outcome) {
	kept, falsely, large, found := 0, 0, 0, 0
	var seconds []float64
	untested := 0
	seen := make(map[int]bool)
	for _, o := range all {
		if o.gain >= 0.02 {
			large++
		}
		if o.Level == 0 {
			untested++
		}
		seconds = append(seconds, o.seconds)
		if o.Verdict == string(attempt.Keep) && !seen[o.Attempt] { // the best tree again has its answer
			seen[o.Attempt] = true
			kept++
			switch {
			case o.gain == 0:
				falsely++
			case o.gain >= 0.02:
				found++
			}
		}
	}
	slices.Sort(seconds)
	t.Logf("%d attempts, %d of them answered by their machine code; %d kept, %d of them without a true gain; %d of %d edits of 2%% or more kept; median %.1f s",
		len(all), untested, kept, falsely, found, large, seconds[len(seconds)/2])
}

// render replaces the files of the module.
func render(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		if !strings.HasSuffix(text, "\n") {
			text += "\n"
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}
