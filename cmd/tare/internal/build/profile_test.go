package build

import (
	"path/filepath"
	"testing"
)

// TestProfiledPackages: the go command takes default.pgo for package main only,
// and not where -pgo says otherwise.
func TestProfiledPackages(t *testing.T) {
	t.Parallel()
	dir := tree(t, t.TempDir(), map[string]string{
		"go.mod":      "module example.com/m\n\ngo 1.24\n",
		"main.go":     "package main\n\nfunc main() {}\n",
		"m_test.go":   "package main\n\nimport \"testing\"\n\nfunc BenchmarkMain(b *testing.B) {}\n",
		"default.pgo": "",
		"lib/lib.go":  "package lib\n", "lib/default.pgo": "",
		"lib/lib_test.go": "package lib\n\nimport \"testing\"\n\nfunc BenchmarkLib(b *testing.B) {}\n",
	})
	for text, want := range map[string]string{".": filepath.Join(dir, "default.pgo"), ".,flags=-pgo=off": "", ".,flags=-pgo=auto": filepath.Join(dir, "default.pgo")} {
		packages, err := open(t, newBuilder(t, dir), text).Packages(t.Context(), "./...")
		if err != nil || len(packages) != 2 {
			t.Fatalf("%s: packages %v, %v", text, packages, err)
		}
		if got := packages[0].Profile; got != want {
			t.Errorf("%s: main is built with %q, want %q", text, got, want)
		}
		if got := packages[1].Profile; got != "" {
			t.Errorf("%s: lib is built with %q", text, got)
		}
	}
}
