package build

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tarebench/tare/cmd/tare/internal/lab"
	"github.com/tarebench/tare/cmd/tare/internal/overlay"
)

// commands counts the commands that a builder runs, by their first words.
func commands(b *Builder) *[]string {
	list := new([]string)
	b.Exec = func(ctx context.Context, c Command) ([]byte, []byte, error) {
		text := strings.Join(append([]string{filepath.Base(c.Args[0])}, c.Args[1:]...), " ")
		*list = append(*list, text)
		return executor(drainDelay)(ctx, c)
	}
	return list
}

// Two studies of one command share what is built.
func TestVariantIsBuiltOnce(t *testing.T) {
	t.Parallel()
	repo := tree(t, t.TempDir(), answer("x"))
	head := commit(t, repo, "one")
	b := newBuilder(t, repo)
	ran := commands(b)
	for range 2 {
		v := open(t, b, head)
		build(t, v, 0)
		wantIn(t, output(t, build(t, v, 5)), "answer x")
		v.Release("example.com/answer", 5)
	}
	for _, command := range []string{"go test", "go list"} {
		if all := slices.DeleteFunc(slices.Clone(*ran), func(c string) bool { return !strings.HasPrefix(c, command) }); len(all) != 1 {
			t.Errorf("%d runs of %s: %q", len(all), command, all)
		}
	}
}

// linkCommands counts the runs of the linker, by the recorded command or by go.
func linkCommands(ran []string) (n int) {
	for _, c := range ran {
		if strings.HasPrefix(c, "link ") || strings.HasPrefix(c, "go test") && !strings.Contains(c, noLink) {
			n++
		}
	}
	return n
}

// Machine code is compared without a link. The binary that is linked later equals
// the binary of go test -c.
func TestCompileLinksNothing(t *testing.T) {
	t.Parallel()
	b := newBuilder(t, tree(t, t.TempDir(), answer("x")))
	v := open(t, b, ".")
	if _, err := v.Packages(t.Context()); err != nil {
		t.Fatal(err)
	}
	ran := commands(b)
	if err := v.Compile(t.Context(), "example.com/answer"); err != nil {
		t.Fatal(err)
	}
	if _, _, _, ok := v.Link("example.com/answer"); !ok {
		t.Error("the code of a compiled package cannot be read")
	}
	if n := linkCommands(*ran); n != 0 {
		t.Errorf("%d links to compile: %q", n, *ran)
	}
	binary := build(t, v, 0)
	if n := linkCommands(*ran); n != 1 {
		t.Errorf("%d links of one binary: %q", n, *ran)
	}
	wantIn(t, output(t, binary), "answer x")
	direct := functions(t, binary)
	v.tests["example.com/answer"].kit.broken.Store(true)
	v.tests["example.com/answer"].layouts = make(map[uint64]*layout)
	if functions(t, build(t, v, 0)) != direct {
		t.Error("go test -c puts the functions elsewhere than the recorded command")
	}
}

// A kit that cannot link any more (go cleaned its cache) is no failure.
func TestRelinkFallsBackToGo(t *testing.T) {
	t.Parallel()
	b := newBuilder(t, tree(t, t.TempDir(), answer("x")))
	v := open(t, b, ".")
	build(t, v, 0)
	kit := v.tests["example.com/answer"].kit
	if kit == nil {
		t.Fatal("the linker's command was not recorded")
	}
	build(t, v, 1)
	if kit.broken.Load() {
		t.Fatal("the recorded command failed")
	}
	direct := functions(t, build(t, v, 2))
	kit.broken.Store(true)
	v.tests["example.com/answer"].layouts = make(map[uint64]*layout)
	if functions(t, build(t, v, 2)) != direct {
		t.Error("go test -c puts the functions elsewhere than the recorded command")
	}
	kit.broken.Store(false)
	kit.Args = append([]string{"-no-such-flag"}, kit.Args...)
	wantIn(t, output(t, build(t, v, 3)), "answer x")
	if !kit.broken.Load() {
		t.Error("the broken kit is used again")
	}
}

