//go:build lab

package worker

import (
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/tarebench/tare/cmd/tare/internal/overlay"
)

// patches are the first and the last patch release of each minor that the proxy
// serves, and the first whose b.Loop has another shape.
var patches = []string{
	"go1.24.2", "go1.24.3", "go1.24.4", "go1.24.8", "go1.24.9", "go1.24.10", "go1.24.13", "go1.25.0", "go1.25.14",
	"go1.26.0", "go1.26.11", "go1.27.0", "go1.27.4",
}

// TestPatchReleases fetches toolchains.
func TestPatchReleases(t *testing.T) {
	defer removeTemp(t)
	for _, version := range patches {
		t.Run(version, func(t *testing.T) {
			testGroup(t, version, modes["direct"])
			testIterations(t, version)
		})
	}
	// The overlay refuses releases before 1.24.2, because their b.Loop has no state.
	for _, version := range []string{"go1.24.0", "go1.24.1"} {
		cmd := exec.Command("go", "env", "GOROOT")
		cmd.Env = append(os.Environ(), "GOTOOLCHAIN="+version)
		cmd.Dir = t.TempDir()
		out, err := cmd.Output()
		if err != nil {
			t.Logf("toolchain %s cannot be had here: %v", version, err)
			continue
		}
		_, err = overlay.Generate(strings.TrimSpace(string(out)), t.TempDir())
		var shape *overlay.ShapeError
		if !errors.As(err, &shape) || !strings.Contains(err.Error(), "loop") {
			t.Errorf("%s: %v; want a refusal that names the loop", version, err)
		}
	}
}
