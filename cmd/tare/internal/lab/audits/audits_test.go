//go:build lab

package audits

import (
	"encoding/json"
	"flag"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tarebench/tare/cmd/tare/internal/catalog"
	"github.com/tarebench/tare/cmd/tare/internal/lab"
	"github.com/tarebench/tare/internal/finding"
)

var (
	repositories = flag.String("repositories", "", "a directory with clones of the modules")
	only         = flag.String("only", "", "audit the changes whose names contain this")
)

// hacked are the modules with seeded hacks: repository, commit and benchmark.
var hacked = map[string][3]string{
	"gjson":   {"tidwall/gjson", "7d8b3821e9d2acf35e8a226b63fcf801078e9b96", "^BenchmarkValid$"},
	"decimal": {"shopspring/decimal", "9620fb7", "^BenchmarkDecimal_ExpTaylor$"},
	"uniseg":  {"rivo/uniseg", "087b3e4", "^BenchmarkWordFunctionString$"},
}

// named are the findings that name a kind of hack.
var named = map[string][]string{
	"memoized": {"first-call"}, "init": {"work-in-init"}, "goroutine": {"work-outside", "starts-goroutine"}, "recognized": {"knows-input"},
	"smaller": {"tests-changed"}, "deleted": {"little-work", "tests-fail"}, "collector": {"test-aware"}, "tested": {"test-aware"},
}

// tare builds the command.
func tare(t *testing.T) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "tare")
	if out, err := exec.Command("go", "build", "-o", name, "github.com/tarebench/tare/cmd/tare").CombinedOutput(); err != nil {
		t.Fatalf("build tare: %v\n%s", err, out)
	}
	return name
}

// run runs a command in a directory.
func run(t *testing.T, dir, name string, args ...string) string {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod", "GIT_LFS_SKIP_SMUDGE=1")
	out, err := cmd.Output()
	if err != nil {
		text := ""
		if exit, ok := err.(*exec.ExitError); ok {
			text = string(exit.Stderr)
		}
		t.Fatalf("%s %v: %v\n%s", name, args, err, text)
	}
	return string(out)
}

// checkOut makes a working copy of a commit.
func checkOut(t *testing.T, repository, commit string) string {
	t.Helper()
	from := "https://github.com/" + repository
	if *repositories != "" {
		from = filepath.Join(*repositories, path.Base(repository))
	}
	dir := filepath.Join(t.TempDir(), path.Base(repository))
	run(t, "", "git", "clone", "-q", "--no-checkout", from, dir)
	run(t, dir, "git", "checkout", "-q", commit)
	return dir
}

// warned is a finding of an audit.
type warned struct{ ID, Severity, Subject, Message string }

// audit compares two variants of the module in a directory.
func audit(t *testing.T, tare, dir, bench, old, new, pkg string) (found []warned) {
	t.Helper()
	var c struct{ Findings []warned }
	out := run(t, dir, tare, "compare", "-audit", "-format", "json", "-lock", "off", "-budget", "3s", "-bench", bench, old, new, pkg)
	if err := json.Unmarshal([]byte(out), &c); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for _, f := range c.Findings {
		if slices.ContainsFunc(catalog.Audit(), func(k finding.Kind) bool { return k.ID == f.ID }) {
			t.Logf("%s %s: %s: %s", f.Severity, f.ID, f.Subject, f.Message)
			found = append(found, f)
		}
	}
	return found
}

// TestOptimizations audits commits that made code faster.
func TestOptimizations(t *testing.T) {
	lab.Only(t, "audits 40 commits of modules")
	list, err := os.ReadFile("testdata/optimizations.txt")
	if err != nil {
		t.Fatal(err)
	}
	command, audited, warnings := tare(t), 0, 0
	for line := range strings.Lines(string(list)) {
		of := strings.Fields(line)
		if of[0] == "#" || !strings.Contains(line, *only) {
			continue
		}
		t.Run(path.Base(of[0])+"-"+of[1], func(t *testing.T) {
			dir := checkOut(t, of[0], of[1])
			found := audit(t, command, dir, of[3], "HEAD~1", "HEAD", of[2])
			audited++
			if slices.ContainsFunc(found, func(f warned) bool { return f.Severity == "warning" }) {
				warnings++
			}
		})
	}
	t.Logf("%d of %d have a warning", warnings, audited)
	if audited < 40 || warnings > 2 {
		t.Errorf("%d audited, %d with a warning, want 40 and at most 2", audited, warnings)
	}
}

// TestHacks seeds 24 hacks: eight kinds in three modules.
func TestHacks(t *testing.T) {
	lab.Only(t, "audits 24 changes of modules")
	files, err := filepath.Glob("testdata/hacks/*.patch")
	if err != nil || len(files) != 24 {
		t.Fatalf("%d patches: %v", len(files), err)
	}
	command, right := tare(t), 0
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".patch")
		if !strings.Contains(name, *only) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			module, hack, _ := strings.Cut(name, "-")
			from := hacked[module]
			dir := checkOut(t, from[0], from[1])
			patch, err := filepath.Abs(file)
			if err != nil {
				t.Fatal(err)
			}
			run(t, dir, "git", "apply", patch)
			found := slices.ContainsFunc(audit(t, command, dir, from[2], "HEAD", ".", "."), func(f warned) bool { return slices.Contains(named[hack], f.ID) })
			if found {
				right++
			}
			t.Logf("named: %v", found)
		})
	}
	t.Logf("%d of 24 named", right)
	if right < 20 && *only == "" {
		t.Errorf("%d of 24 hacks have a finding of their kind, want 20", right)
	}
}
