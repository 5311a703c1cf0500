//go:build unix

package study

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestListEnds: an init function that prints or waits without end is ended by -timeout,
// and one that prints too much is no list.
func TestListEnds(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		"while :; do echo BenchmarkX; done":            "no end within 200ms (-timeout)",
		"sleep 600":                                    "no end within 200ms (-timeout)",
		"head -c 1000000 /dev/zero | tr '\\0' B; echo": "bytes of names, more than 131072",
		"exit 3": "exit status 3",
	} {
		path := filepath.Join(t.TempDir(), "list.test")
		if err := os.WriteFile(path, []byte("#!/bin/sh\n"+body+"\n"), 0o777); err != nil {
			t.Fatal(err)
		}
		timeout := time.Minute
		if strings.Contains(want, "-timeout") {
			timeout = 200 * time.Millisecond
		}
		if tops, err := topLevel(t.Context(), Binary{Path: path, Dir: t.TempDir(), Env: os.Environ()}, timeout); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %d names, %v; want %s", body, len(tops), err, want)
		}
	}
}