// functions lists the functions of a binary with their addresses and sizes.
// Data may lie elsewhere: go test -c notes its -ldflags in it.
func functions(t *testing.T, b Binary) string {
	t.Helper()
	out, err := exec.Command("go", "tool", "nm", "-n", "-size", b.Path).Output()
	if err != nil {
		t.Fatal(err)
	}
	var list strings.Builder
	for line := range strings.Lines(string(out)) {
		if fields := strings.Fields(line); len(fields) == 4 && strings.EqualFold(fields[2], "t") {
			list.WriteString(line)
		}
	}
	if list.Len() == 0 {
		t.Fatal("no functions")
	}
	return list.String()
}

func TestLayoutsDiffer(t *testing.T) {
	t.Parallel()
	b := newBuilder(t, tree(t, t.TempDir(), answer("x")))
	v := open(t, b, ".")
	seen := make(map[string]uint64)
	for _, seed := range []uint64{0, 1, 2, 3} {
		binary := build(t, v, seed)
		list := functions(t, binary)
		if other, ok := seen[list]; ok {
			t.Errorf("seeds %d and %d give one layout", other, seed)
		}
		seen[list] = seed
	}
}

func TestKeepAndRunLater(t *testing.T) {
	t.Parallel()
	repo := tree(t, t.TempDir(), answer("old"))
	head := commit(t, repo, "one")
	b := newBuilder(t, repo)
	binary := build(t, open(t, b, head+",env=GOGC=50"), 9)
	folder := tree(t, t.TempDir(), nil)
	path, err := Keep(binary, folder, "old.test")
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	b = newBuilder(t, folder)
	v := open(t, b, "bin=old.test,env=GODEBUG=gctrace=0")
	kept := build(t, v, 4)
	if kept.Path != path || kept.Dir != repo || !kept.Overlaid || kept.Layout != 9 || v.GoVersion == "" {
		t.Errorf("kept: %+v", kept)
	}
	if want := []string{"GOGC=50", "GODEBUG=gctrace=0"}; !slices.Equal(kept.Env, want) {
		t.Errorf("environment %q, want %q", kept.Env, want)
	}
	wantIn(t, output(t, kept), "answer old")

	// Without its note and its folder it still says what it is.
	os.Remove(path + noteSuffix)
	bare := build(t, open(t, b, "bin=old.test"), 0)
	if bare.Pkg != "example.com/answer" || bare.Dir != folder || !bare.Overlaid {
		t.Errorf("bare: %+v", bare)
	}
	tree(t, folder, map[string]string{"no.test": "no"})
	for text, want := range map[string]string{"bin=gone.test": "no such file", "bin=no.test": "not a Go binary", "bin=" + goCommandPath(t): "not a test binary"} {
		spec, _ := Parse(text)
		if _, err := b.Open(t.Context(), spec); err == nil {
			t.Errorf("%s was opened", text)
		} else {
			wantIn(t, err.Error(), want)
		}
	}
}

func goCommandPath(t *testing.T) string {
	t.Helper()
	path, err := exec.LookPath("go")
	if err != nil {
		t.Skip(err)
	}
	return path
}

func TestUsersOverlayIsMerged(t *testing.T) {
	repo := tree(t, t.TempDir(), answer("committed"))
	head := commit(t, repo, "one")
	tree(t, repo, map[string]string{
		"other.txt":    "package answer\n\nfunc Answer() string { return \"overlaid\" }\n",
		"overlay.json": `{"Replace": {"a.go": "other.txt"}}`,
	})
	for _, give := range []string{"flag", "GOFLAGS"} {
		b := newBuilder(t, repo)
		if give == "flag" {
			b.Flags = []string{"-overlay=overlay.json"}
		} else {
			t.Setenv("GOFLAGS", "-buildvcs=false -overlay=overlay.json")
		}
		for _, text := range []string{".", head} {
			binary := build(t, open(t, b, text), 2)
			if !binary.Overlaid {
				t.Errorf("%s by %s: %s", text, give, binary.WhyNot)
			}
			wantIn(t, output(t, binary), "answer overlaid")
		}
	}
}

