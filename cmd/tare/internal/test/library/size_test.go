package library_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// A program with a stopwatch is at most 100 kB larger than one without: see
// docs/decisions/percentiles.md. Linked for linux/amd64 on every machine.
func TestSizeOfPrograms(t *testing.T) {
	t.Parallel() // it waits for the go command
	nothing, watch := sizeOfProgram(t, "nothing"), sizeOfProgram(t, "watch")
	t.Logf("a stopwatch adds %d bytes to %d", watch-nothing, nothing)
	if watch-nothing > 100_000 {
		t.Errorf("a stopwatch adds %d bytes, more than 100 kB", watch-nothing)
	}
}

func sizeOfProgram(t *testing.T, name string) int64 {
	t.Helper()
	file := filepath.Join(t.TempDir(), name)
	cmd := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-o", file, "./testdata/size/"+name)
	cmd.Env = append(os.Environ(), "GOOS=linux", "GOARCH=amd64", "GOFLAGS=", "GOWORK=off", "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", cmd, err, out)
	}
	info, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	return info.Size()
}
