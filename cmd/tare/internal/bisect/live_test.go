//go:build lab

package bisect

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tarebench/tare/cmd/tare/internal/build"
	"github.com/tarebench/tare/cmd/tare/internal/machine"
	"github.com/tarebench/tare/cmd/tare/internal/process"
	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/session"
)

type silent struct{ session.Quiet }

func (silent) Posterior([]float64, int) {}

// checkout is a git repository in a temporary directory.
type checkout struct {
	t   *testing.T
	dir string
}

func newCheckout(t *testing.T) checkout {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("needs git")
	}
	r := checkout{t, t.TempDir()}
	r.git("init", "-q", "-b", "main")
	return r
}

func (r checkout) git(args ...string) string {
	r.t.Helper()
	cmd := exec.Command("git", append([]string{"-C", r.dir, "-c", "user.name=Ann", "-c", "user.email=ann@example.org", "-c", "commit.gpgSign=false"}, args...)...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		r.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func (r checkout) write(name, text string) {
	r.t.Helper()
	path := filepath.Join(r.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		r.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		r.t.Fatal(err)
	}
}

func (r checkout) commit(title string) {
	r.t.Helper()
	r.git("add", "-A")
	r.git("commit", "-qm", title)
}

// bisect searches the history from the first commit to HEAD.
func (r checkout) bisect(bench, unit string, packages ...string) result.Bisection {
	r.t.Helper()
	good := r.git("rev-list", "--max-parents=0", "HEAD")
	var ends [2]build.Spec
	for i, revision := range []string{good, "HEAD"} {
		var err error
		if ends[i], err = build.Parse(revision); err != nil {
			r.t.Fatal(err)
		}
	}
	points, err := commitsBetween(r.t.Context(), process.Run, r.dir, ends[0], ends[1])
	if err != nil {
		r.t.Fatal(err)
	}
	found, err := Run(context.WithoutCancel(r.t.Context()), Spec{Of: "commits", Unit: unit, Axis: points, Folder: filepath.Join(r.t.TempDir(), "bisect"),
		Session: session.Spec{Plan: result.Plan{Packages: packages, Bench: bench, Seed: 1, TimeoutSeconds: 600, MaxBlocks: session.CompareBlocks, FuncOrders: true, Alpha: session.DefaultAlpha, Delta: 0.01, BudgetSeconds: session.CompareBudget.Seconds()}, Dir: r.dir, Lock: machine.LockOff, Host: session.Host{Tree: os.DirFS("/")}}}, silent{})
	if err != nil {
		r.t.Fatal(err)
	}
	return found
}

// work is a function of the number of iterations, with an allocation for every
// ten thousand of them. constant is part of its machine code, and costs nothing:
// all are encoded alike, so that the loop stays at its address.
func work(iterations, constant int) string {
	return fmt.Sprintf(`package x

var (
	Sink int
	Kept *int
)

func Work() int {
	s := %d
	for i := range %d {
		s += i ^ Sink
	}
	for range %d {
		Kept = new(int)
	}
	return s
}
`, 1000+constant, iterations, iterations/10_000)
}

// synthesize makes a history of n commits after the first. The commit at makes
// the loop longer by step. Each third of the others changes machine code that
// costs nothing, a function that the benchmark does not call, or a text.
func synthesize(t *testing.T, n, at int, step float64, seed uint64) checkout {
	const iterations = 20_000
	r, random := newCheckout(t), rand.New(rand.NewPCG(seed, 1))
	r.write("go.mod", "module example.org/x\n\ngo 1.24\n")
	r.write("x_test.go", "package x\n\nimport \"testing\"\n\nfunc BenchmarkWork(b *testing.B) {\n\tfor b.Loop() {\n\t\tSink = Work()\n\t}\n}\n")
	length, constant := iterations, 0
	r.write("x.go", work(length, constant))
	r.commit("start")
	for k := 1; k <= n; k++ {
		switch {
		case k == at:
			length = int(iterations * (1 + step))
			r.write("x.go", work(length, constant))
		case random.IntN(3) == 0:
			constant = k
			r.write("x.go", work(length, constant))
		case random.IntN(2) == 0:
			r.write("other.go", fmt.Sprintf("package x\n\nfunc Other() int { return %d }\n", k))
		default:
			r.write("README", fmt.Sprintln("edition", k))
		}
		r.commit(fmt.Sprint("change ", k))
	}
	return r
}

// mixed makes a history of about n commits that has what real ones have: branches
// that are merged, commits that do not build and are repaired later, and packages
// beside the one whose commit at makes a loop longer by step.
func mixed(t *testing.T, n, at int, step float64, seed uint64) checkout {
	const iterations = 20_000
	r, random := newCheckout(t), rand.New(rand.NewPCG(seed, 2))
	r.write("go.mod", "module example.org/m\n\ngo 1.24\n")
	r.write("x/x_test.go", "package x\n\nimport \"testing\"\n\nfunc BenchmarkWork(b *testing.B) {\n\tfor b.Loop() {\n\t\tSink = Work()\n\t}\n}\n")
	r.write("y/y_test.go", "package y\n\nimport (\n\t\"testing\"\n\n\t\"example.org/m/x\"\n)\n\nfunc BenchmarkOther(b *testing.B) {\n\tfor b.Loop() {\n\t\tx.Sink = Y() + x.Work()\n\t}\n}\n")
	r.write("y/y.go", "package y\n\nfunc Y() int { return 0 }\n")
	length, constant := iterations, 0
	r.write("x/x.go", work(length, constant))
	r.commit("start")
	left, broken := 0, false // commits left on the branch, and whether the last one does not build
	for k := 1; k <= n; k++ {
		if left == 0 && random.IntN(6) == 0 && k != at {
			r.git("checkout", "-qb", fmt.Sprint("topic", k))
			left = 2 + random.IntN(4)
		}
		switch {
		case broken:
			r.write("x/more.go", "package x\n")
			broken = false
		case k == at:
			length = int(iterations * (1 + step))
			r.write("x/x.go", work(length, constant))
		case k+1 != at && k < n && left != 1 && random.IntN(8) == 0:
			r.write("x/more.go", "package x\n\nfunc more() int { return missing }\n")
			broken = true
		case random.IntN(3) == 0:
			constant = k
			r.write("x/x.go", work(length, constant))
		case random.IntN(2) == 0:
			r.write("y/y.go", fmt.Sprintf("package y\n\nfunc Y() int { return %d }\n", k))
		default:
			r.write("README", fmt.Sprintln("edition", k))
		}
		r.commit(fmt.Sprint("change ", k))
		if left > 0 {
			if left--; left == 0 || k == n {
				left = 0
				branch := r.git("rev-parse", "--abbrev-ref", "HEAD")
				r.git("checkout", "-q", "main")
				r.write("NOTES", fmt.Sprintln("meanwhile", k))
				r.commit(fmt.Sprint("beside ", k))
				r.git("merge", "-q", "--no-ff", "-m", "merge "+branch, branch)
			}
		}
	}
	return r
}

// TestMixedRepositories bisects six histories of 16 to 64 commits with steps of 2.5 to
// 5%, as TestSyntheticRepositories does. -run Mixed/3 bisects one of them.
func TestMixedRepositories(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for i, c := range []struct {
		commits int
		step    float64
	}{{16, 0.025}, {24, 0.05}, {32, 0.03}, {48, 0.04}, {64, 0.025}, {64, 0.05}} {
		at := 1 + random.IntN(c.commits)
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			found := mixed(t, c.commits, at, c.step, uint64(i)).bisect("Work", "sec/op", "./...")
			t.Log(syntheticRow(found, c.step, fmt.Sprint("change ", at)))
		})
	}
}

