package file

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// elsewhere may open files: each has a reason why this package does not.
var elsewhere = []string{
	"cmd/tare/internal/benchtab/file.go",        // a user of stat and show may name a pipe, and the first signal ends them
	"cmd/tare/internal/lab/",                    // programs of developers, on their own files
	"cmd/tare/internal/overlay/serving/",        // is compiled into package testing, and reads its own /proc
	"cmd/tare/internal/test/",                   // tests, on their own files
	"cmd/tare/internal/worker/cputime_linux.go", // /proc
	"plot/plot.go",                              // the caller of the library names a file to write
	"tools/",                                    // programs of developers, on their own files
}

// TestFilesAreOpenedHere: a file that is opened for reading is opened by this package,
// what reads to an end has a bound, and no file is written behind a link
// (result.WriteFile).
func TestFilesAreOpenedHere(t *testing.T) {
	const root = "../../../.."
	opens := regexp.MustCompile(`\b(os\.(Open|ReadFile|Create)|profile\.Parse|ioutil\.\w+|io\.ReadAll)\(`)
	bounded := regexp.MustCompile(`io\.ReadAll\(io\.(LimitReader|NewSectionReader)\(`)
	used := make(map[string]bool)
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, _ := filepath.Rel(root, path)
		name = filepath.ToSlash(name)
		if d.IsDir() && (d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".") && len(d.Name()) > 2) {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for i, line := range strings.Split(string(text), "\n") {
			line, _, _ = strings.Cut(line, "//")
			if !opens.MatchString(line) || bounded.MatchString(line) {
				continue
			}
			at := slices.IndexFunc(elsewhere, func(e string) bool { return strings.HasPrefix(name, e) })
			if at < 0 {
				t.Errorf("%s:%d: %s: use package file", name, i+1, strings.TrimSpace(line))
				continue
			}
			used[elsewhere[at]] = true
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range elsewhere {
		if !used[e] {
			t.Errorf("%s opens no file: remove it from the list", e)
		}
	}
}
