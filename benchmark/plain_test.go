package benchmark_test

import (
	"os/exec"
	"strings"
	"testing"
)

// One benchmark, built with the tag notare and without. Only the latter reports
// the figures of tare.
func TestBuildTagMakesItPlain(t *testing.T) {
	t.Parallel() // it waits for the go command
	for tags, want := range map[string]bool{"notare": false, "": true} {
		out, err := exec.Command("go", "test", "-tags="+tags, "-run=^$", "-vet=off", "-bench=Corrected/k=10$", "-benchtime=200x", "../samples/paused").CombinedOutput()
		if err != nil {
			t.Fatalf("tags %q: %v\n%s", tags, err, out)
		}
		lines := 0
		for line := range strings.Lines(string(out)) {
			if !strings.HasPrefix(line, "Benchmark") {
				continue
			}
			lines++
			for _, unit := range []string{"p50-ns/op", "raw-ns/op"} {
				if strings.Contains(line, unit) != want {
					t.Errorf("tags %q: %s reported: %v, want %v: %s", tags, unit, !want, want, line)
				}
			}
			if !strings.Contains(line, " ns/op") {
				t.Errorf("tags %q: no ns/op: %s", tags, line)
			}
		}
		if lines != 1 {
			t.Errorf("tags %q: %d result lines\n%s", tags, lines, out)
		}
	}
}
