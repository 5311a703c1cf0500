//go:build unix

package worker

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tarebench/tare/cmd/tare/internal/result"
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

// A number that no slice can have is refused before it is recorded, since readers
// of the recording would refuse the whole file.
func TestForgedNumbers(t *testing.T) {
	t.Parallel()
	good := result.Slice{N: 1, Raw: 5, OverheadLo: 1, OverheadHi: 2}
	if err := possible(good); err != nil {
		t.Error(err)
	}
	for name, forge := range map[string]func(*result.Slice){
		"negative": func(s *result.Slice) { s.Raw = -5 }, "NaN": func(s *result.Slice) { s.OverheadLo = math.NaN() },
		"Inf": func(s *result.Slice) { s.OverheadHi = math.Inf(1) }, "huge": func(s *result.Slice) { s.Mallocs = 1 << 60 },
		"N": func(s *result.Slice) { s.N = -1 },
	} {
		s := good
		if forge(&s); possible(s) == nil {
			t.Errorf("%s: %+v is accepted", name, s)
		}
	}
	for _, line := range []string{"done n=1 raw=-5", "done n=1 raw=9223372036854775807", "done n=1 lo=NaN raw=1", "done n=0 raw=1", "nothing", `leaf n=1 raw=1 loop=b.N`} {
		if m, err := parse(line); err == nil {
			t.Errorf("%q is %+v", line, m)
		}
	}
}
