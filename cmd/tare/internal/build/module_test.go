package build

import (
	"archive/zip"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/tarebench/tare/cmd/tare/internal/lab"
)

// buildAt opens a variant, builds the only package at the builder's directory
// in another layout, and runs it.
func buildAt(t *testing.T, b *Builder, text string) string {
	t.Helper()
	v := open(t, b, text)
	binary := build(t, v, 11)
	if binary.LinkTime <= 0 || binary.Layout != 11 {
		t.Errorf("relinked binary: %+v", binary)
	}
	return output(t, binary)
}

// user is a package that prints what an imported package says.
func user(module, imported string) map[string]string {
	return map[string]string{
		"go.mod": "module " + module + "\n\ngo 1.25\n",
		"u_test.go": `package user

import (
	"testing"

	"` + imported + `"
)

func BenchmarkUser(b *testing.B) { b.Log("said " + ` + imported[strings.LastIndexByte(imported, '/')+1:] + `.Word) }
`,
	}
}

func word(module, value string) map[string]string {
	name := module[strings.LastIndexByte(module, '/')+1:]
	return map[string]string{"go.mod": "module " + module + "\n\ngo 1.25\n", "w.go": "package " + name + "\n\nconst Word = \"" + value + "\"\n"}
}

func TestReplaceThatLeavesTheRepository(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	tree(t, filepath.Join(root, "near"), word("example.com/near", "neighbor"))
	repo := tree(t, filepath.Join(root, "a b", "repo"), user("example.com/user", "example.com/near"))
	tree(t, repo, map[string]string{"go.mod": "module example.com/user\n\ngo 1.25\n\nrequire example.com/near v0.0.0\n\nreplace example.com/near => ../../near\n"})
	head := commit(t, repo, "one")
	v := open(t, newBuilder(t, repo), head)
	wantIn(t, output(t, build(t, v, 3)), "said neighbor")
	if len(v.Findings) != 1 || v.Findings[0].ID != "outside-replace" {
		t.Errorf("findings: %v", v.Findings)
	}
}

func TestReplaceIntoUntrackedFolder(t *testing.T) {
	t.Parallel()
	repo := tree(t, t.TempDir(), user("example.com/user", "example.com/near"))
	tree(t, repo, map[string]string{
		"go.mod":     "module example.com/user\n\ngo 1.25\n\nrequire example.com/near v0.0.0\n\nreplace example.com/near => ./third/near\n",
		".gitignore": "third/\n",
	})
	tree(t, filepath.Join(repo, "third", "near"), word("example.com/near", "ignored"))
	v := open(t, newBuilder(t, repo), commit(t, repo, "one"))
	wantIn(t, output(t, build(t, v, 3)), "said ignored")
	if len(v.Findings) != 1 {
		t.Fatalf("findings: %v", v.Findings)
	}
	wantIn(t, v.Findings[0].String(), "not tracked by git")
}

