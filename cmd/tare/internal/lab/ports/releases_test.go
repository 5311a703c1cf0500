//go:build lab

package ports

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestReleases: with each of the last four releases of Go the library and the
// overlay pass their tests, and a comparison uses the overlay.
func TestReleases(t *testing.T) {
	dir := t.TempDir()
	overlay, tare := filepath.Join(dir, "overlay.test"), filepath.Join(dir, "tare")
	for _, args := range [][]string{{"test", "-c", "-vet=off", "-o", overlay, "./internal/overlay"}, {"build", "-o", tare, "."}} {
		cmd := exec.Command("go", args...)
		cmd.Dir = filepath.Join(repository(t), "cmd/tare")
		run(t, cmd)
	}
	compare := []string{"compare", "-budget", "10m", "-blocks", "2", "-benchtime", "5ms", "-layouts=false"}
	for _, minor := range []string{"1.24", "1.25", "1.26", "1.27"} {
		cmd := exec.Command("go", "list", "-m", "-f", "{{.Version}}", "go@"+minor)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOWORK=off", "GOFLAGS=")
		out, err := cmd.Output()
		if err != nil {
			t.Skipf("no module proxy lists the releases of Go: %v", err)
		}
		version := strings.TrimSpace(string(out))
		compare = append(compare, "-with", ".,go="+version)
		t.Run("go"+version, func(t *testing.T) {
			env := append(os.Environ(), "GOTOOLCHAIN=go"+version, "GOWORK=off")
			cmd := exec.Command(overlay)
			cmd.Dir, cmd.Env = dir, env
			run(t, cmd)
			cmd = exec.Command("go", "test", "-short", "./...")
			cmd.Dir, cmd.Env = repository(t), env
			run(t, cmd)
		})
	}
	sample := copySample(t, dir)
	t.Run("compare", func(t *testing.T) {
		cmd := exec.Command(tare, append(compare, ".", ".,go=1.25")...)
		cmd.Dir, cmd.Env = sample, append(os.Environ(), "TARE_LOCK="+filepath.Join(dir, "lock"))
		if out := run(t, cmd); strings.Contains(out, "plain-processes") || !strings.Contains(out, "2 blocks") {
			t.Error(out)
		}
	})
	t.Run("unknown", func(t *testing.T) {
		root := filepath.Join(dir, "goroot")
		changedRoot(t, root, "src/testing/benchmark.go", "predictN(", "predict(")
		for _, args := range [][]string{{"run", "-budget", "200ms"}, {"compare", "-units", "counts", "-budget", "10m", "-blocks", "2", ".", ".,env=A=B"}} {
			cmd := exec.Command(tare, args...)
			cmd.Dir, cmd.Env = sample, append(os.Environ(), "GOROOT="+root, "GOTOOLCHAIN=local", "TARE_LOCK="+filepath.Join(dir, "lock"))
			out, err := cmd.CombinedOutput()
			t.Logf("tare %v: %v\n%s", args, err, out)
			if !strings.Contains(string(out), "no function predictN") {
				t.Errorf("tare %v does not name the reason", args)
			}
		}
	})
}