func TestUnknownShapeOfTestingBuildsPlain(t *testing.T) {
	t.Parallel()
	b := newBuilder(t, tree(t, t.TempDir(), answer("x")))
	b.Generate = func(goroot, dir string) (*overlay.Overlay, error) {
		return nil, &overlay.ShapeError{GoVersion: "go1.99", What: "struct B has no field loop"}
	}
	binary := build(t, open(t, b, "."), 1)
	if binary.Overlaid {
		t.Error("it says that testing is ours")
	}
	wantIn(t, binary.WhyNot, "go1.99", "no field loop")
	wantIn(t, output(t, binary), "answer x")
	b.Generate = func(goroot, dir string) (*overlay.Overlay, error) { return nil, errors.New("disk full") }
	spec, _ := Parse(".,tags=b")
	if _, err := b.Open(t.Context(), spec); err == nil {
		t.Error("a full disk was taken for an unknown shape")
	}
}

// TestWindowsBuildsPlain: what the overlay adds to package testing does not
// compile there.
func TestWindowsBuildsPlain(t *testing.T) {
	t.Parallel()
	b := newBuilder(t, tree(t, t.TempDir(), answer("x")))
	b.Exec = func(ctx context.Context, c Command) (stdout, stderr []byte, err error) {
		if slices.Contains(c.Args, "main.go") || filepath.Base(c.Args[0]) == "main.exe" {
			return nil, nil, nil // as if it ran here
		}
		return executor(drainDelay)(ctx, c)
	}
	v := open(t, b, ".,env=GOOS=windows")
	if v.overlay.key != "" || len(v.overlay.replace) != 0 {
		t.Errorf("package testing of Windows is replaced: %v", v.overlay.replace)
	}
	wantIn(t, v.overlay.whyNot, "Windows")
}

func TestOneSidedPackages(t *testing.T) {
	t.Parallel()
	repo := tree(t, t.TempDir(), answer("x"))
	tree(t, repo, map[string]string{"gone/g.go": "package gone\n", "gone/g_test.go": "package gone\n", "plain/p.go": "package plain\n"})
	head := commit(t, repo, "one")
	os.RemoveAll(filepath.Join(repo, "gone"))
	tree(t, repo, map[string]string{"came/c.go": "package came\n", "came/c_test.go": "package came\n\nimport \"testing\"\n\nfunc BenchmarkC(b *testing.B) {}\n"})
	b := newBuilder(t, repo)
	for text, want := range map[string]string{head: "answer gone plain", ".": "answer came plain"} {
		v := open(t, b, text)
		packages, err := v.Packages(t.Context(), "./...")
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, p := range packages {
			names = append(names, filepath.Base(p.Path))
			if p.Benchmarks != (p.Path != "example.com/answer/plain" && p.Path != "example.com/answer/gone") {
				t.Errorf("%+v", p)
			}
			binary, err := v.Build(t.Context(), p.Path, 3)
			if errors.Is(err, ErrNoTests) != (filepath.Base(p.Path) == "plain") {
				t.Errorf("%s: %v", p.Path, err)
			}
			if p.Benchmarks {
				wantIn(t, output(t, binary), "pkg: "+p.Path+"\n")
			}
		}
		if got := strings.Join(names, " "); got != want {
			t.Errorf("%s has %s, want %s", text, got, want)
		}
	}
	if _, err := open(t, b, ".").Build(t.Context(), "example.com/answer/gone", 0); !errors.Is(err, ErrNoPackage) {
		t.Errorf("a package of the other side: %v", err)
	}
	// A directory that only one side has, by pattern and as the place to stand.
	if packages, err := open(t, b, head).Packages(t.Context(), "./came"); err != nil || len(packages) != 0 {
		t.Errorf("%v %v", packages, err)
	}
	inside := newBuilder(t, filepath.Join(repo, "came"))
	if packages, err := open(t, inside, head).Packages(t.Context()); err != nil || len(packages) != 0 {
		t.Errorf("%v %v", packages, err)
	}
	if packages, err := open(t, inside, ".").Packages(t.Context()); err != nil || len(packages) != 1 {
		t.Errorf("%v %v", packages, err)
	}
}

