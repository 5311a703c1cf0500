//go:build lab

package modules

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tarebench/tare/cmd/tare/internal/lab/document"
	"github.com/tarebench/tare/cmd/tare/internal/result"
)

var (
	page   = flag.String("page", "", "write the figures into this `FILE`, a path from the root of the repository")
	budget = flag.String("budget", "3s", "tare's -budget")
)

const root = "../../../../.."

type benchmark = result.BenchmarkComparison

// report is the result of a module.
type report struct {
	module
	benchmarks []benchmark
	failed     int
	spreads    map[string]spread // by package and name
	wall       time.Duration
	load       string
	broke      string
}

// TestModules compares two versions of every module in modules.txt with tare
// compare, as its maintainer would. HEAD~1 of a checkout is the old version and
// HEAD the new one.
func TestModules(t *testing.T) {
	for _, tool := range []string{"git", "go"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("%s is not installed", tool)
		}
	}
	tare := filepath.Join(t.TempDir(), "tare")
	command(t, root, nil, "go", "build", "-o", tare, "./cmd/tare")
	var reports []report
	for _, m := range readList(t) {
		t.Run(m.name(), func(t *testing.T) {
			r := compareVersions(t, tare, m)
			t.Logf("%d benchmarks, %d failed, %.0f s, load %s %s", len(r.benchmarks), r.failed, r.wall.Seconds(), r.load, r.broke)
			for _, row := range r.rows() {
				t.Log(row)
			}
			reports = append(reports, r)
		})
	}
	if *page != "" {
		writePage(t, filepath.Join(root, *page), reports)
	}
}

// compareVersions measures one module.
func compareVersions(t *testing.T, tare string, m module) report {
	t.Helper()
	// Use the same path and commits with the same hash every time. Go's build
	// cache then finds the packages of an earlier run (cgo: a minute per
	// variant).
	dir := filepath.Join(os.TempDir(), fmt.Sprintf("tare-modules-%d", os.Getuid()), strings.ReplaceAll(m.name(), "/", "_"))
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		os.RemoveAll(dir)
		os.Remove(filepath.Dir(dir)) // if it is empty
	})
	checkout := filepath.Join(dir, "checkout")
	if err := os.MkdirAll(checkout, 0o777); err != nil {
		t.Fatal(err)
	}
	env := append([]string{
		"TARE_LOCK=" + filepath.Join(dir, "lock"), "NO_COLOR=1",
		"GIT_AUTHOR_NAME=t", "GIT_AUTHOR_EMAIL=t@example.com", "GIT_COMMITTER_NAME=t", "GIT_COMMITTER_EMAIL=t@example.com",
		"GIT_AUTHOR_DATE=2026-01-01T00:00:00Z", "GIT_COMMITTER_DATE=2026-01-01T00:00:00Z",
	}, m.env...)
	variants := []string{"HEAD~1", "HEAD"}
	if m.path == std {
		if err := os.WriteFile(filepath.Join(checkout, "go.mod"), []byte("module example.com/std\n\ngo 1.24\n"), 0o666); err != nil {
			t.Fatal(err)
		}
		for i, version := range []string{m.old, m.new} {
			if variants[i] = "."; version != "local" {
				variants[i] = ".,go=" + strings.TrimPrefix(version, "go")
			}
		}
	} else {
		commitVersions(t, checkout, env, m)
	}
	status := func() string {
		if m.path == std {
			return ""
		}
		return command(t, checkout, env, "git", "status", "--porcelain") + command(t, checkout, env, "git", "worktree", "list") +
			command(t, checkout, env, "git", "stash", "list") + command(t, checkout, env, "git", "branch", "-a")
	}
	before := status()

	out := filepath.Join(dir, "comparison.json")
	args := append([]string{"compare", "-json", "-o", out, "-measure-all", "-budget", *budget, "-timeout", "2m", "-bench", m.bench}, variants...)
	cmd := exec.Command(tare, append(args, m.packages...)...)
	cmd.Dir, cmd.Env = checkout, append(os.Environ(), env...)
	r := report{module: m}
	began := time.Now()
	words, runErr := cmd.CombinedOutput()
	r.wall, r.load = time.Since(began), load()
	var exit *exec.ExitError
	if runErr != nil && (!errors.As(runErr, &exit) || exit.ExitCode() != 1) {
		t.Errorf("%v: %v\n%s", cmd.Args, runErr, words)
	}
	var c result.Comparison
	data, err := os.ReadFile(out)
	if err != nil {
		r.broke = string(words)
		t.Errorf("%v: %v\n%s", cmd.Args, runErr, words)
		return r
	}
	if err := document.Read(data, &c); err != nil {
		t.Fatal(err)
	}
	for _, b := range c.Benchmarks {
		if b.Unit == "sec/op" || b.Blocks == 0 {
			r.benchmarks = append(r.benchmarks, b)
		}
	}
	r.failed, r.spreads = c.Summary.Failed, spreadsOf(t, checkout)
	if after := status(); after != before {
		t.Errorf("the checkout was touched: before\n%s\nafter\n%s", before, after)
	}
	if len(r.benchmarks) < 3 {
		t.Errorf("%d benchmarks, want at least 3\n%s", len(r.benchmarks), words)
	}
	if c.Summary.Failed > 0 {
		r.explain(t, checkout, env, words)
	}
	if m.path != std {
		r.checkTraits(t, checkout, env)
	}
	return r
}

