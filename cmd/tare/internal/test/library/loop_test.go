//go:build amd64

package library_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The compiler keeps calls in a Loop of package testing even if the result is
// not used. It recognizes that Loop through the embedding in B, but not a Loop
// that forwards to it. The test looks for a constant of the call in the machine
// code.
func TestLoopKeepsResultsAlive(t *testing.T) {
	t.Parallel() // it waits for the go command
	bin := filepath.Join(t.TempDir(), "loop.test")
	run := func(args ...string) string {
		cmd := exec.Command("go", args...)
		cmd.Dir, cmd.Env = filepath.Join("testdata", "loop"), append(os.Environ(), "GOWORK=off")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, out)
		}
		return string(out)
	}
	run("test", "-c", "-o", bin, ".")
	for name, kept := range map[string]bool{"Embedded": true, "Wrapped": false, "Counted": false} {
		listing := run("tool", "objdump", "-s", "Benchmark"+name+"$", bin)
		if got := strings.Contains(listing, "$0x101010101010101"); got != kept {
			t.Errorf("the loop of %s has the work: %v, want %v\n%s", name, got, kept, listing)
		}
	}
}
