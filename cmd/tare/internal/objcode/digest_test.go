package objcode

import (
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/tools/txtar"
)

// Lines, comments and tests do not change the digest. Code, data and another
// benchmark do.
func TestDigest(t *testing.T) {
	const module = `
-- go.mod --
module example.com/m

go 1.24
-- m.go --
package m

func work(n int) int {
	defer func() { recover() }()
	return n * 3
}
-- m_test.go --
package m

import "testing"

var text = "text"

func BenchmarkWork(b *testing.B) {
	for i := range b.N {
		work(i + len(text))
	}
}
`
	dir := unpack(t, txtar.Parse([]byte(module)).Files)
	digest := func() string {
		t.Helper()
		d, err := compile(t, new(Reader), dir, ".").Digest()
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	first := digest()
	for _, change := range []struct {
		file, text string
		same       bool
	}{
		{"m.go", "// Package m.\npackage m\n\n// work works.\n\n\nfunc work(n int) int {\n\tdefer func() { recover() }()\n\n\treturn n * 3\n}\n", true},
		{"m.go", "package m\n\nfunc work(n int) int {\n\tdefer func() { recover() }()\n\treturn n * 5\n}\n", false},
		{"m_test.go", "package m\n\nimport \"testing\"\n\nvar text = \"other\"\n\nfunc BenchmarkWork(b *testing.B) {\n\tfor i := range b.N {\n\t\twork(i + len(text))\n\t}\n}\n", false},
		{"tests_test.go", "package m\n\nimport \"testing\"\n\nfunc TestWork(t *testing.T) {\n\tif work(1) == 4 {\n\t\tt.Error(helper(2))\n\t}\n}\n\nfunc helper(n int) int { return n * n }\n\nfunc FuzzWork(f *testing.F) { f.Add(1) }\n", true},
		{"more_test.go", "package m\n\nimport \"testing\"\n\nfunc BenchmarkMore(b *testing.B) {\n\tfor i := range b.N {\n\t\twork(i)\n\t}\n}\n", false},
	} {
		path := filepath.Join(dir, change.file)
		before, _ := os.ReadFile(path) // nil for a new file
		if err := os.WriteFile(path, []byte(change.text), 0o666); err != nil {
			t.Fatal(err)
		}
		if same := digest() == first; same != change.same {
			t.Errorf("%s is changed to %q: the digest is the same: %v", change.file, change.text, same)
		}
		if err := os.WriteFile(path, before, 0o666); err != nil {
			t.Fatal(err)
		}
		if before == nil {
			os.Remove(path)
		}
	}
	if digest() != first {
		t.Error("the same files have another digest")
	}
}
