//go:build lab

package explain

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
)

// TestUnreachedCoverage: what is called unreached has no coverage in a run of the
// benchmarks.
func TestUnreachedCoverage(t *testing.T) {
	dir := t.TempDir()
	changed, unreached := unreachedIn(t, dir, vanishing(t),
		"BenchmarkFolded", "BenchmarkGeneric", "BenchmarkChain", "BenchmarkMethod", "BenchmarkPrinted", "BenchmarkSwitch", "BenchmarkRegistered")
	run := func(args ...string) string {
		cmd := exec.Command("go", args...)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOWORK=off", "GOFLAGS=")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("go %v: %v\n%s", args, err, out)
		}
		return string(out)
	}
	run("test", "-run", "^$", "-bench", ".", "-benchtime", "1x", "-coverpkg=./...", "-coverprofile", "c.out", "./a")
	covered := make(map[string]string)
	for _, m := range regexp.MustCompile(`(?m)([^/\s]+\.go:\d+):\s+\S+\s+(\S+)%$`).FindAllStringSubmatch(run("tool", "cover", "-func", "c.out"), -1) {
		covered[m[1]] = m[2]
	}
	for _, f := range unreached {
		if share := covered[fmt.Sprintf("%s:%d", filepath.Base(f.File), f.Line)]; share != "0.0" {
			t.Errorf("%s is called unreached: coverage %q", f.Name, share)
		}
	}
	t.Logf("%d of %d changed functions are called unreached", len(unreached), len(changed))
}
