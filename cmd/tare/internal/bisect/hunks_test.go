package bisect

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tarebench/tare/cmd/tare/internal/attempt"
)

// twoTrees is a repository with two commits: the files before and after.
func twoTrees(t *testing.T, before, after map[string]string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	runGit(t, dir, "init", "-q", "-b", "main")
	for _, files := range []map[string]string{before, after} {
		old, _ := filepath.Glob(filepath.Join(dir, "[^.]*"))
		for _, f := range old {
			os.RemoveAll(f)
		}
		for name, text := range files {
			path := filepath.Join(dir, name)
			if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		runGit(t, dir, "add", "-A")
		runGit(t, dir, "commit", "-q", "--allow-empty", "-m", "x")
	}
	return dir
}

// lines are a function of n lines, with some of them changed.
func lines(n int, changed ...int) string {
	var b strings.Builder
	b.WriteString("package x\n")
	for i := range n {
		word := "old"
		if slices.Contains(changed, i) {
			word = "new"
		}
		fmt.Fprintf(&b, "// %s %d\n", word, i)
	}
	return b.String()
}

// The series begins with the old code and the new tests, adds a hunk at each
// point, and ends with the new code. New files come first and removed ones last.
func TestHunksAreASeries(t *testing.T) {
	dir := twoTrees(t, map[string]string{"a.go": lines(60), "gone.go": "package x\n", "a_test.go": "package x\n", "go.mod": "module x\n"},
		map[string]string{"a.go": lines(60, 3, 30, 31, 55), "added.go": "package x\n", "a_test.go": "package x // new\n", "go.mod": "module x\n\ngo 1.24\n", "image": "\x00\x01"})
	points, err := hunksBetween(context.Background(), dir, parse(t, "HEAD~1,tags=q"), parse(t, "HEAD,tags=q"), false)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, p := range points {
		names = append(names, p.Name)
	}
	want := []string{"HEAD~1,tags=q", "added.go", "image", "go.mod", "a.go:5", "a.go:32", "a.go:57", "gone.go"}
	if d := cmp.Diff(want, names); d != "" {
		t.Fatal(d)
	}
	at := func(k int) string { hash, _, _ := strings.Cut(points[k].Variant, ","); return hash }
	show := func(k int, file string) string { return runGit(t, dir, "show", at(k)+":"+file) }
	if got := show(0, "a_test.go"); got != "package x // new" {
		t.Errorf("the first point has the test %q", got)
	}
	if got := show(5, "a.go"); got != strings.TrimSpace(lines(60, 3, 30, 31)) {
		t.Errorf("two hunks make\n%s", got)
	}
	if diff := runGit(t, dir, "diff", at(len(points)-1), "HEAD"); diff != "" {
		t.Errorf("the last point is not the new code:\n%s", diff)
	}
	if !strings.HasSuffix(points[3].Variant, ",tags=q") || !strings.Contains(points[5].Diff, "+// new 30\n+// new 31\n") {
		t.Errorf("point %+v", points[5])
	}
	// The working tree is the new end, and the tests may be those of the old one.
	if err := os.WriteFile(filepath.Join(dir, "a.go"), []byte(lines(60, 9)), 0o666); err != nil {
		t.Fatal(err)
	}
	points, err = hunksBetween(context.Background(), dir, parse(t, "HEAD"), parse(t, "."), true)
	if err != nil || len(points) != 4 {
		t.Fatalf("%d points, %v", len(points), err)
	}
	if status := runGit(t, dir, "status", "--porcelain"); status != "M a.go" {
		t.Errorf("the checkout changed: %q", status)
	}
}

func TestHunkIsNamedByItsFunction(t *testing.T) {
	for diff, want := range map[string]string{
		"@@ -58,3 +64,4 @@ func Len() int {\n // Push pushes.\n func Push(x int) {\n+\tx++\n": "func Push(x int) {",
		"@@ -58,3 +64,4 @@ func Len() int {\n \ty()\n+\tx++\n \n func Push(x int) {\n":        "func Len() int {",
		"@@ -58,1 +64,3 @@ func Len() int {\n }\n+func Push(x int) {\n+}\n":                   "func Push(x int) {",
	} {
		if got := parseHunks("x.go", diff)[0].point.Title; got != want {
			t.Errorf("%q is in %q, want %q", diff, got, want)
		}
	}
}

// All hunks of a file together are the new file, and none is the old one, at any
// ends of lines.
func TestHunksOfAFileAreTheFile(t *testing.T) {
	for seed := range uint64(30) {
		r := rand.New(rand.NewPCG(seed, 1))
		text := func() string {
			var b strings.Builder
			for range r.IntN(60) {
				fmt.Fprintf(&b, "%d\n", r.IntN(9))
			}
			return strings.TrimSuffix(b.String(), []string{"", "\n"}[r.IntN(2)])
		}
		before, after := text(), text()
		dir := twoTrees(t, map[string]string{"x": before}, map[string]string{"x": after})
		trees, err := attempt.OpenTrees(context.Background(), dir)
		if err != nil {
			t.Fatal(err)
		}
		diff, err := trees.Diff(context.Background(), "HEAD~1", "HEAD", "x")
		if err != nil {
			t.Fatal(err)
		}
		if err := trees.Close(); err != nil {
			t.Fatal(err)
		}
		content := [2]string{before, after}
		if got := compose("x", content, parseHunks("x", diff)); got != after {
			t.Errorf("seed %d: got %q, want %q", seed, got, after)
		}
		if got := compose("x", content, nil); got != before {
			t.Errorf("seed %d: got %q, want %q", seed, got, before)
		}
	}
}

func TestImportsFollowTheirUse(t *testing.T) {
	const old = "package x\n\nimport (\n\t\"fmt\"\n\t\"strings\"\n)\n"
	const new = "package x\n\nimport (\n\t\"fmt\"\n\tstr \"strconv\"\n\t\"gopkg.in/yaml.v3\"\n\t\"math/rand/v2\"\n\t_ \"embed\"\n)\n"
	for _, test := range []struct{ name, text, want string }{
		{"as it was", old + "var _ = fmt.Sprint(strings.ToUpper)\n", old + "var _ = fmt.Sprint(strings.ToUpper)\n"},
		{"one unused", old + "var _ = fmt.Sprint\n", "package x\n\nimport (\n\t\"fmt\"\n\t         \n)\nvar _ = fmt.Sprint\n"},
		{"missing", "package x\n\nvar _, _, _ = str.Itoa, yaml.Marshal, rand.N[int]\n",
			"package x; import str \"strconv\"; import \"gopkg.in/yaml.v3\"; import \"math/rand/v2\"\n\nvar _, _, _ = str.Itoa, yaml.Marshal, rand.N[int]\n"},
		{"a declaration of one", "package x\n\nimport \"fmt\"\n\nvar y int\n", "package x\n\n            \n\nvar y int\n"},
		{"not Go", "package x\n\nfunc {", "package x\n\nfunc {"},
		{"cgo", "package x\n\nimport \"C\"\nimport \"fmt\"\n", "package x\n\nimport \"C\"\nimport \"fmt\"\n"},
	} {
		if got := withImports(test.text, old, new); got != test.want {
			t.Errorf("%s: got\n%q, want\n%q", test.name, got, test.want)
		}
	}
}

func TestDeclarationsComeFirstAndGoLast(t *testing.T) {
	for diff, want := range map[string]int{
		"@@ -1 +1 @@\n x\n+\n+// f does.\n+func f() {}\n":   0,
		"@@ -1 +1 @@\n x\n-func f() {}\n":                   2,
		"@@ -1 +1 @@\n-func f() {}\n+func f(x int) {}\n":    1,
		"@@ -1 +1 @@\n func f() {\n+\tx++\n":                1,
		"@@ -1 +1 @@\n+// A comment.\n":                     1,
		"@@ -1 +1 @@\n x\n-// f does.\n-var f = 1\n-\n y\n": 2,
	} {
		if got := stageOf(diff); got != want {
			t.Errorf("stage %d, want %d, of\n%s", got, want, diff)
		}
	}
}

func TestShareOfAHunk(t *testing.T) {
	ends := outcome{Center: 0.1, Lo: 0.09, Hi: 0.11}
	got := shareOf(outcome{Center: 0.09, Lo: 0.085, Hi: 0.095}, ends)
	if width := math.Hypot(0.05, 0.09); math.Abs(got.Lo-(0.9-width)) > 1e-9 || math.Abs(got.Hi-(0.9+width)) > 1e-9 {
		t.Errorf("share %+v", got)
	}
	if got := shareOf(ends, ends); got.Lo != 1 || got.Hi != 1 {
		t.Errorf("the whole change has the share %+v", got)
	}
}
