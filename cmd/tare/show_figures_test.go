//go:build lab

package main

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/test/executable"
	"github.com/tarebench/tare/cmd/tare/internal/test/studies"
)

// TestShowFigures logs the processor time in which tare show writes 2,000
// benchmarks in the formats of people and of other programs. It asserts nothing
// about time.
func TestShowFigures(t *testing.T) {
	dir := t.TempDir()
	tare := executable.Build(t, executable.Tare)
	recording := filepath.Join(dir, "result.jsonl")
	writeRecording(t, recording, studies.Study(2000, 10, 5, 1))
	for _, out := range []string{"x.html", "x.csv", "x.md"} {
		cmd := exec.Command(tare, "show", "-o", filepath.Join(dir, out), recording)
		if text, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", out, err, text)
		}
		info, err := os.Stat(filepath.Join(dir, out))
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("2,000 benchmarks of 50 rounds as %s: %.2f s of processor time, %.1f MB", out,
			(cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds(), float64(info.Size())/1e6)
	}
}

func writeRecording(t *testing.T, path string, rec *result.Recording) {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	buffered := bufio.NewWriter(f)
	w := result.NewWriter(buffered)
	write := func(l result.Line) {
		if err := w.Write(l); err != nil {
			t.Fatal(err)
		}
	}
	write(result.Line{Study: &rec.Study})
	for i := range rec.Benchmarks {
		write(result.Line{Benchmark: &rec.Benchmarks[i]})
		for k := range rec.Benchmarks[i].Blocks {
			write(result.Line{Block: &rec.Benchmarks[i].Blocks[k]})
		}
	}
	for i := range rec.Stops {
		write(result.Line{Stop: &rec.Stops[i]})
	}
	write(result.Line{End: rec.End})
	if err := buffered.Flush(); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}
