package library_test

import (
	"os/exec"
	"strings"
	"testing"
)

// TestImports checks the two rules of docs/architecture.md.
func TestImports(t *testing.T) {
	const module = "github.com/tarebench/tare"
	list := func(args ...string) []string {
		cmd := exec.Command("go", append([]string{"list"}, args...)...)
		cmd.Dir = root
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("go list: %v\n%s", err, out)
		}
		return strings.Fields(string(out))
	}
	library := list("-deps", "-f", "{{if not .Standard}}{{.ImportPath}}{{end}}", ".", "./benchmark", "./clock", "./histogram", "./plot")
	for _, p := range library {
		if p != module && !strings.HasPrefix(p, module+"/") || strings.HasPrefix(p, module+"/cmd/") {
			t.Errorf("the library needs %s", p)
		}
	}
	const pages = module + "/cmd/tare/internal/report/html"
	for _, line := range list("-f", "{{.ImportPath}}:{{join .Imports \",\"}}", "./cmd/tare/...") {
		from, imports, _ := strings.Cut(line, ":")
		if strings.Contains(","+imports+",", ","+pages+",") && from != module+"/cmd/tare" {
			t.Errorf("%s imports the HTML pages", from)
		}
	}
}
