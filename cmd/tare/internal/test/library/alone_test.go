package library_test

import (
	"bytes"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The library is built as a module of its own, with the Go release that the
// README names as its least one and without a requirement: it could be parted
// from the tool at any time (docs/decisions/modules.md). Vet knows in which
// release a name of the standard library came.
func TestLibraryStandsAlone(t *testing.T) {
	t.Parallel() // it waits for the go command
	module := t.TempDir()
	for _, dir := range []string{".", "benchmark", "clock", "finding", "histogram", "internal/kind", "internal/order", "internal/shard", "internal/ticks", "plot", "stats", "unit"} {
		copySources(t, filepath.Join(root, dir), filepath.Join(module, dir))
	}
	write(t, filepath.Join(module, "go.mod"), []byte("module github.com/tarebench/tare\n\ngo 1.24.0\n"))
	cmd := exec.Command("go", "vet", "./...")
	cmd.Dir = module
	cmd.Env = append(os.Environ(), "GOFLAGS=", "GOWORK=off", "GOPROXY=off", "GOTOOLCHAIN=local")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v: %v\n%s", cmd, err, out)
	}
}

// copySources copies the Go and assembly files of a package, without its tests.
func copySources(t *testing.T, from, to string) {
	t.Helper()
	files, err := fs.Glob(os.DirFS(from), "*")
	if err != nil {
		t.Fatal(err)
	}
	copied := 0
	for _, file := range files {
		if ext := filepath.Ext(file); ext != ".go" && ext != ".s" || strings.HasSuffix(file, "_test.go") {
			continue
		}
		source, err := os.ReadFile(filepath.Join(from, file))
		if err != nil {
			t.Fatal(err)
		}
		if bytes.HasPrefix(source, []byte("//go:build ignore")) {
			continue
		}
		write(t, filepath.Join(to, file), source)
		copied++
	}
	if copied == 0 {
		t.Fatalf("no source in %s", from)
	}
}

func write(t *testing.T, file string, data []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, data, 0o666); err != nil {
		t.Fatal(err)
	}
}
