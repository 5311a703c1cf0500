package samecode

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
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

// compile compiles the tests of a package and all that they need, without
// linking, and returns the program that the linker would get.
func compile(t testing.TB, reader *Reader, dir, pkg string, args ...string) *Program {
	t.Helper()
	cmd := exec.Command("go", append(append([]string{"list", "-export", "-deps", "-test", "-f", "{{.ImportPath}}={{.Export}}"}, args...), pkg)...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOWORK=off", "GOPROXY=off")
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil || stderr.Len() > 0 {
		t.Fatalf("go list: %v\n%s", err, &stderr)
	}
	files, main := make(map[string]string), ""
	for line := range strings.Lines(string(out)) {
		path, file, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "=")
		switch path, variant, _ := strings.Cut(path, " "); {
		case strings.HasSuffix(path, ".test"):
			main = file
		case file == "": // unsafe
		case variant != "" || files[path] == "":
			files[path] = file
		}
	}
	var config strings.Builder
	for path, file := range files {
		fmt.Fprintf(&config, "packagefile %s=%s\n", path, file)
	}
	name := filepath.Join(t.TempDir(), "importcfg")
	if err := os.WriteFile(name, []byte(config.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	p, err := reader.Open("/", []string{"-importcfg", name, "-buildid=x", main})
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
