//go:build lab

package ports

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// run runs a command and returns its standard output.
func run(t *testing.T, cmd *exec.Cmd) string {
	t.Helper()
	var words strings.Builder
	cmd.Stderr = &words
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %v\n%s%s", cmd.Args, err, out, words.String())
	}
	return string(out)
}

func repository(t *testing.T) string {
	t.Helper()
	dir, err := filepath.Abs("../../../../..")
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// copySample makes a module of samples/greeting below a directory.
func copySample(t *testing.T, dir string) string {
	t.Helper()
	sample := filepath.Join(dir, "sample")
	if err := os.CopyFS(sample, os.DirFS(filepath.Join(repository(t), "samples", "greeting"))); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(sample, "go.mod"), []byte("module example.org/greeting\n\ngo 1.24\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return sample
}
