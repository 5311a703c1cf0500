package ci_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The commands of measured figures run in the root of a clone: they name a
// package of this repository, and tests that it has.
func TestCommandsOfFiguresExist(t *testing.T) {
	t.Parallel()
	const root = "../"
	command := regexp.MustCompile(`\bgo test ((?:-[a-z]+ )*[^\n` + "`" + `]*?)(\./[\w/.]+)([^\n` + "`" + `]*)`)
	run := regexp.MustCompile(`-(?:run|bench) '?([\w|/$^.]+)`)
	checked := 0
	for _, pattern := range []string{"docs/validation.md", "docs/results/*", "docs/decisions/*.md"} {
		files, err := filepath.Glob(root + pattern)
		if err != nil || len(files) == 0 {
			t.Fatalf("no %s: %v", pattern, err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for _, found := range command.FindAllStringSubmatch(string(text), -1) {
				tests, err := filepath.Glob(filepath.Join(root, found[2], "*_test.go"))
				if err != nil || len(tests) == 0 {
					t.Errorf("%s: %s: no tests in %s", file, found[0], found[2])
					continue
				}
				checked++
				var code strings.Builder
				for _, test := range tests {
					source, err := os.ReadFile(test)
					if err != nil {
						t.Fatal(err)
					}
					code.Write(source)
				}
				for _, selected := range run.FindAllStringSubmatch(found[1]+found[3], -1) {
					for name := range strings.SplitSeq(selected[1], "|") {
						name, _, _ = strings.Cut(strings.Trim(name, "^$"), "/")
						if name = strings.TrimRight(name, "$"); name == "" || name == "xxx" || name == "." {
							continue
						}
						if !regexp.MustCompile(`(?m)^func (Test|Benchmark|Fuzz)?\w*` + name).MatchString(code.String()) {
							t.Errorf("%s: %s: no test %s", file, found[0], name)
						}
					}
				}
			}
		}
	}
	if checked < 20 {
		t.Errorf("%d commands found", checked)
	}
}
