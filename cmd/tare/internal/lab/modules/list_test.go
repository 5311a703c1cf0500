//go:build lab

package modules

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// module is a stanza of modules.txt.
type module struct {
	path, old, new string
	packages       []string
	bench          string
	env            []string
	// traits are the words of kind before the semicolon, which are checked.
	traits      []string
	kind, claim string
}

// std is the name of the standard library in modules.txt.
const std = "std"

func (m module) name() string { return strings.TrimPrefix(m.path, "github.com/") }

func readList(t *testing.T) []module {
	t.Helper()
	text, err := os.ReadFile("modules.txt")
	if err != nil {
		t.Fatal(err)
	}
	all, err := parseList(string(text))
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func parseList(text string) ([]module, error) {
	var all []module
	number := 0
	for line := range strings.Lines(text) {
		number++
		line = strings.TrimRight(line, "\n")
		fields := strings.Fields(line)
		if len(fields) == 0 || strings.HasPrefix(line, "#") {
			continue
		}
		broken := func(what string) error { return fmt.Errorf("read modules.txt: line %d: %s", number, what) }
		if !strings.HasPrefix(line, "\t") {
			if len(fields) != 3 {
				return nil, broken("want MODULE OLD NEW")
			}
			all = append(all, module{path: fields[0], old: fields[1], new: fields[2]})
			continue
		}
		if len(all) == 0 {
			return nil, broken("a key before the first module")
		}
		m := &all[len(all)-1]
		key, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		value = strings.TrimSpace(value)
		switch key {
		case "packages":
			m.packages = fields[1:]
		case "bench":
			if _, err := regexp.Compile(value); err != nil {
				return nil, broken(err.Error())
			}
			m.bench = value
		case "env":
			m.env = append(m.env, value)
		case "kind":
			m.kind = value
			checked, _, _ := strings.Cut(value, ";")
			for trait := range strings.SplitSeq(checked, ",") {
				m.traits = append(m.traits, strings.TrimSpace(trait))
			}
		case "claim":
			m.claim = value
		default:
			return nil, broken("unknown key " + key)
		}
	}
	return all, nil
}

// TestList checks that the list serves its purpose.
func TestList(t *testing.T) {
	all := readList(t)
	if len(all) < 13 {
		t.Errorf("%d modules, want at least twelve and the standard library", len(all))
	}
	seen := make(map[string]bool)
	var kinds strings.Builder
	for _, m := range all {
		switch {
		case seen[m.path]:
			t.Errorf("%s is there twice", m.path)
		case m.old == m.new:
			t.Errorf("%s: one version only", m.path)
		case len(m.packages) == 0 || m.bench == "" || len(m.traits) == 0:
			t.Errorf("%s: packages, bench or kind is missing", m.path)
		}
		seen[m.path] = true
		kinds.WriteString(m.kind + "\n")
	}
	for _, kind := range []string{"sub-benchmarks", "b.Loop", "RunParallel", "cgo", "assembly", "TestMain", "testdata", "heavy set-up", "allocations", "I/O"} {
		if !strings.Contains(kinds.String(), kind) {
			t.Errorf("no module for %s", kind)
		}
	}
	if !seen[std] || !slices.ContainsFunc(all, func(m module) bool { return m.claim != "" }) {
		t.Error("the standard library or the claims are missing")
	}
}

func TestParseList(t *testing.T) {
	all, err := parseList("# no\n\na/b v1 v2\n\tpackages . ./x\n\tbench ^B$/^(c|d)$\n\tkind cgo, TestMain; more\n\tclaim faster\n\tenv A=b\n")
	if err != nil {
		t.Fatal(err)
	}
	if len(all) != 1 || all[0].bench != "^B$/^(c|d)$" || !slices.Equal(all[0].traits, []string{"cgo", "TestMain"}) || !slices.Equal(all[0].packages, []string{".", "./x"}) {
		t.Errorf("got %+v", all)
	}
	for _, bad := range []string{"a v1\n", "\tbench x\n", "a v1 v2\n\tbench (\n", "a v1 v2\n\tcolour red\n"} {
		if _, err := parseList(bad); err == nil {
			t.Errorf("no error for %q", bad)
		}
	}
}
