// Package executable builds programs for tests, each once.
package executable

import (
	"os/exec"
	"strings"
	"sync"
	"testing"
)

// Tare is the command. Benchstat makes the tables to compare with.
const (
	Tare      = "github.com/tarebench/tare/cmd/tare"
	Benchstat = "golang.org/x/perf/cmd/benchstat"
)

var (
	mu    sync.Mutex                // guards built
	built = make(map[string]string) // the executable of a package
)

// Build returns the executable of a main package. The go command caches it by
// content, so the tests of other packages, and the next run, link nothing.
func Build(t testing.TB, pkg string) string {
	t.Helper()
	mu.Lock()
	defer mu.Unlock()
	if path := built[pkg]; path != "" {
		return path
	}
	var path string
	for range 2 { // go run prints a newly linked program before the cache has it
		out, err := exec.Command("go", "run", "-exec", "echo", pkg).Output()
		if err != nil {
			if exit, ok := err.(*exec.ExitError); ok {
				t.Logf("%s", exit.Stderr)
			}
			t.Fatalf("build %s: %v", pkg, err)
		}
		path = strings.TrimSpace(string(out))
	}
	built[pkg] = path
	return path
}
