package tare_test

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"strings"
	"testing"
)

const module = "github.com/tarebench/tare"

// floors is the table of the README: a package imports only lower floors, and
// packages on one floor never import each other.
var floors = map[string]int{
	"cmd/tare": 7,

	"internal/recorder":  6,
	"internal/bisection": 6,
	"internal/selftest":  6,

	"internal/report":     5,
	"internal/session":    5,
	"internal/lintdriver": 5,
	"lint":                3,
	"internal/timedloop":  2,
	"internal/smoke":      5,

	"internal/study":    4,
	"internal/axis":     4,
	"internal/lockstep": 4,
	"internal/benchtab": 4,
	"internal/doctor":   4,
	"internal/tune":     4,
	"benchmark":         4,

	"":                 3,
	"plot":             3,
	"internal/worker":  3,
	"internal/variant": 3,
	"internal/explain": 3,
	"internal/count":   3,

	"internal/history":    2,
	"internal/bisect":     2,
	"internal/samecode":   2,
	"internal/result":     2,
	"internal/machine":    3,
	"internal/hostlock":   4,
	"internal/benchfile":  3,
	"internal/prove":      4,
	"clock":               2,
	"histogram":           2,
	"internal/overlay":    2,
	"internal/judge":      3,
	"internal/suspect":    3,
	"internal/sequential": 2,

	"internal/filelock": 0,
	"internal/nearest":  0,
	"internal/shard":    0,
	"internal/ticks":    0,
	"internal/process":  0,

	"stats":         0,
	"unit":          0,
	"finding":       1,
	"internal/kind": 2,
}

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
		if f, found := floors[p]; found && (p != "" || rel == "") {
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
			t.Errorf("package %s stands on no floor: add it to the table here, in the README map, and say why", rel)
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
