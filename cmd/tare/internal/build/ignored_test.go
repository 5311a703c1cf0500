package build

import (
	"os"
	"path/filepath"
	"testing"
)

func TestIgnoredFilesThatGoTestNeeds(t *testing.T) {
	t.Parallel()
	repo := tree(t, t.TempDir(), map[string]string{
		"go.mod":     "module example.com/web\n\ngo 1.25\n",
		".gitignore": "dist/\n*.bin\nnode_modules/\n",
		"ui/web.go":  "package ui\n\nimport \"embed\"\n\n//go:embed all:dist other/*.txt\nvar Dist embed.FS\n",
		"ui/web_test.go": `package ui

import (
	"os"
	"testing"
)

func BenchmarkDist(b *testing.B) {
	page, err := Dist.ReadFile("dist/sub/page.html")
	data, err2 := os.ReadFile("testdata/corpus.bin")
	b.Log("said ", string(page), string(data), err, err2)
}
`,
		"ui/other/a.txt": "a",
	})
	head := commit(t, repo, "one")
	tree(t, repo, map[string]string{"ui/dist/sub/page.html": "page", "ui/testdata/corpus.bin": "corpus", "node_modules/a/b.js": "x"})
	if err := os.Symlink(filepath.Join(repo, "ui/testdata/corpus.bin"), filepath.Join(repo, "ui/testdata/link.bin")); err != nil {
		t.Skip(err)
	}
	v := open(t, newBuilder(t, filepath.Join(repo, "ui")), head)
	wantIn(t, output(t, build(t, v, 3)), "said  page corpus <nil> <nil>")
	var named []string
	for _, f := range v.Findings {
		named = append(named, f.String())
	}
	if len(named) != 2 {
		t.Fatalf("findings: %q", named)
	}
	wantIn(t, named[0], "dist is ignored by git")
	wantIn(t, named[1], "testdata")
	if exists(v.source.place(filepath.Join(repo, "node_modules"))) {
		t.Error("node_modules was copied, which go test does not read")
	}
}

func TestOverlaps(t *testing.T) {
	for _, c := range []struct {
		pattern, path []string
		want          bool
	}{
		{[]string{"ui", "dist"}, []string{"ui", "dist"}, true},
		{[]string{"ui", "dist"}, []string{"ui"}, true},
		{[]string{"ui", "*.html"}, []string{"ui", "a.html"}, true},
		{[]string{"ui", "d*"}, []string{"ui", "dist", "a"}, true},
		{[]string{"ui", "dist"}, []string{"ui", "build"}, false},
		{[]string{"ui", "[z"}, []string{"ui", "z"}, false},
	} {
		if got := overlaps(c.pattern, c.path); got != c.want {
			t.Errorf("overlaps(%q, %q) = %v", c.pattern, c.path, got)
		}
	}
}
