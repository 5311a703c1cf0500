//go:build lab

package modules

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tarebench/tare/cmd/tare/internal/lab/busy"
	"github.com/tarebench/tare/cmd/tare/internal/lab/document"
	"github.com/tarebench/tare/cmd/tare/internal/result"
)

var (
	busyProcesses = flag.Int("busy", 16, "processes that never sleep, half of which walk 64 MB")
	busyGroups    = flag.String("busy-groups", string(busy.Sessions), "their scheduling groups: sessions or cgroups")
	busyRuns      = flag.Int("busy-runs", 7, "runs of TestBusyEdit and TestBusyBisect")
)

var author = []string{"GIT_AUTHOR_NAME=t", "GIT_AUTHOR_EMAIL=t@example.com", "GIT_COMMITTER_NAME=t", "GIT_COMMITTER_EMAIL=t@example.com"}

// keepBusy keeps the machine busy until the test ends.
func keepBusy(t *testing.T) {
	stop, err := busy.Keep(t.Context(), *busyProcesses, busy.Groups(*busyGroups))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(stop)
	time.Sleep(time.Second)
}

func edit(t *testing.T, file, before, after string) {
	text, err := os.ReadFile(file)
	if err != nil || !strings.Contains(string(text), before) {
		t.Fatalf("%s has no %q: %v", file, before, err)
	}
	if err := os.WriteFile(file, []byte(strings.ReplaceAll(string(text), before, after)), 0o666); err != nil {
		t.Fatal(err)
	}
}

func buildTare(t *testing.T) (tare string, env []string) {
	dir := t.TempDir()
	tare = filepath.Join(dir, "tare")
	command(t, root, nil, "go", "build", "-o", tare, "./cmd/tare")
	return tare, append(slices.Clone(author), "TARE_LOCK="+filepath.Join(dir, "lock"), "NO_COLOR=1")
}

// compared compares HEAD of a checkout with its working tree, and returns the
// seconds that this took.
func compared(t *testing.T, checkout string, env []string, tare string, args ...string) (c result.Comparison, took float64) {
	out := filepath.Join(t.TempDir(), "comparison.json")
	began := time.Now()
	words := command(t, checkout, env, tare, slices.Concat([]string{"compare"}, args, []string{"-json", "-o", out, "HEAD", "."})...)
	took = time.Since(began).Seconds()
	if text, err := os.ReadFile(out); err != nil || document.Read(text, &c) != nil {
		t.Fatalf("no comparison: %v\n%s", err, words)
	}
	return c, took
}

// TestBusyModules compares edits of three modules beside other processes:
// changed are the benchmarks that run the edited code.
func TestBusyModules(t *testing.T) {
	tare, env := buildTare(t)
	for _, m := range []struct {
		path, version, file, before, after string
	}{
		{"github.com/gammazero/deque", "v1.0.0", "deque.go", "(i + 1) & (len(q.buf) - 1)", "(i + 1) % len(q.buf)"},
		{"github.com/valyala/fasttemplate", "v1.2.2", "template.go", ", 0, tagsCount", ", 0, 0*tagsCount"},
		{"github.com/agnivade/levenshtein", "v1.2.1", "levenshtein.go", "i < len(s1); i++ {\n\t\tif s1[len(s1)-1-i]", "i < 0; i++ {\n\t\tif s1[len(s1)-1-i]"},
	} {
		t.Run(filepath.Base(m.path), func(t *testing.T) {
			checkout := t.TempDir()
			commitAll(t, checkout, author, m.path, m.version)
			edit(t, filepath.Join(checkout, m.file), m.before, m.after)
			keepBusy(t)
			c, took := compared(t, checkout, env, tare)
			count := make(map[result.Verdict]int)
			for _, b := range c.Benchmarks {
				if b.Unit == "sec/op" {
					count[b.Verdict]++
					t.Logf("%-28s %+8.2f%% (%+.2f to %+.2f) %-9s %d blocks", b.Name, 100*b.Change.Ratio-100, 100*b.Change.Lo-100, 100*b.Change.Hi-100, b.Verdict, b.Blocks)
				}
			}
			t.Logf("%v in %.0f s beside %d processes; load %s", count, took, *busyProcesses, load())
		})
	}
}

