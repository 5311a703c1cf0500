package objcode

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/tarebench/tare/cmd/tare/internal/test/objects"
)

// build compiles the tests of a package and returns the program that the
// linker got, and the linked binary.
func build(t testing.TB, reader *Reader, dir, pkg string, args ...string) (*Program, string) {
	t.Helper()
	work := t.TempDir()
	binary := filepath.Join(work, "test")
	cmd := exec.Command("go", append(append([]string{"test", "-c", "-x", "-work", "-vet=off", "-o", binary}, args...), pkg)...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOTMPDIR="+work, "GOFLAGS=-mod=mod", "GOWORK=off", "GOPROXY=off")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("go test -c: %v\n%s", err, out)
	}
	line := regexp.MustCompile(`(?m)^.*/link(\.exe)? -o .*$`).FindString(string(out))
	root := regexp.MustCompile(`(?m)^WORK=(.*)$`).FindStringSubmatch(string(out))
	if line == "" || root == nil {
		t.Fatalf("no command of the linker in\n%s", out)
	}
	words := strings.Fields(strings.ReplaceAll(line, "$WORK", root[1]))
	for i, word := range words {
		if word == "-o" {
			words = words[i+2:]
			break
		}
	}
	p, err := reader.Open(root[1], words)
	if err != nil {
		t.Fatal(err)
	}
	return p, binary
}

// compile compiles the tests of a package and returns the program that the
// linker would get.
func compile(t testing.TB, reader *Reader, dir, pkg string, args ...string) *Program {
	t.Helper()
	linkDir, link := objects.Compile(t, dir, pkg, args...)
	p, err := reader.Open(linkDir, link)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// unpack writes the files of an archive into a new folder.
func unpack(t testing.TB, files []txtar.File) string {
	t.Helper()
	dir := t.TempDir()
	for _, f := range files {
		path := filepath.Join(dir, f.Name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, f.Data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}
