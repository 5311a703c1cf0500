package catalog

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/tarebench/tare/cmd/tare/internal/test/golden"
)

// TestDocument keeps docs/findings.md in step with the list: rewrite it with
// -update.
func TestDocument(t *testing.T) {
	var b strings.Builder
	b.WriteString("# What does a finding mean?\n\n" +
		"A finding is something about your code, data or machine that deserves attention, and not an error of tare. " +
		"*info* changes nothing, *warning* puts a number in doubt, *severe* makes it worthless until it is dealt with.\n\n" +
		"In JSON a finding is `{id, severity, subject, message, action, values}`: `values` has the numbers of the message by name (in italics below), not rounded and in base units. " +
		"[lint.md](lint.md) has the findings of `tare lint`.\n")
	for _, g := range groups() {
		fmt.Fprintf(&b, "\n## %s\n\n|id|message|what to do|\n|:--|:--|:--|\n", g.title)
		for _, k := range g.kinds {
			fmt.Fprintf(&b, "|`%s` %s|%s|%s|\n", k.ID, k.Severity, code(k.Message), code(k.Action))
		}
	}
	golden.Check(t, "../../../../../docs/findings.md", []byte(b.String()))
}

var braces = regexp.MustCompile(`\{[a-z]+\}`)

func code(template string) string {
	return braces.ReplaceAllStringFunc(strings.ReplaceAll(template, "|", `\|`), func(name string) string { return "*" + name[1:len(name)-1] + "*" })
}

// TestGroupsAreComplete: every variable of the package is in the list, under an
// id of its own in lower case.
func TestGroupsAreComplete(t *testing.T) {
	listed := map[string]bool{}
	for _, g := range groups() {
		for _, k := range g.kinds {
			if listed[k.ID] || !regexp.MustCompile(`^[a-z][a-z0-9-]*$`).MatchString(k.ID) {
				t.Errorf("id %q is listed twice, or is not in lower case with dashes", k.ID)
			}
			if k.Message == "" || k.Severity == "" {
				t.Errorf("%s has no message or no severity", k.ID)
			}
			listed[k.ID] = true
		}
	}
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	files = append(files, "../../../../internal/finding/library.go")
	declared := 0
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		source, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, source, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, decl := range file.Decls {
			if g, ok := decl.(*ast.GenDecl); ok && g.Tok == token.VAR {
				declared += len(g.Specs)
			}
		}
	}
	if declared != len(listed) {
		t.Errorf("%d kinds are declared, %d listed", declared, len(listed))
	}
}

// TestKindsAreUsed: each kind is raised somewhere, with values for all names of
// its templates.
func TestKindsAreUsed(t *testing.T) {
	var all strings.Builder
	err := filepath.WalkDir("../../../..", func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || strings.Contains(path, "internal/catalog/") {
			return err
		}
		source, err := os.ReadFile(path)
		all.Write(source)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	source := all.String()
	files, _ := filepath.Glob("*.go")
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`(?m)^\t(\w+) += finding\.Kind\{`).FindAllStringSubmatch(string(text), -1) {
			if !regexp.MustCompile(`\bcatalog\.` + m[1] + `\b`).MatchString(source) {
				t.Errorf("no code raises catalog.%s", m[1])
			}
		}
	}
	for _, g := range groups() {
		for _, k := range g.kinds {
			for _, name := range braces.FindAllString(k.Message+k.Action, -1) {
				if !strings.Contains(source, `"`+name[1:len(name)-1]+`"`) {
					t.Errorf("%s: no value is called %s", k.ID, name)
				}
			}
		}
	}
}
