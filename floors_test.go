package tare_test

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
)

const module = "github.com/tarebench/tare"

// row is a line of the README's map of the code: a floor, a package, what
// lives there.
var row = regexp.MustCompile("(?m)^\\| (\\d+) \\| `([^`]+)`( \\(root\\))? \\| .+ \\|$")

// floors is the map of the README, the only one: a package imports only lower
// floors, and packages on one floor never import each other.
var floors = sync.OnceValue(func() map[string]int {
	data, err := os.ReadFile("README.md")
	if err != nil {
		panic(err)
	}
	all := make(map[string]int)
	for _, m := range row.FindAllStringSubmatch(string(data), -1) {
		name := m[2]
		if m[3] != "" {
			name = ""
		}
		all[name], _ = strconv.Atoi(m[1])
	}
	return all
})

// standardOnly are the packages that a benchmark author imports: they need
// nothing outside the standard library.
var standardOnly = []string{"", "benchmark", "clock", "histogram", "stats", "plot", "unit"}

type listed struct {
	ImportPath string
	Imports    []string
	Deps       []string
	Standard   bool
}

// floorOf finds the floor of an import path by its longest listed parent, so
// that histogram/hdr stands on the floor of histogram.
func floorOf(path string) (name string, floor int, ok bool) {
	rel := strings.TrimPrefix(strings.TrimPrefix(path, module), "/")
	for p := rel; ; {
		if f, found := floors()[p]; found && (p != "" || rel == "") {
			return p, f, true
		}
		i := strings.LastIndexByte(p, '/')
		if i < 0 {
			return "", 0, false
		}
		p = p[:i]
	}
}

func TestFloors(t *testing.T) {
	t.Parallel() // it waits for the go command
	for _, p := range list(t, "./...") {
		rel := strings.TrimPrefix(strings.TrimPrefix(p.ImportPath, module), "/")
		if strings.HasPrefix(rel, "samples") || strings.HasPrefix(rel, "internal/test") || strings.HasPrefix(rel, "docs") || rel == "ci" {
			continue // lessons and test helpers may use everything
		}
		name, floor, ok := floorOf(p.ImportPath)
		if !ok {
			t.Errorf("package %s stands on no floor: add it to the map in the README", rel)
			continue
		}
		for _, imp := range p.Imports {
			if imp != module && !strings.HasPrefix(imp, module+"/") {
				continue
			}
			below, f, ok := floorOf(imp)
			if ok && below != name && f >= floor {
				t.Errorf("%s (floor %d) imports %s (floor %d): imports go down only", rel, floor, below, f)
			}
		}
	}
}

// Every row of the map is a package.
func TestMapOfTheCode(t *testing.T) {
	t.Parallel()
	if len(floors()) < 40 {
		t.Fatalf("the map in the README has %d rows", len(floors()))
	}
	for name := range floors() {
		files, _ := filepath.Glob(filepath.Join(filepath.FromSlash(name), "*.go"))
		if len(files) == 0 {
			t.Errorf("the map in the README names %s, which is no package", name)
		}
	}
}

func TestStandardLibraryOnly(t *testing.T) {
	t.Parallel() // it waits for the go command
	for _, rel := range standardOnly {
		path := "./" + rel
		for _, p := range list(t, path) {
			for _, dep := range p.Deps {
				if first, _, _ := strings.Cut(dep, "/"); strings.Contains(first, ".") && dep != module && !strings.HasPrefix(dep, module+"/") {
					t.Errorf("%s needs %s: what a benchmark author imports needs the standard library alone", path, dep)
				}
			}
		}
	}
}

// A program that imports the library for a stopwatch does not get package
// testing, and its flags, with it.
func TestLibraryIsWithoutTesting(t *testing.T) {
	t.Parallel() // it waits for the go command
	for _, rel := range []string{"", "clock", "histogram", "stats", "plot", "unit"} {
		for _, p := range list(t, "./"+rel) {
			for _, dep := range p.Deps {
				if dep == "testing" || dep == "flag" || dep == "net/http" {
					t.Errorf("./%s imports %s: what needs it belongs to package benchmark", rel, dep)
				}
			}
		}
	}
}

func list(t *testing.T, pattern string) []listed {
	t.Helper()
	cmd := exec.Command("go", "list", "-e", "-json=ImportPath,Imports,Deps,Standard", pattern)
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list %s: %v", pattern, err)
	}
	var all []listed
	dec := json.NewDecoder(strings.NewReader(string(out)))
	for {
		var p listed
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
}
