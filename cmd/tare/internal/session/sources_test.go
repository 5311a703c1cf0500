package session

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// TestChangedDirs: the directories whose packages differ. Tests, comments, space and
// other modules do not count.
func TestChangedDirs(t *testing.T) {
	tree := func(edit map[string]string) string {
		root := t.TempDir()
		files := map[string]string{
			"go.mod": "module m\n", "a.go": "package m\n\nfunc A() int { return 1 }\n", "a_test.go": "package m\n", "b/b.go": "package b\n", "b/b.s": "MOVQ $1, AX\n",
			"c/c.go": "package c\n", "e/e.go": "package e\n", "e/more.go": "package e\n", "other/go.mod": "module o\n", "other/o.go": "package o\n", "testdata/t.go": "package t\n", ".hidden/h.go": "package h\n",
			"vendor/v/v.go": "package v\n", "n.txt": "1",
		}
		for name, text := range edit {
			files[name] = text
		}
		for name, text := range files {
			if text == "" {
				continue
			}
			if err := os.MkdirAll(filepath.Join(root, filepath.Dir(name)), 0o777); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		return root
	}
	old := tree(nil)
	for _, c := range []struct {
		name string
		edit map[string]string
		want []string
	}{
		{"nothing", nil, nil},
		{"a comment and space", map[string]string{"a.go": "// A comment.\npackage m\n\nfunc A() int {\n\treturn 1 // one\n}\n"}, nil},
		{"a number", map[string]string{"a.go": "package m\n\nfunc A() int { return 2 }\n"}, []string{"."}},
		{"a truncated file", map[string]string{"a.go": "package m\n"}, []string{"."}},
		{"assembly, new and removed packages and files", map[string]string{"b/b.s": "MOVQ $2, AX\n", "d/d.go": "package d\n", "c/c.go": "", "e/e.go": ""}, []string{"b", "d", "e"}},
		{"what is not compiled here", map[string]string{"a_test.go": "package x\n", "other/o.go": "package x\n", "testdata/t.go": "package x\n",
			".hidden/h.go": "package x\n", "vendor/v/v.go": "package x\n", "n.txt": "2"}, nil},
	} {
		got := changedDirs(t.Context(), old, tree(c.edit))
		if slices.Sort(got); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