func TestWorkspaces(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		lay  func(t *testing.T, root string) (dir string)
	}{
		{"above the repository", func(t *testing.T, root string) string {
			tree(t, root, map[string]string{"go.work": "go 1.25\n\nuse (\n\t./near\n\t./repo\n)\n"})
			tree(t, filepath.Join(root, "near"), word("example.com/near", "workspace"))
			repo := tree(t, filepath.Join(root, "repo"), user("example.com/user", "example.com/near"))
			commit(t, repo, "one")
			return repo
		}},
		{"tracked", func(t *testing.T, root string) string {
			tree(t, root, map[string]string{"go.work": "go 1.25\n\nuse (\n\t./near\n\t./user\n)\n"})
			tree(t, filepath.Join(root, "near"), word("example.com/near", "workspace"))
			dir := tree(t, filepath.Join(root, "user"), user("example.com/user", "example.com/near"))
			commit(t, root, "one")
			return dir
		}},
		{"ignored, and one module newer than the revision", func(t *testing.T, root string) string {
			tree(t, root, map[string]string{".gitignore": "go.work*\n"})
			tree(t, filepath.Join(root, "near"), word("example.com/near", "workspace"))
			dir := tree(t, filepath.Join(root, "user"), user("example.com/user", "example.com/near"))
			commit(t, root, "one")
			tree(t, filepath.Join(root, "later"), word("example.com/later", "later"))
			typed := filepath.Join(t.TempDir(), "typed") // another name of the same directory
			if err := os.Symlink(dir, typed); err != nil {
				typed = dir
			}
			tree(t, root, map[string]string{"go.work": "go 1.25\n\nuse (\n\t./later\n\t./near\n\t" + strconv.Quote(filepath.ToSlash(typed)) + "\n)\n"})
			return dir
		}},
		{"outside, with a replace of its own", func(t *testing.T, root string) string {
			tree(t, root, map[string]string{"go.work": "go 1.25\n\nuse (\n\t./mid\n\t./repo\n)\n"})
			tree(t, filepath.Join(root, "near"), word("example.com/near", "workspace"))
			tree(t, filepath.Join(root, "mid"), map[string]string{
				"go.mod": "module example.com/mid\n\ngo 1.25\n\nrequire example.com/near v0.0.0\n\nreplace example.com/near => ../near\n",
				"m.go":   "package mid\n\nimport \"example.com/near\"\n\nconst Word = near.Word\n",
			})
			repo := tree(t, filepath.Join(root, "repo"), user("example.com/user", "example.com/mid"))
			commit(t, repo, "one")
			return repo
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := c.lay(t, t.TempDir())
			wantIn(t, buildAt(t, newBuilder(t, dir), "HEAD"), "said workspace")
		})
	}
}

func TestVendored(t *testing.T) {
	repo := tree(t, t.TempDir(), user("example.com/user", "example.com/near"))
	tree(t, repo, map[string]string{
		"go.mod":                       "module example.com/user\n\ngo 1.25\n\nrequire example.com/near v1.2.3\n",
		"vendor/modules.txt":           "# example.com/near v1.2.3\n## explicit; go 1.25\nexample.com/near\n",
		"vendor/example.com/near/w.go": "package near\n\nconst Word = \"vendored\"\n",
	})
	head := commit(t, repo, "one")
	wantIn(t, buildAt(t, newBuilder(t, repo), head), "said vendored")
	wantIn(t, buildAt(t, newBuilder(t, repo), "."), "said vendored")
	t.Setenv("GOFLAGS", "-mod=vendor -buildvcs=false")
	wantIn(t, buildAt(t, newBuilder(t, repo), head), "said vendored")
}

// TestVendoredCgo: C in a vendored package, of a revision and of the working
// tree, which differ in it; such a build is linked for each layout.
func TestVendoredCgo(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("gcc"); err != nil {
		t.Skip("needs gcc for cgo")
	}
	near := func(value string) map[string]string {
		return map[string]string{"vendor/example.com/near/w.go": "package near\n\n// const char *word(void) { return \"" + value + "\"; }\nimport \"C\"\n\nvar Word = C.GoString(C.word())\n"}
	}
	repo := tree(t, t.TempDir(), user("example.com/user", "example.com/near"))
	tree(t, repo, map[string]string{
		"go.mod":             "module example.com/user\n\ngo 1.25\n\nrequire example.com/near v1.2.3\n",
		"vendor/modules.txt": "# example.com/near v1.2.3\n## explicit; go 1.25\nexample.com/near\n",
	})
	tree(t, repo, near("old C"))
	head := commit(t, repo, "one")
	tree(t, repo, near("new C"))
	b := newBuilder(t, repo)
	for text, want := range map[string]string{head: "said old C", ".": "said new C"} {
		v := open(t, b, text)
		first, other := build(t, v, 0), build(t, v, 11)
		if !first.Overlaid || other.Layout != 11 || other.LinkTime <= 0 {
			t.Errorf("%s: %+v, relinked %+v", text, first, other)
		}
		wantIn(t, output(t, first), want)
		wantIn(t, output(t, other), want)
	}
}

