package session

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tarebench/tare/cmd/tare/internal/build"
)

func TestFilesOf(t *testing.T) {
	for _, test := range []struct {
		log  string
		want []string
		ok   bool
	}{
		{"# test log\n", nil, true},
		{"# test log\ngetenv HOME\nopen testdata/x\nstat y\nopen /etc/hosts\n", []string{"pkg/testdata/x", "pkg/y"}, true},
		{"# test log\nopen ../z\nopen /src/pkg/w\n", []string{"z", "pkg/w"}, true},
		{"# test log\nchdir sub\nopen a b\n", []string{"pkg/sub", "pkg/sub/a b"}, true},
		{"# test log\nopen ../../elsewhere\n", nil, false},
		{"# test log\nopen testdata/x\nop", nil, false},
		{"# test log\nmmap x\n", nil, false},
		{"", nil, false},
	} {
		if runtime.GOOS == "windows" {
			test.log = strings.ReplaceAll(strings.ReplaceAll(test.log, "/etc", `D:\etc`), "/src", `C:\src`)
		}
		root := map[bool]string{true: `C:\src`, false: "/src"}[runtime.GOOS == "windows"]
		got, ok := filesOf(test.log, filepath.Join(root, "pkg"), root)
		for i, file := range got {
			got[i] = filepath.ToSlash(file)
		}
		if ok != test.ok || ok && !cmp.Equal(got, test.want) {
			t.Errorf("%q: %q, %t; want %q, %t", test.log, got, ok, test.want, test.ok)
		}
	}
}

func TestDigest(t *testing.T) {
	dir := t.TempDir()
	write := func(name, content string) string {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	sum := func(path string) string {
		t.Helper()
		s, ok := digest(path)
		if !ok {
			t.Fatalf("%s has no digest", path)
		}
		return s
	}
	a, b := write("a/x", "one"), write("b/x", "two")
	if sum(a) == sum(b) {
		t.Error("files of one size and another content are the same")
	}
	if sum(a) != sum(write("c/x", "one")) {
		t.Error("two copies differ")
	}
	if sum(filepath.Join(dir, "a")) != sum(filepath.Join(dir, "b")) {
		t.Error("folders with the same names and sizes differ")
	}
	write("b/y", "")
	if sum(filepath.Join(dir, "a")) == sum(filepath.Join(dir, "b")) {
		t.Error("a file more in a folder is not seen")
	}
	if sum(filepath.Join(dir, "none")) == sum(a) {
		t.Error("a file that is not there is one that is")
	}
	if _, ok := digest(os.DevNull); ok {
		t.Error("a device has a digest")
	}
}

// TestSameSpec checks which variants name the same thing: those are measured.
func TestSameSpec(t *testing.T) {
	parse := func(text string) build.Spec {
		t.Helper()
		s, err := build.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	for _, test := range []struct {
		a, b string
		want bool
	}{
		{".", ".", true}, {"HEAD", "HEAD", true}, {"HEAD~1", "HEAD", false},
		{".,env=A=1", ".,env=A=1", true}, {".,env=A=1", ".", false}, {".,tags=x", ".", false}, {".,flags=-race", ".", false},
	} {
		if got := sameSpec(parse(test.a), parse(test.b)); got != test.want {
			t.Errorf("sameSpec(%s, %s) = %t", test.a, test.b, got)
		}
	}
}
