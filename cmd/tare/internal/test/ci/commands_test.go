package ci_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The commands of measured figures run in the root of a clone: they name a
// package of this repository, and tests that it has.
func TestCommandsOfFiguresExist(t *testing.T) {
	t.Parallel()
	command := regexp.MustCompile("\\bgo test ([^\n`]*?)(\\./[\\w/.]+)([^\n`]*)")
	run := regexp.MustCompile(`-(?:run|bench) '?([\w|/$^.]+)`)
	checked := 0
	for _, pattern := range []string{"../docs/validation.md", "../docs/results/*", "../docs/decisions/*.md"} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatalf("no %s: %v", pattern, err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for _, found := range command.FindAllStringSubmatch(string(text), -1) {
				checked++
				has := functions(parsed(t, filepath.Join("..", found[2], "*_test.go")))
				for _, selected := range run.FindAllStringSubmatch(found[1]+found[3], -1) {
					for name := range strings.SplitSeq(selected[1], "|") {
						name, _, _ = strings.Cut(strings.Trim(name, "^$"), "/")
						name = strings.TrimRight(name, "$")
						if name == "xxx" || slices.ContainsFunc(has, func(f string) bool { return regexp.MustCompile(name).MatchString(f) }) {
							continue // xxx runs no tests
						}
						t.Errorf("%s: %s: no test %s", file, found[0], name)
					}
				}
			}
		}
	}
	if checked < 20 {
		t.Errorf("%d commands found", checked)
	}
}
