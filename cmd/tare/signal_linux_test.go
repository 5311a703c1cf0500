package main

import (
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// A reader of a FIFO blocks in open(2), which no context reaches.
func TestSignalEndsBlockedReaders(t *testing.T) {
	for _, args := range [][]string{{"stat", "fifo"}, {"show", "fifo"}, {"history", "import", "fifo"}} {
		t.Run(args[0], func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			if err := syscall.Mkfifo(filepath.Join(dir, "fifo"), 0o666); err != nil {
				t.Fatal(err)
			}
			cmd := exec.Command("tare", args...)
			cmd.Dir = dir
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			ended := make(chan error, 1)
			go func() { ended <- cmd.Wait() }()
			// Signals repeat: the first may arrive before the process catches it.
			limit := time.After(time.Minute)
			for {
				cmd.Process.Signal(syscall.SIGTERM)
				select {
				case err := <-ended:
					if err == nil {
						t.Error("a signal ended the command with exit code 0")
					}
					return
				case <-limit:
					cmd.Process.Kill()
					t.Fatal("the command did not end")
				case <-time.After(100 * time.Millisecond):
				}
			}
		})
	}
}
