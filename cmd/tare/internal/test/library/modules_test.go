package library_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/mod/module"
	"golang.org/x/mod/zip"

	"github.com/tarebench/tare/cmd/tare/internal/lab"
)

const release = "v0.1.0"

// Both modules are packed as a release and served from a directory, with the
// command's requirements from the module cache.
func TestModulesAsReleased(t *testing.T) {
	t.Parallel() // it waits for the go command
	proxy := t.TempDir()
	pack(t, proxy, "github.com/tarebench/tare", root)
	pack(t, proxy, "github.com/tarebench/tare/cmd/tare", root+"cmd/tare")
	cache, err := exec.Command("go", "env", "GOMODCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	bin := t.TempDir()
	env := append(os.Environ(), "GOWORK=off", "GOSUMDB=off", "GOFLAGS=-modcacherw", "GOTOOLCHAIN=local", "GOBIN="+bin, "GOMODCACHE="+t.TempDir(),
		"GOPROXY=file://"+proxy+",file://"+strings.TrimSpace(string(cache))+"/cache/download")
	run := func(dir, name string, args ...string) string {
		t.Helper()
		cmd := exec.Command(name, args...)
		cmd.Dir, cmd.Env = dir, env
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %v\n%s", cmd, err, out)
		}
		return string(out)
	}

	importer := t.TempDir()
	write(t, filepath.Join(importer, "go.mod"), []byte("module example.test/importer\n\ngo 1.24\n"))
	write(t, filepath.Join(importer, "main.go"), []byte(`package main

import (
	_ "github.com/tarebench/tare"
	_ "github.com/tarebench/tare/benchmark"
	_ "github.com/tarebench/tare/plot"
)

func main() {}
`))
	run(importer, "go", "get", "github.com/tarebench/tare@"+release)
	run(importer, "go", "mod", "tidy")
	run(importer, "go", "build", "./...")
	if got, want := read(t, importer, "go.mod"), "module example.test/importer\n\ngo 1.24\n\nrequire github.com/tarebench/tare "+release+"\n"; strings.TrimSpace(got) != strings.TrimSpace(want) {
		t.Errorf("go.mod of an importer:\n%s\nwant\n%s", got, want)
	}
	for line := range strings.Lines(read(t, importer, "go.sum")) {
		if !strings.HasPrefix(line, "github.com/tarebench/tare "+release) {
			t.Errorf("go.sum of an importer: %s", line)
		}
	}

	if !lab.Long {
		return // the rest compiles the command with its requirements
	}
	run(t.TempDir(), "go", "install", "github.com/tarebench/tare/cmd/tare@"+release)
	if out := run(t.TempDir(), filepath.Join(bin, "tare"), "-h"); !strings.Contains(out, "compare") {
		t.Errorf("the installed command:\n%s", out)
	}
}

func TestCommandRunsInAClone(t *testing.T) {
	t.Parallel() // it waits for the go command
	lab.Only(t, "compiles the command in a clone")
	clone := filepath.Join(t.TempDir(), "tare")
	if out, err := exec.Command("git", "clone", "-q", root, clone).CombinedOutput(); err != nil {
		t.Skipf("git clone: %v\n%s", err, out)
	}
	cmd := exec.Command("go", "run", "./cmd/tare", "-h")
	cmd.Dir = clone
	if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "compare") {
		t.Errorf("%v: %v\n%s", cmd, err, out)
	}
}

// pack puts a module into the directory structure of a module proxy.
func pack(t *testing.T, proxy, path, dir string) {
	t.Helper()
	versions := filepath.Join(proxy, path, "@v")
	goMod, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(versions, "list"), []byte(release+"\n"))
	write(t, filepath.Join(versions, release+".mod"), goMod)
	write(t, filepath.Join(versions, release+".info"), []byte(`{"Version":"`+release+`"}`))
	file, err := os.Create(filepath.Join(versions, release+".zip"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if err := zip.CreateFromDir(file, module.Version{Path: path, Version: release}, dir); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, dir, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
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
