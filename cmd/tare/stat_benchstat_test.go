package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tarebench/tare/cmd/tare/internal/session"
	"github.com/tarebench/tare/cmd/tare/internal/test/executable"
)

// TestBenchstatReadsGoLines gives the lines of a comparison to the real benchstat:
// it finds the sides, the rows and the blocks.
func TestBenchstatReadsGoLines(t *testing.T) {
	var lines, notes bytes.Buffer
	argv := []string{"tare", "show", "-format", "go", "testdata/recordings/one_sided.jsonl"}
	if code := run(context.Background(), session.Host{Tree: os.DirFS("/")}, argv, nil, &lines, &notes); code != 0 {
		t.Fatalf("exit %d: %s", code, notes.String())
	}
	if !strings.Contains(notes.String(), "p-values of these lines are too small") {
		t.Errorf("no warning in %q", notes.String())
	}
	file := filepath.Join(t.TempDir(), "lines.txt")
	if err := os.WriteFile(file, lines.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(executable.Build(t, executable.Benchstat), "-col", "variant", file).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for _, want := range []string{".,env=SIDE=new,tags=new", "vs base", "n=2", "\nMetric", "retries/op"} {
		if !strings.Contains(string(out), want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
}
