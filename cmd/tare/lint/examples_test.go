package lint_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"

	"github.com/tarebench/tare/cmd/tare/internal/lintdriver"
	"github.com/tarebench/tare/cmd/tare/lint"
)

// exampleImports are the imports of the examples in the documentation.
var exampleImports = []string{
	"bufio", "encoding/hex", "fmt", "hash/crc32", "math", "math/rand", "os", "slices", "sort",
	"strconv", "strings", "sync/atomic", "testing", "time",
}

var constraint = regexp.MustCompile(`(?s)^\s*(//go:build [^\n]*)\n\s*package p\n`)

// exampleFile makes a whole file of an example.
func exampleFile(code string) string {
	header := ""
	if m := constraint.FindStringSubmatch(code); m != nil {
		header, code = m[1]+"\n\n", code[len(m[0]):]
	}
	var b strings.Builder
	b.WriteString(header + "package p\n\nimport (\n")
	for _, path := range exampleImports {
		if strings.Contains(code, filepath.Base(path)+".") {
			fmt.Fprintf(&b, "\t%q\n", path)
		}
	}
	b.WriteString(")\n" + code + "\n")
	return b.String()
}

// module writes files, by name, into a fresh module.
func module(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	write(t, dir, "go.mod", "module example.test/p\n\ngo 1.26\n")
	for name, text := range files {
		write(t, dir, name, text)
	}
	return dir
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

func loadModule(t *testing.T, dir string) []*packages.Package {
	t.Helper()
	pkgs, broken, err := lintdriver.Load(context.Background(), lintdriver.Options{Dir: dir}, "./...")
	if err := errors.Join(append(broken, err)...); err != nil {
		t.Fatal(err)
	}
	return pkgs
}

// lintByFolder runs every check and returns the ids found, by folder.
func lintByFolder(t *testing.T, dir string) (map[string][]string, []lintdriver.Diagnostic) {
	t.Helper()
	list, err := lintdriver.Run(loadModule(t, dir), lint.Checks())
	if err != nil {
		t.Fatal(err)
	}
	found := make(map[string][]string)
	for _, d := range list {
		rel, err := filepath.Rel(dir, filepath.Dir(d.File))
		if err != nil {
			t.Fatal(err)
		}
		found[rel] = append(found[rel], d.ID)
	}
	return found, list
}

// examples returns complete functions of a page: one with the mistake, and one
// that is clean.
func examples(c lint.Check) (wrong, right string) {
	_, sections, _ := strings.Cut(c.Help(), "\n## Wrong\n")
	wrong, right, _ = strings.Cut(sections, "\n## Right\n")
	return codeBlock(wrong), codeBlock(right)
}

// codeBlock returns the text of the first Go code block.
func codeBlock(section string) string {
	_, rest, _ := strings.Cut(section, "```go\n")
	block, _, _ := strings.Cut(rest, "\n```")
	return block
}

// TestExamples checks every check against its documentation. Only this check
// finds the wrong example. The right one is clean. If the check offers a fix,
// the fixed example compiles and is clean.
func TestExamples(t *testing.T) {
	files := make(map[string]string)
	for _, c := range lint.Checks() {
		wrong, right := examples(c)
		if c.Title() == "" || wrong == "" || right == "" || !strings.HasPrefix(c.Doc, "report ") {
			t.Errorf("%s: its page lacks a title, a summary or an example", c.Name)
		}
		files["wrong_"+c.Name+"/p_test.go"] = exampleFile(wrong)
		files["right_"+c.Name+"/p_test.go"] = exampleFile(right)
	}
	dir := module(t, files)
	found, _ := lintByFolder(t, dir)
	for _, c := range lint.Checks() {
		wrong, right := found["wrong_"+c.Name], found["right_"+c.Name]
		if !slices.Contains(wrong, c.Name) {
			t.Errorf("%s: its wrong example is not found (%v)", c.Name, wrong)
		}
		if len(right) > 0 {
			t.Errorf("%s: its right example is not clean: %v", c.Name, right)
		}
	}
	fixed := fixedFiles(t, loadModule(t, dir), func(folder, check string) bool { return folder == "wrong_"+check })
	if len(fixed) == 0 {
		t.Fatal("no example was fixed")
	}
	var mended []string
	for file, text := range fixed {
		if err := os.WriteFile(file, text, 0o666); err != nil {
			t.Fatal(err)
		}
		rel, _ := filepath.Rel(dir, filepath.Dir(file))
		mended = append(mended, rel)
	}
	found, _ = lintByFolder(t, dir)
	for _, folder := range mended {
		if left := found[folder]; len(left) > 0 {
			text, _ := os.ReadFile(filepath.Join(dir, folder, "p_test.go"))
			t.Errorf("%s: after its fix it still has %v:\n%s", folder, left, text)
		}
	}
}