func TestNestedModuleFromSubdirectory(t *testing.T) {
	t.Parallel()
	repo := tree(t, t.TempDir(), answer("outer"))
	tree(t, filepath.Join(repo, "in ner", "deep"), answer("nested"))
	head := commit(t, repo, "one")
	wantIn(t, buildAt(t, newBuilder(t, filepath.Join(repo, "in ner", "deep")), head), "answer nested, nested data")
}

// TestCaseOfTheTypedPath: a file system may ignore case, as the one of macOS
// does. git answers with the case of the disk.
func TestCaseOfTheTypedPath(t *testing.T) {
	repo := tree(t, filepath.Join(t.TempDir(), "Repo"), answer("outer"))
	tree(t, filepath.Join(repo, "nested"), answer("nested"))
	head := commit(t, repo, "one")
	git, err := exec.LookPath("git")
	if err != nil {
		t.Fatal(err)
	}
	shim := t.TempDir()
	script := "#!/bin/sh\ncase \" $* \" in *\" --show-toplevel \"*) '" + git + "' \"$@\" | sed '1s/Repo$/rEPO/' ;; *) exec '" + git + "' \"$@\" ;; esac\n"
	if err := os.WriteFile(filepath.Join(shim, "git"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", shim+string(os.PathListSeparator)+os.Getenv("PATH"))
	if err := os.Symlink(repo, filepath.Join(filepath.Dir(repo), "rEPO")); err != nil && !errors.Is(err, os.ErrExist) {
		t.Fatal(err)
	}
	wantIn(t, buildAt(t, newBuilder(t, filepath.Join(repo, "nested")), head), "answer nested, nested data")
}

func TestAllKindsOfSource(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("gcc"); err != nil {
		t.Skip("needs gcc for cgo")
	}
	repo := tree(t, t.TempDir(), map[string]string{
		"go.mod":             "module example.com/kinds\n\ngo 1.25\n",
		"k.go":               "package kinds\n\n// int twice(int x) { return 2 * x; }\nimport \"C\"\n\nfunc Twice(x int) int { return int(C.twice(C.int(x))) }\n",
		"sum/sum.go":         "package sum\n\nfunc Sum(a, b int) int\n",
		"sum/sum_amd64.s":    "#include \"textflag.h\"\n\nTEXT ·Sum(SB), NOSPLIT, $0-24\n\tMOVQ a+0(FP), AX\n\tADDQ b+8(FP), AX\n\tMOVQ AX, ret+16(FP)\n\tRET\n",
		"internal/in/in.go":  "package in\n\nconst Word = \"internal\"\n",
		"tagged.go":          "//go:build !other\n\npackage kinds\n\nconst Tag = \"default\"\n",
		"tagged_other.go":    "//go:build other\n\npackage kinds\n\nconst Tag = \"other\"\n",
		"embedded/words.txt": "embedded",
		"e.go":               "package kinds\n\nimport _ \"embed\"\n\n//go:embed embedded/words.txt\nvar Embedded string\n",
		"x_test.go": `package kinds_test

import (
	"fmt"
	"os"
	"testing"

	"example.com/kinds"
	"example.com/kinds/internal/in"
	"example.com/kinds/sum"
)

func TestMain(m *testing.M) { fmt.Println("main begins"); code := m.Run(); fmt.Println("main ends"); os.Exit(code) }

func BenchmarkKinds(b *testing.B) {
	b.Log(kinds.Twice(21), sum.Sum(20, 3), in.Word, kinds.Tag, kinds.Embedded)
}
`,
	})
	if strings.Contains(os.Getenv("GOARCH")+"amd64", "arm64") {
		t.Skip("the assembly is for amd64")
	}
	head := commit(t, repo, "one")
	b := newBuilder(t, repo)
	wantIn(t, buildAt(t, b, head), "42 23 internal default embedded", "main begins", "main ends")
	wantIn(t, buildAt(t, b, ".,tags=other"), "42 23 internal other embedded")
}

func TestSubmodules(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	inner := tree(t, filepath.Join(root, "inner"), word("example.com/inner", "nested submodule"))
	commit(t, inner, "inner")
	near := tree(t, filepath.Join(root, "near"), map[string]string{
		"go.mod": "module example.com/near\n\ngo 1.25\n\nrequire example.com/inner v0.0.0\n",
		"w.go":   "package near\n\nimport \"example.com/inner\"\n\nconst Word = inner.Word\n",
	})
	commit(t, near, "near")
	git(t, near, "submodule", "add", "-q", inner, "deps/inner")
	commit(t, near, "near with inner")
	repo := tree(t, filepath.Join(root, "repo"), user("example.com/user", "example.com/near"))
	tree(t, repo, map[string]string{"go.mod": "module example.com/user\n\ngo 1.25\n\nrequire (\n\texample.com/near v0.0.0\n\texample.com/inner v0.0.0\n)\n\nreplace example.com/near => ./third/near\n\nreplace example.com/inner => ./third/near/deps/inner\n"})
	commit(t, repo, "without")
	git(t, repo, "submodule", "add", "-q", near, "third/near")
	git(t, repo, "submodule", "update", "--init", "--recursive", "-q")
	git(t, repo, "config", "--file", ".gitmodules", "submodule.again.path", "third/near") // a path counts once
	head := commit(t, repo, "with")
	before := snapshot(t, repo)
	b := newBuilder(t, repo)
	v := open(t, b, head)
	wantIn(t, output(t, build(t, v, 0)), "said nested submodule")
	if len(v.Findings) != 0 {
		t.Errorf("findings: %v", v.Findings)
	}
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	same(t, before, snapshot(t, repo))

	clone := filepath.Join(root, "clone")
	git(t, root, "clone", "-q", repo, clone)
	v = open(t, newBuilder(t, clone), head)
	if len(v.Findings) != 1 || v.Findings[0].ID != "submodule-missing" {
		t.Fatalf("findings: %v", v.Findings)
	}
	wantIn(t, v.Findings[0].String(), "not in this clone", "git submodule update --init")
}

// TestSubmoduleNameLeadsOutside: the git folder of a submodule is below
// .git/modules, whatever its name says; the settings of a repository in the
// checkout name commands.
func TestSubmoduleNameLeadsOutside(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	inner := tree(t, filepath.Join(root, "inner"), word("example.com/inner", "of a stranger"))
	commit(t, inner, "inner")
	repo := tree(t, filepath.Join(root, "repo"), user("example.com/user", "example.com/inner"))
	tree(t, repo, map[string]string{"go.mod": "module example.com/user\n\ngo 1.25\n\nrequire example.com/inner v0.0.0\n\nreplace example.com/inner => ./inner\n"})
	commit(t, repo, "without")
	git(t, repo, "submodule", "add", "-q", inner, "inner")
	git(t, root, "clone", "-q", "--bare", inner, filepath.Join(repo, "evil.git"))
	if err := os.MkdirAll(filepath.Join(repo, ".git", "modules"), 0o777); err != nil {
		t.Fatal(err)
	}
	listed, err := os.ReadFile(filepath.Join(repo, ".gitmodules"))
	if err != nil {
		t.Fatal(err)
	}
	names := strings.ReplaceAll(string(listed), `"inner"`, `"../../evil.git"`)
	if err := os.WriteFile(filepath.Join(repo, ".gitmodules"), []byte(names), 0o666); err != nil {
		t.Fatal(err)
	}
	head := commit(t, repo, "with")
	if err := os.RemoveAll(filepath.Join(repo, "inner", ".git")); err != nil {
		t.Fatal(err)
	}
	v := open(t, newBuilder(t, repo), head)
	if len(v.Findings) != 1 || v.Findings[0].ID != "submodule-missing" {
		t.Fatalf("findings: %v", v.Findings)
	}
	wantIn(t, v.Findings[0].String(), "not a path within .git/modules")
}

// proxy makes a module proxy in a folder, and module settings that use it
// without touching the user's module cache.
func proxy(t *testing.T, module string, versions map[string]string) {
	t.Helper()
	dir := t.TempDir()
	at := filepath.Join(dir, filepath.FromSlash(module), "@v")
	if err := os.MkdirAll(at, 0o777); err != nil {
		t.Fatal(err)
	}
	list := ""
	for version, value := range versions {
		list += version + "\n"
		files := word(module, value)
		f, err := os.Create(filepath.Join(at, version+".zip"))
		if err != nil {
			t.Fatal(err)
		}
		z := zip.NewWriter(f)
		for name, content := range files {
			w, err := z.Create(module + "@" + version + "/" + name)
			if err != nil {
				t.Fatal(err)
			}
			w.Write([]byte(content))
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		f.Close()
		tree(t, at, map[string]string{version + ".mod": files["go.mod"], version + ".info": `{"Version":"` + version + `"}`})
	}
	tree(t, at, map[string]string{"list": list})
	t.Setenv("GOPROXY", "file://"+filepath.ToSlash(dir))
	t.Setenv("GONOSUMDB", "*")
	t.Setenv("GONOSUMCHECK", "1")
	t.Setenv("GOFLAGS", "-modcacherw -buildvcs=false")
	t.Setenv("GOMODCACHE", t.TempDir())
}

func TestModuleVersion(t *testing.T) {
	proxy(t, "example.com/near", map[string]string{"v1.0.0": "one", "v1.1.0": "two"})
	repo := tree(t, t.TempDir(), user("example.com/user", "example.com/near"))
	tree(t, repo, map[string]string{"go.mod": "module example.com/user\n\ngo 1.25\n\nrequire example.com/near v1.0.0\n"})
	cmd := exec.Command("go", "mod", "tidy")
	cmd.Dir = repo
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s", out)
	}
	head := commit(t, repo, "one")
	before := snapshot(t, repo)
	b := newBuilder(t, repo)
	wantIn(t, buildAt(t, b, "."), "said one")
	wantIn(t, buildAt(t, b, ".,mod=example.com/near@v1.1.0"), "said two")
	wantIn(t, buildAt(t, b, head+",mod=example.com/near@latest"), "said two")
	spec, _ := Parse(".,mod=example.com/near@v9.9.9")
	if _, err := b.Open(t.Context(), spec); err == nil {
		t.Error("a version that nobody released was opened")
	} else {
		wantIn(t, err.Error(), "work in mod=", "v9.9.9")
	}
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	same(t, before, snapshot(t, repo))

	t.Run("workspace", func(t *testing.T) {
		lab.Only(t, "builds two variants more, of a module in another state")
		tree(t, repo, map[string]string{"go.work": "go 1.25\n\nuse .\n"})
		b := newBuilder(t, repo)
		wantIn(t, buildAt(t, b, "."), "said one")
		wantIn(t, buildAt(t, b, ".,env=GOWORK=off,mod=example.com/near@v1.1.0"), "said two")
	})
	t.Run("vendored", func(t *testing.T) {
		lab.Only(t, "builds two variants more, of a module in another state")
		os.Remove(filepath.Join(repo, "go.work"))
		cmd := exec.Command("go", "mod", "vendor")
		cmd.Dir = repo
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s", out)
		}
		b := newBuilder(t, repo)
		wantIn(t, buildAt(t, b, "."), "said one")
		wantIn(t, buildAt(t, b, ".,mod=example.com/near@v1.1.0"), "said two")
	})
}
