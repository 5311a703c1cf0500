//go:build lab

package main

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestReleaseTwice: two runs give the same bytes, in another folder too. The
// checksums are those of the files, and no file of a package manager has
// another.
func TestReleaseTwice(t *testing.T) {
	t.Chdir("../..")
	read := func() map[string]string {
		folder := t.TempDir()
		if err := release([]string{"v0.0.1", folder, "linux/amd64", "windows/amd64"}); err != nil {
			t.Fatal(err)
		}
		files := make(map[string]string)
		for _, path := range must(filepath.Glob(filepath.Join(folder, "*"))) {
			files[filepath.Base(path)] = string(must(os.ReadFile(path)))
		}
		return files
	}
	first, again := read(), read()
	for _, name := range slices.Sorted(maps.Keys(first)) {
		if first[name] != again[name] {
			t.Errorf("%s differs in the second run", name)
		}
	}
	for line := range strings.Lines(first["SHA256SUMS"]) {
		f := strings.Fields(line)
		if digest([]byte(first[f[1]])) != f[0] {
			t.Errorf("checksum of %s is not that of the file", f[1])
		}
		if strings.Contains(f[1], "linux") {
			for _, name := range []string{"tare.rb", "flake.nix"} {
				if !strings.Contains(first[name], f[0]) || !strings.Contains(first[name], f[1]) {
					t.Errorf("%s lacks %s", name, f[1])
				}
			}
		}
	}
	if !json.Valid([]byte(first["tare_0.0.1.spdx.json"])) {
		t.Error("the bill of materials is no JSON")
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
