package instrument

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestRunDoesNotWaitForAChild: a benchmark may leave a process behind that
// keeps its output open.
func TestRunDoesNotWaitForAChild(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("needs sh")
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	out, _, err := Run(ctx, "", nil, "sh", "-c", "sleep 600 & echo $!")
	if err != nil || ctx.Err() != nil {
		t.Fatalf("%v, %v", err, ctx.Err())
	}
	for stat := filepath.Join("/proc", strings.TrimSpace(string(out)), "stat"); ; time.Sleep(5 * time.Millisecond) {
		if state, err := os.ReadFile(stat); err != nil || !strings.Contains(string(state), "(sleep) S") {
			return // it ended, or is a zombie
		}
		if ctx.Err() != nil {
			t.Fatal("the child is still there")
		}
	}
}

// TestTimeout: a benchmark may spin forever only under valgrind.
func TestTimeout(t *testing.T) {
	t.Parallel()
	hangs := func(ctx context.Context, _ string, _ []string, _ ...string) ([]byte, []byte, error) {
		<-ctx.Done()
		return nil, nil, ctx.Err()
	}
	target := Target{Binary: filepath.Join(t.TempDir(), "spins"), Benchmark: "Spins", Timeout: 10 * time.Millisecond}
	if err := os.WriteFile(target.Binary, []byte("#!/bin/sh\nsleep 60\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	_, counted := Counter{Exec: hangs, Temp: t.TempDir()}.Instructions(t.Context(), target)
	_, profiled := CollectProfiles(t.Context(), target, 1, []ProfileKind{cpuProfile}, time.Second, t.TempDir(), "")
	for what, err := range map[string]error{"count": counted, "profile": profiled} {
		if err == nil || !strings.Contains(err.Error(), "Spins") || !strings.Contains(err.Error(), "no end within 10ms (-timeout)") {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// TestTemp: the next start finds the files of callgrind after a kill.
func TestTemp(t *testing.T) {
	t.Parallel()
	temp, file := t.TempDir(), ""
	_, err := Counter{Temp: temp, Exec: func(_ context.Context, _ string, _ []string, argv ...string) ([]byte, []byte, error) {
		for _, a := range argv {
			if v, ok := strings.CutPrefix(a, "--callgrind-out-file="); ok {
				file = v
			}
		}
		return nil, nil, os.ErrInvalid
	}}.Instructions(t.Context(), Target{Binary: "x", Benchmark: "X"})
	if err == nil || !strings.HasPrefix(file, temp+string(filepath.Separator)) {
		t.Errorf("%v; callgrind writes to %s, want a file below %s", err, file, temp)
	}
	if left, err := os.ReadDir(temp); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}
