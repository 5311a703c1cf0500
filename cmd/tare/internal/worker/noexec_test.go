package worker

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestNoExec: a binary that may not run, as on a file system mounted noexec, names
// the way out.
func TestNoExec(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.test")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	_, err := StartGroup(t.Context(), []Config{{Path: path, Dir: t.TempDir()}}, Options{})
	if err == nil || !strings.Contains(err.Error(), "GOTMPDIR") {
		t.Errorf("%v, want a hint at GOTMPDIR", err)
	}
}
