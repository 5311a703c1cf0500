package library_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Every Go program in the documents of the library compiles as pasted, and
// runs. Programs with other libraries are compiled in internal/lab/peers.
func TestDocumentsCompile(t *testing.T) {
	t.Parallel() // it waits for the go command
	absolute, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	module := t.TempDir()
	write(t, filepath.Join(module, "go.mod"), []byte("module example.test/documents\n\ngo 1.26.0\n\nrequire github.com/tarebench/tare v0.0.0\n\nreplace github.com/tarebench/tare => "+absolute+"\n"))
	programs := 0
	for _, document := range []string{"README.md", "docs/library.md", "docs/coming-from-hrtime.md"} {
		text, err := os.ReadFile(filepath.Join(root, document))
		if err != nil {
			t.Fatal(err)
		}
		for i, program := range goPrograms(string(text)) {
			if strings.Contains(program, "github.com/loov/") {
				continue
			}
			if !strings.HasPrefix(program, "package ") {
				t.Errorf("%s: a part of a program, which does not compile as pasted:\n%s", document, program)
				continue
			}
			name := "main.go"
			if strings.Contains(program, "testing.B") {
				name = "x_test.go"
			}
			dir := strings.NewReplacer("/", "_", ".md", "").Replace(document) + fmt.Sprint(i)
			// The article has 20 million laps. The test runs fewer.
			program = strings.ReplaceAll(program, "20_000_000", "20_000")
			write(t, filepath.Join(module, dir, name), []byte(program))
			programs++
		}
	}
	if programs < 6 {
		t.Errorf("%d programs in the documents", programs)
	}
	run := func(name string, args ...string) string {
		t.Helper()
		cmd := exec.Command(name, args...)
		cmd.Dir = module
		cmd.Env = append(os.Environ(), "GOFLAGS=", "GOWORK=off", "GOPROXY=off")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Errorf("%v: %v\n%s", cmd, err, out)
		}
		return string(out)
	}
	run("go", "vet", "-mod=mod", "./...")
	run("go", "build", "-mod=mod", "-o", module+"/bin/", "./...")
	commands, err := filepath.Glob(filepath.Join(module, "bin", "*"))
	if err != nil || len(commands) < 4 {
		t.Errorf("%d programs were built: %v", len(commands), err)
	}
	for _, command := range commands {
		run(command)
	}
	out := run("go", "test", "-mod=mod", "-vet=off", "-bench=.", "-benchtime=200x", "./...")
	if n := strings.Count(out, " p50-ns/op"); n < 3 {
		t.Errorf("%d result lines with percentiles, want at least 3:\n%s", n, out)
	}
}

// No program of the article about hrtime takes more lines with tare.
func TestProgramsAreNotLonger(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(filepath.Join(root, "docs/coming-from-hrtime.md"))
	if err != nil {
		t.Fatal(err)
	}
	programs := goPrograms(string(page))
	if len(programs) != 10 {
		t.Fatalf("%d programs, want five pairs", len(programs))
	}
	for i := 0; i < len(programs); i += 2 {
		if a, b := strings.Count(programs[i], "\n"), strings.Count(programs[i+1], "\n"); b > a {
			t.Errorf("program %d: %d lines with hrtime, %d with tare", 1+i/2, a, b)
		}
	}
}

// goPrograms returns the fenced blocks of Go in a document.
func goPrograms(markdown string) []string {
	var all []string
	for {
		_, rest, found := strings.Cut(markdown, "\n```go\n")
		if !found {
			return all
		}
		program, after, _ := strings.Cut(rest, "```")
		all = append(all, program)
		markdown = after
	}
}
