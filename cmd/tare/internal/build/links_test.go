package build

import (
	"os"
	"path/filepath"
	"testing"
)

// A revision may have links to directories of the user. After git has written its
// checkout, tare adds files of the user to it, and writes none behind a link.
func TestNothingIsWrittenBehindLinksOfARevision(t *testing.T) {
	t.Parallel()
	module := func(name string) map[string]string {
		return map[string]string{"go.mod": "module example.com/" + name + "\n\ngo 1.24\n", "x.go": "package x\n"}
	}
	for _, test := range []struct {
		name string
		// mine are ignored files of the user. The revision has a link to victim at
		// link, and files.
		mine, files map[string]string
		link, to    string
	}{
		{"go.work.sum", map[string]string{"go.work": "go 1.24\n\nuse .\n", "go.work.sum": "example.com/x v1.0.0 h1:AAAA\n"}, nil, "go.work.sum", "file"},
		{"go.work", map[string]string{"go.work": "go 1.24\n\nuse .\n"}, nil, "go.work", "missing"},
		{"ignored test data", map[string]string{"lib/l.go": "package lib\n", "lib/testdata/f": "x"}, nil, "lib", "."},
		{"replace", map[string]string{"lib/sub/go.mod": "module example.com/s\n"}, map[string]string{"go.mod": "module example.com/m\n\ngo 1.24\n\nreplace example.com/s => ./lib/sub\n"}, "lib", "."},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			root := t.TempDir()
			victim := tree(t, filepath.Join(root, "victim"), map[string]string{"file": "precious"})
			repo := tree(t, filepath.Join(root, "repo"), module("m"))
			tree(t, repo, test.files)
			if err := os.Symlink(filepath.Join(victim, test.to), filepath.Join(repo, test.link)); err != nil {
				t.Skip(err)
			}
			revision := commit(t, repo, "theirs")
			if err := os.Remove(filepath.Join(repo, test.link)); err != nil {
				t.Fatal(err)
			}
			tree(t, repo, map[string]string{".git/info/exclude": "go.work*\ntestdata\n"})
			tree(t, repo, test.mine)
			before := snapshot(t, victim)
			spec, err := Parse(revision)
			if err != nil {
				t.Fatal(err)
			}
			b := newBuilder(t, repo)
			if v, err := b.Open(t.Context(), spec); err == nil && len(v.Findings) == 0 {
				t.Error("nobody said that something is not there")
			}
			same(t, before, snapshot(t, victim))
		})
	}
}

func TestSubmodulePathIsNoPattern(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	victim := tree(t, filepath.Join(root, "victim"), map[string]string{"s/file": "precious"})
	if !throughLinkTo(t, filepath.Join(root, "r"), victim) {
		t.Error("a link above a submodule was not seen")
	}
}

func throughLinkTo(t *testing.T, root, victim string) bool {
	t.Helper()
	tree(t, root, map[string]string{"d/f": ""})
	if err := os.Symlink(victim, filepath.Join(root, "l*")); err != nil {
		t.Skip(err)
	}
	return throughLink(root, "l*/s") && !throughLink(root, "d/f") && !throughLink(root, "d/new")
}
