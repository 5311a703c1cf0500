//go:build unix

package worker

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestAnotherVersion: a kept binary that has another version is refused in
// words. The first version had no hello.
func TestAnotherVersion(t *testing.T) {
	for first, want := range map[string]string{
		`leaf "BenchmarkX" n 1 1000 1 1 0 0 0 0 0 0 0 0 0 0 0 1.5 2.5`: "it has version 1, this tare has 2",
		"hello protocol=9":         "it has version 9, this tare has 2",
		"hello protocol=2 later=1": "",
	} {
		path := filepath.Join(t.TempDir(), "old.test")
		script := "#!/bin/bash\necho '" + first + "' >&61\nread -u 60\n"
		if err := os.WriteFile(path, []byte(script), 0o777); err != nil {
			t.Fatal(err)
		}
		c := Config{Path: path, Dir: t.TempDir(), Env: os.Environ(), Bench: "X", Name: "BenchmarkX"}
		w, err := Start(t.Context(), c)
		if err != nil {
			t.Skipf("no bash here: %v", err)
		}
		if want == "" {
			w.End()
			if err := w.Wait(patience); err != nil {
				t.Errorf("%q: %v", first, err)
			}
			w.Close()
			continue
		}
		if _, err := w.Next(patience); !errors.Is(err, errProtocol) || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "build the binary again") {
			t.Errorf("%q: %v", first, err)
		}
		w.Close()
		if _, err := StartGroup(t.Context(), []Config{c, c}, Options{Timeout: patience}); !errors.Is(err, errProtocol) {
			t.Errorf("group, %q: %v", first, err)
		}
	}
}
