package session

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestSuggest: what a checkout suggests to compare, without arguments.
func TestSuggest(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	git := func(args ...string) string {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-c", "user.name=n", "-c", "user.email=e@example.com", "-c", "init.defaultBranch=main"}, args...)...)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	suggest := func(old, new string, packages ...string) {
		t.Helper()
		got, err := Suggest(t.Context(), dir)
		if err != nil || got.Old != old || got.New != new || !slices.Equal(got.Packages, packages) {
			t.Errorf("suggests %+v, %v, want %s %s %v", got, err, old, new, packages)
		}
	}
	refuse := func(want string) {
		t.Helper()
		if got, err := Suggest(t.Context(), dir); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("suggests %+v, %v, want an error with %q", got, err, want)
		}
	}
	refuse("in no git repository")
	const bench = "import \"testing\"\n\nfunc BenchmarkF(b *testing.B) {}\n"
	write("go.mod", "module example.com/x\n\ngo 1.25\n")
	write("a/a.go", "package a\n\nfunc F() {}\n")
	write("a/a_test.go", "package a\n\n"+bench)
	write("b/b_test.go", "package b\n\nimport _ \"example.com/x/a\"\n\n"+bench)
	write("c/c_test.go", "package c\n\n"+bench)
	write("c/testdata/input.txt", "one")
	write("plain/plain.go", "package plain\n")
	git("init", "-q")
	refuse("has no commit")
	git("add", "-A")
	git("commit", "-qm", "one")
	refuse("HEAD is on the main branch")
	main := git("rev-parse", "--short", "HEAD")

	write("a/a.go", "package a\n\nfunc F() { println() }\n")
	suggest("HEAD", ".", "./a", "./b")
	write("c/testdata/input.txt", "two")
	suggest("HEAD", ".", "./a", "./b", "./c")
	git("checkout", "-q", "a")
	suggest("HEAD", ".", "./c")
	git("checkout", "-q", ".")
	write("c/new.go", "package c\n")
	suggest("HEAD", ".", "./c")
	write("plain/plain.go", "package plain\n\nvar X = 1\n")
	suggest("HEAD", ".", "./c")
	git("checkout", "-qb", "feature")
	git("add", "-A")
	git("commit", "-qm", "two")
	suggest(main, "HEAD", "./c")
	write("go.mod", "module example.com/x\n\ngo 1.26\n")
	suggest("HEAD", ".", "./...")
	git("checkout", "-q", ".")
	git("checkout", "-q", "main")
	write("plain/plain.go", "package plain\n\nvar X = 1\n")
	refuse("no package with tests contains what changed")
}
