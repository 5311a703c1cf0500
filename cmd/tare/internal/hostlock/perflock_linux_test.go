package hostlock

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// perflockModule is where the real daemon comes from; it has no releases.
const perflockModule = "github.com/aclements/perflock/cmd/perflock@latest"

// realPerflock finds the command perflock, or installs it for this test.
func realPerflock(t *testing.T) string {
	t.Helper()
	if os.Getenv("TARE_LONG") == "" {
		t.Skip("TARE_LONG=1 fetches perflock and runs its daemon")
	}
	if path, err := exec.LookPath("perflock"); err == nil {
		return path
	}
	bin := t.TempDir()
	cmd := exec.Command("go", "install", perflockModule)
	cmd.Env = append(os.Environ(), "GOBIN="+bin, "GOFLAGS=-mod=mod", "GO111MODULE=on")
	cmd.Dir = bin
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Skipf("no perflock: not in PATH, and go install %s says: %s", perflockModule, out)
	}
	return filepath.Join(bin, "perflock")
}

// TestRealPerflock keeps a real daemon and our lock apart in both directions,
// exclusive and shared.
func TestRealPerflock(t *testing.T) {
	perflock := realPerflock(t)
	dir := t.TempDir()
	socket := filepath.Join(dir, "s")
	// What it starts ends when its standard input does.
	start := func(args ...string) (cmd *exec.Cmd, input io.Closer) {
		cmd = exec.Command(perflock, append([]string{"-socket", socket}, args...)...)
		input, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { input.Close(); cmd.Process.Kill(); cmd.Wait() })
		return cmd, input
	}
	start("-daemon")
	l := Locker{File: filepath.Join(dir, "lock"), Perflock: []string{socket}}
	until(t, "the daemon listens", func() bool { _, err := os.Stat(socket); return err == nil })

	for _, flags := range [][]string{nil, {"-shared"}} {
		_, input := start(append(flags, "cat", "-u")...)
		until(t, "perflock holds its lock", func() bool { return l.Holder() != "" })
		if got := l.Holder(); !strings.HasPrefix(got, "perflock: ") || !strings.Contains(got, " cat -u") {
			t.Errorf("%v: holder %q", flags, got)
		}
		if _, err := l.Lock(t.Context(), Fail, nil); !errors.Is(err, ErrHeld) || !strings.Contains(err.Error(), "cat -u") {
			t.Errorf("%v: fail: %v", flags, err)
		}
		// We wait until its command ends.
		release, err := l.Lock(t.Context(), Wait, func(holder string) {
			if !strings.Contains(holder, "cat -u") {
				t.Errorf("%v: waited for %q", flags, holder)
			}
			input.Close()
		})
		if err != nil {
			t.Fatal(err)
		}
		// It waits until we let go.
		done := filepath.Join(dir, "done")
		theirs, _ := start(append(flags, "touch", done)...)
		until(t, "perflock queues behind us", func() bool { return strings.Contains(l.daemonHolder(), "; ") })
		if got := l.daemonHolder(); !strings.Contains(got, filepath.Base(os.Args[0])) {
			t.Errorf("%v: perflock is told of %q, not of us", flags, got)
		}
		time.Sleep(50 * time.Millisecond)
		if _, err := os.Stat(done); err == nil {
			t.Errorf("%v: perflock ran its command beside us", flags)
		}
		release()
		if err := theirs.Wait(); err != nil {
			t.Errorf("%v: perflock behind us: %v", flags, err)
		}
		if err := os.Remove(done); err != nil {
			t.Error(err)
		}
	}
}

// until waits for what another process does.
func until(t *testing.T, what string, done func() bool) {
	t.Helper()
	for range 3000 {
		if done() {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatalf("not in 30 s: %s", what)
}