// TestBusyEdit times the answer to an edit of a function, builds and links
// included: compare of one benchmark, with warm caches. Each edit adds a branch
// that is never taken.
func TestBusyEdit(t *testing.T) {
	tare, env := buildTare(t)
	for _, f := range []struct{ path, version, file, function, never, bench string }{
		{"github.com/agnivade/levenshtein", "v1.2.1", "levenshtein.go", "func ComputeDistance(a, b string) int {", "len(a)-2*len(b)", "Simple/ASCII"},
		{"github.com/valyala/fasttemplate", "v1.2.2", "template.go", "func NewTemplate(template, startTag, endTag string) (*Template, error) {", "len(startTag)-100*len(endTag)", "NewTemplate$"},
		{"github.com/gammazero/deque", "v1.0.0", "deque.go", "func (q *Deque[T]) PushBack(elem T) {", "q.tail", "PushBack$"},
	} {
		t.Run(f.bench, func(t *testing.T) {
			checkout := t.TempDir()
			commitAll(t, checkout, author, f.path, f.version)
			var all, measuring []float64
			for i := range 1 + *busyRuns {
				if i == 1 {
					keepBusy(t)
				}
				edit(t, filepath.Join(checkout, f.file), f.function, fmt.Sprintf("%s\n\tif %s == -%d {\n\t\tpanic(%[3]d)\n\t}", f.function, f.never, i+1))
				c, took := compared(t, checkout, env, tare, "-bench", f.bench)
				if len(c.Benchmarks) == 0 {
					t.Fatal("no benchmark was compared")
				}
				b := c.Benchmarks[0]
				t.Logf("%.2f s, measuring %.2f s, %s after %d blocks", took, b.Seconds, b.Verdict, b.Blocks)
				if i > 0 {
					all, measuring = append(all, took), append(measuring, b.Seconds)
				}
			}
			slices.Sort(all)
			slices.Sort(measuring)
			t.Logf("median %.2f s of %d, measuring %.2f s, beside %d processes; load %s", all[len(all)/2], len(all), measuring[len(measuring)/2], *busyProcesses, load())
		})
	}
}

// TestBusyBisect searches 32 commits for a step of 4%. Every commit changes a
// constant of the code that the benchmark runs.
func TestBusyBisect(t *testing.T) {
	tare, env := buildTare(t)
	named := 0
	var seconds []float64
	for i := range *busyRuns {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			checkout, step := t.TempDir(), 3+(7*i)%28
			command(t, checkout, env, "git", "init", "-q", ".")
			write := func(name, text string) {
				if err := os.WriteFile(filepath.Join(checkout, name), []byte(text), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			write("go.mod", fmt.Sprintf("module example.com/search%d\n\ngo 1.24\n", i))
			write("work_test.go", "package work\n\nimport \"testing\"\n\nfunc BenchmarkWork(b *testing.B) {\n\tfor b.Loop() {\n\t\tWork(1)\n\t}\n}\n")
			for n := range 33 {
				rounds := 1000
				if n >= step {
					rounds = 1040
				}
				write("work.go", fmt.Sprintf("package work\n\nfunc Work(x uint64) uint64 {\n\tfor range %d {\n\t\tx = x*6364136223846793005 + %d\n\t}\n\treturn x\n}\n", rounds, 1+2*n))
				command(t, checkout, env, "git", "add", "-A")
				command(t, checkout, env, "git", "-c", "commit.gpgsign=false", "commit", "-q", "-m", fmt.Sprintf("commit %d", n))
			}
			keepBusy(t)
			began := time.Now()
			cmd := exec.Command(tare, "bisect", "-bench", "Work", "HEAD~32", "HEAD")
			cmd.Dir, cmd.Env = checkout, append(os.Environ(), env...)
			out, err := cmd.Output()
			took := time.Since(began).Seconds()
			var exit *exec.ExitError
			if err != nil && !errors.As(err, &exit) {
				t.Fatal(err)
			}
			seconds = append(seconds, took)
			found := strings.Contains(string(out), fmt.Sprintf(" commit %d  +", step)) && err == nil
			if found {
				named++
			}
			t.Logf("step at %d, %.1f s, named: %v, load %s\n%s", step, took, found, load(), out)
		})
	}
	slices.Sort(seconds)
	t.Logf("named %d of %d, median %.1f s, longest %.1f s, beside %d processes", named, len(seconds), seconds[len(seconds)/2], seconds[len(seconds)-1], *busyProcesses)
}