func TestGeneratedFilesThatGitDoesNotTrack(t *testing.T) {
	t.Parallel()
	repo := tree(t, t.TempDir(), answer("x"))
	tree(t, repo, map[string]string{".gitignore": "*.pb.go\n", "a.go": "package answer\n\nfunc Answer() string { return generated }\n"})
	head := commit(t, repo, "one")
	tree(t, repo, map[string]string{"a.pb.go": "package answer\n\nconst generated = \"generated\"\n"})
	b := newBuilder(t, repo)
	wantIn(t, output(t, build(t, open(t, b, "."), 0)), "answer generated")
	v := open(t, b, head)
	if _, err := v.Packages(t.Context()); err != nil {
		t.Fatal(err)
	}
	_, err := v.Build(t.Context(), "example.com/answer", 0)
	if err == nil {
		t.Fatal("it built")
	}
	wantIn(t, err.Error(), "compile "+head, "undefined: generated", "git does not track a.pb.go")
}

func TestRevisionsThatAreNotThere(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	repo := tree(t, filepath.Join(root, "repo"), answer("x"))
	first := commit(t, repo, "one")
	tree(t, repo, answer("y"))
	commit(t, repo, "two")
	git(t, repo, "tag", "release-1")
	git(t, root, "clone", "-q", "--depth=1", "file://"+filepath.ToSlash(repo), "shallow")
	branch, other := "master", "main"
	git(t, repo, "branch", "-M", branch)
	bare := tree(t, filepath.Join(root, "without git"), answer("z"))
	for _, c := range []struct{ dir, revision, want string }{
		{repo, "no-such-branch", "git finds no commit no-such-branch"},
		{repo, "HEAD:a.go", "git finds no commit"},
		{repo, other, "did you mean " + branch + "?"},
		{repo, "relase-1", "did you mean release-1?"},
		{repo, "HEAD,tests=relase-1", "did you mean release-1?"},
		{filepath.Join(root, "shallow"), first, "git fetch --unshallow"},
		{bare, "HEAD", "a revision needs git"},
	} {
		spec, err := Parse(c.revision)
		if err != nil {
			t.Fatal(err)
		}
		b := newBuilder(t, c.dir)
		if _, err := b.Open(t.Context(), spec); err == nil {
			t.Errorf("%s was opened in %s", c.revision, c.dir)
		} else {
			wantIn(t, err.Error(), c.want, "find revision")
			if early := Check(t.Context(), c.dir, []Spec{spec}, nil); early == nil || early.Error() != err.Error() {
				t.Errorf("%s: before the builds %v, then %v", c.revision, early, err)
			}
		}
	}
	wantIn(t, output(t, build(t, open(t, newBuilder(t, bare), "."), 1)), "answer z")
}

// Toolchains come through the module proxy; those that are here already are
// tried, and none is downloaded unless asked for.
func TestToolchains(t *testing.T) {
	t.Parallel()
	out, err := exec.Command("go", "env", "GOMODCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	repo := tree(t, t.TempDir(), answer("x"))
	tree(t, repo, map[string]string{"go.mod": "module example.com/answer\n\ngo 1.24\n"})
	head := commit(t, repo, "one")
	b := newBuilder(t, repo)
	tried := 0
	for _, version := range []string{"1.25.3", "1.27.1"} {
		if there, _ := filepath.Glob(filepath.Join(strings.TrimSpace(string(out)), "golang.org", "toolchain@*go"+version+".*")); len(there) == 0 && !lab.Long {
			continue
		}
		tried++
		v := open(t, b, head+",go="+version)
		if v.GoVersion != "go"+version {
			t.Errorf("go=%s gave %s", version, v.GoVersion)
		}
		binary := build(t, v, 3)
		if !binary.Overlaid {
			t.Errorf("go=%s: %s", version, binary.WhyNot)
		}
		wantIn(t, output(t, binary), "answer x")
	}
	if tried == 0 {
		t.Skip("no other toolchain is here; -tags lab downloads go1.25.3 and go1.27.1")
	}
	spec, _ := Parse(".,go=1.23.999")
	if _, err := b.Open(t.Context(), spec); err == nil {
		t.Error("a toolchain that was never released was opened")
	} else {
		wantIn(t, err.Error(), "find toolchain", "1.23.999")
	}
}
