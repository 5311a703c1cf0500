package build

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// tree writes files given as path, content pairs. It returns the root as git and go
// report it: the directory for temporary files is a symbolic link on macOS.
func tree(t *testing.T, root string, files map[string]string) string {
	t.Helper()
	for name, content := range files {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return realPath(root)
}

func git(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=A", "-c", "user.email=a@b.c", "-c", "commit.gpgsign=false", "-c", "protocol.file.allow=always", "-c", "init.defaultBranch=main"}, args...)...)
	cmd.Dir, cmd.Env = dir, gitEnv()
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func commit(t *testing.T, dir, message string) string {
	t.Helper()
	if _, err := os.Stat(filepath.Join(dir, ".git")); err != nil {
		git(t, dir, "init", "-q")
	}
	git(t, dir, "add", "-A")
	git(t, dir, "commit", "-q", "-m", message)
	return git(t, dir, "rev-parse", "HEAD")
}

// answer is a package whose benchmark prints what it finds.
func answer(value string) map[string]string {
	return map[string]string{
		"go.mod":          "module example.com/answer\n\ngo 1.25\n",
		"a.go":            "package answer\n\nfunc Answer() string { return \"" + value + "\" }\n",
		"testdata/in.txt": value + " data\n",
		"a_test.go": `package answer

import (
	"os"
	"testing"
)

func BenchmarkAnswer(b *testing.B) {
	data, err := os.ReadFile("testdata/in.txt")
	if err != nil {
		b.Fatal(err)
	}
	b.Logf("answer %s, %s", Answer(), data)
	for b.Loop() {
		Answer()
	}
}
`,
	}
}

func newBuilder(t *testing.T, dir string) *Builder {
	t.Helper()
	b := &Builder{Dir: dir, Cache: t.TempDir(), Temp: t.TempDir()}
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	})
	return b
}

func open(t *testing.T, b *Builder, text string) *Variant {
	t.Helper()
	spec, err := Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	v, err := b.Open(t.Context(), spec)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// build lists and builds the only package of v.
func build(t *testing.T, v *Variant, layout uint64) Binary {
	t.Helper()
	if len(v.known) == 0 && v.kept == nil {
		if packages, err := v.Packages(t.Context()); err != nil || len(packages) != 1 {
			t.Fatalf("packages of %s: %+v, %v", v.Spec.Label, packages, err)
		}
	}
	pkg := ""
	for path := range v.known {
		pkg = path
	}
	binary, err := v.Build(t.Context(), pkg, layout)
	if err != nil {
		t.Fatal(err)
	}
	return binary
}

// output runs all benchmarks of a binary once.
func output(t *testing.T, b Binary) string {
	t.Helper()
	cmd := exec.Command(b.Path, "-test.bench=.", "-test.benchtime=1x", "-test.run=^$", "-test.v")
	cmd.Dir, cmd.Env = b.Dir, append(os.Environ(), b.Env...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("run %s: %v\n%s", b.Path, err, out)
	}
	return string(out)
}

func wantIn(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("want %q in:\n%s", part, text)
		}
	}
}

func TestRevisionAndWorkingTree(t *testing.T) {
	t.Parallel()
	repo := tree(t, t.TempDir(), answer("old"))
	first := commit(t, repo, "old")
	tree(t, repo, answer("committed"))
	commit(t, repo, "new")
	tree(t, repo, answer("dirty"))

	b := newBuilder(t, repo)
	old, dirty := open(t, b, first[:8]), open(t, b, ".")
	if old.Commit != first || old.Dirty || dirty.Commit != "" || !dirty.Dirty {
		t.Errorf("old %s dirty=%v, working tree %q dirty=%v", old.Commit, old.Dirty, dirty.Commit, dirty.Dirty)
	}
	for v, want := range map[*Variant]string{old: "answer old, old data", dirty: "answer dirty, dirty data"} {
		for _, layout := range []uint64{0, 7, 8} {
			binary := build(t, v, layout)
			if !binary.Overlaid || binary.WhyNot != "" || binary.Layout != layout {
				t.Errorf("%s: %+v", v.Spec.Label, binary)
			}
			wantIn(t, output(t, binary), want)
		}
	}
	clean := tree(t, t.TempDir(), answer("x"))
	if head := commit(t, clean, "all"); open(t, newBuilder(t, clean), ".").Commit != head {
		t.Error("a working tree that is its commit does not say which")
	}
	again := build(t, old, 7)
	if again.Path != build(t, old, 7).Path {
		t.Error("one layout was linked twice")
	}
}

func TestCompileErrorHasTheCompilersWords(t *testing.T) {
	t.Parallel()
	repo := tree(t, t.TempDir(), answer("x"))
	tree(t, repo, map[string]string{"a.go": "package answer\n\nfunc Answer() string { return missing }\n"})
	v := open(t, newBuilder(t, repo), ".")
	if _, err := v.Packages(t.Context()); err != nil {
		t.Fatal(err)
	}
	_, err := v.Build(t.Context(), "example.com/answer", 0)
	var failed *BuildError
	if !errors.As(err, &failed) {
		t.Fatalf("got %v", err)
	}
	wantIn(t, failed.Error(), "a.go:3:", "undefined: missing", "compile .")
	if strings.Contains(failed.Output, "WORK=") || strings.Contains(failed.Output, "mkdir") {
		t.Errorf("the commands of -x are in the words:\n%s", failed.Output)
	}
}