// longest is the most time for the bisection of a synthetic repository, on an
// idle machine.
const longest = 3 * time.Minute

// TestSyntheticRepositories bisects histories whose culprit is known, by time, for
// docs/results/bisect.txt. A wrong answer by a live clock is a row of the table
// there, no failure. -run Synthetic/5%_0 bisects one of them. The script
// bisect_count bisects by allocations, which are exact.
func TestSyntheticRepositories(t *testing.T) {
	commits, steps, seeds := 64, []float64{0.02, 0.05}, 5
	random := rand.New(rand.NewPCG(1, 2))
	for _, step := range steps {
		for seed := range seeds {
			at := 1 + random.IntN(commits)
			t.Run(fmt.Sprintf("%.0f%%_%d", 100*step, seed), func(t *testing.T) {
				found := synthesize(t, commits, at, step, uint64(seed)).bisect("Work", "sec/op", ".")
				t.Log(syntheticRow(found, step, fmt.Sprint("change ", at)))
				for _, p := range found.SameCode {
					if p.Title == fmt.Sprint("change ", at) {
						t.Errorf("%q was left out for its machine code", p.Title)
					}
				}
			})
		}
	}
}

// syntheticRow is a row of docs/results/bisect.txt.
func syntheticRow(found result.Bisection, step float64, culprit string) string {
	var named []string
	var name func([]result.BisectionStep)
	name = func(steps []result.BisectionStep) {
		for _, s := range steps {
			if i := slices.IndexFunc(s.Inside, func(b result.Bisection) bool { return len(b.Steps) > 0 }); i >= 0 {
				name(s.Inside[i].Steps)
				continue
			}
			for _, p := range s.Points {
				named = append(named, p.Title)
			}
		}
	}
	name(found.Steps)
	outcome, took := "wrong", ""
	switch {
	case len(named) == 0:
		outcome = "open"
	case len(named) == 1 && named[0] == culprit:
		outcome = "right"
	}
	if found.Seconds > longest.Seconds() {
		took = ", too long"
	}
	return fmt.Sprintf("| %g%% | %s | %s | %s | %d | %d | %.0f s%s |", 100*step, culprit, strings.Join(named, ", "), outcome,
		len(found.SameCode), found.Blocks, found.Seconds, took)
}