// explain checks whether the module's own benchmarks fail as well.
func (r *report) explain(t *testing.T, checkout string, env []string, words []byte) {
	for _, revision := range []string{"HEAD~1", "HEAD"} {
		if r.path == std {
			break
		}
		command(t, checkout, env, "git", "checkout", "-q", "--detach", revision)
		cmd := exec.Command("go", append([]string{"test", "-run", "^$", "-bench", r.bench, "-benchtime", "100ms"}, r.packages...)...)
		cmd.Dir, cmd.Env = checkout, append(os.Environ(), env...)
		if text, err := cmd.CombinedOutput(); err != nil {
			lines := strings.Split(strings.TrimSpace(string(text)), "\n")
			r.broke = fmt.Sprintf("go test -bench of %s fails too: %s", revision, lines[max(0, len(lines)-3)])
			return
		}
	}
	r.broke = "failed"
	t.Errorf("%d benchmarks fail, and go test -bench runs them:\n%s", r.failed, words)
}

// checkTraits checks the traits of the stanza.
func (r *report) checkTraits(t *testing.T, checkout string, env []string) {
	list := func(format string) string {
		return command(t, checkout, env, "go", append([]string{"list", "-f", format}, r.packages...)...)
	}
	tests := func(text string) bool {
		for dir := range strings.SplitSeq(strings.TrimSpace(list("{{.Dir}}")), "\n") {
			files, _ := filepath.Glob(filepath.Join(dir, "*_test.go"))
			for _, file := range files {
				if source, err := os.ReadFile(file); err == nil && strings.Contains(string(source), text) {
					return true
				}
			}
		}
		return false
	}
	for _, trait := range r.traits {
		var holds bool
		switch trait {
		case "sub-benchmarks":
			holds = slices.ContainsFunc(r.benchmarks, func(b benchmark) bool { return strings.Contains(b.Name, "/") })
		case "b.Loop":
			holds = tests("b.Loop()")
		case "RunParallel":
			holds = tests(".RunParallel(")
		case "TestMain":
			holds = tests("func TestMain(")
		case "testdata":
			holds = tests("testdata") || tests("benchmark.toml")
		case "cgo":
			holds = strings.TrimSpace(list("{{join .CgoFiles \" \"}}")) != ""
		case "assembly":
			holds = strings.Contains(command(t, checkout, env, "go", append([]string{"list", "-deps", "-f", "{{if not .Standard}}{{join .SFiles \" \"}}{{end}}"}, r.packages...)...), ".s")
		case "external tests":
			holds = strings.TrimSpace(list("{{join .XTestGoFiles \" \"}}")) != ""
		case "allocations":
			holds = tests("ReportAllocs") || slices.ContainsFunc(r.benchmarks, func(b benchmark) bool { return b.Blocks > 0 })
		default:
			t.Errorf("no check for %q: put it behind the semicolon", trait)
			continue
		}
		if !holds {
			t.Errorf("modules.txt has the trait %s, which is false", trait)
		}
	}
}

// commitVersions makes a checkout whose HEAD~1 is the old version and HEAD the
// new one, as the module proxy has them.
func commitVersions(t *testing.T, checkout string, env []string, m module) {
	t.Helper()
	commitAll(t, checkout, env, m.path, m.old, m.new)
}

// commitAll makes a repository whose commits are the versions of a module.
func commitAll(t *testing.T, checkout string, env []string, path string, versions ...string) {
	t.Helper()
	command(t, checkout, env, "git", "init", "-q", ".")
	for _, version := range versions {
		// Not in the checkout, whose files may include a go.work.
		text := command(t, t.TempDir(), []string{"GOWORK=off", "GOFLAGS="}, "go", "mod", "download", "-json", path+"@"+version)
		var module struct{ Dir string }
		if err := json.Unmarshal([]byte(text), &module); err != nil || module.Dir == "" {
			t.Fatalf("go mod download %s@%s: %v\n%s", path, version, err, text)
		}
		entries, err := os.ReadDir(checkout)
		if err != nil {
			t.Fatal(err)
		}
		for _, entry := range entries {
			if entry.Name() != ".git" {
				if err := os.RemoveAll(filepath.Join(checkout, entry.Name())); err != nil {
					t.Fatal(err)
				}
			}
		}
		copyTree(t, module.Dir, checkout)
		command(t, checkout, env, "git", "add", "--all", "--force", ".")
		command(t, checkout, env, "git", "-c", "commit.gpgsign=false", "commit", "-q", "-m", version)
	}
}

// copyTree makes a writable copy of the files of a module, which are read-only
// in the module cache.
func copyTree(t *testing.T, from, to string) {
	t.Helper()
	err := fs.WalkDir(os.DirFS(from), ".", func(path string, d fs.DirEntry, err error) error {
		target := filepath.Join(to, filepath.FromSlash(path))
		switch {
		case err != nil:
			return err
		case d.IsDir():
			return os.MkdirAll(target, 0o777)
		}
		text, err := os.ReadFile(filepath.Join(from, filepath.FromSlash(path)))
		if err != nil {
			return err
		}
		return os.WriteFile(target, text, 0o666)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// command runs a command that must succeed, and returns its standard output.
func command(t *testing.T, dir string, env []string, name string, args ...string) string {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	var words strings.Builder
	cmd.Stderr = &words
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s%s", name, strings.Join(args, " "), err, out, words.String())
	}
	return string(out)
}

// load is the load average of the last minute, if the kernel reports it.
func load() string {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "unknown"
	}
	first, _, _ := strings.Cut(string(text), " ")
	return first
}
