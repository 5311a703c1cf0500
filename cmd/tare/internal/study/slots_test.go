package study

import (
	"os"
	"path/filepath"
	"testing"
)

// TestSlots: every variant runs from a copy of its own file, in a directory that
// the block draws, and all paths are equally long.
func TestSlots(t *testing.T) {
	scratch, from := t.TempDir(), t.TempDir()
	base := make(map[int]Binary)
	for v, name := range []string{"old", "a-new-one"} {
		base[v] = Binary{Path: filepath.Join(from, name), Dir: name}
		if err := os.WriteFile(base[v].Path, []byte(name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	l := &links{pkg: "example.org/m/p", draws: draws{Seed: 1, Variants: 2}, base: base, scratch: scratch, made: make(map[int]*linkSet), copied: make(map[int]*linkSet)}
	first := 0 // blocks in which the old side has the first slot
	const blocks = 100
	for k := range blocks {
		bins, err := l.binaries(t.Context(), k)
		if err != nil {
			t.Fatal(err)
		}
		again, err := l.binaries(t.Context(), k)
		if err != nil || again[0].Path != bins[0].Path {
			t.Fatalf("block %d runs from %s, and then from %s", k, bins[0].Path, again[0].Path)
		}
		for v, bin := range bins {
			if data, err := os.ReadFile(bin.Path); err != nil || string(data) != filepath.Base(base[v].Path) || bin.Dir != base[v].Dir {
				t.Fatalf("variant %d has %q, %v", v, data, err)
			}
		}
		if len(bins[0].Path) != len(bins[1].Path) || bins[0].Path == bins[1].Path {
			t.Fatalf("paths %s and %s", bins[0].Path, bins[1].Path)
		}
		if bins[0].Path < bins[1].Path {
			first++
		}
	}
	// Random choices give less than 30 or more than 70 of 100 once in 20,000 seeds.
	if first < 30 || first > 70 {
		t.Errorf("the old side has the first folder in %d of %d blocks", first, blocks)
	}
	l.close()
	if left, _ := os.ReadDir(scratch); len(left) > 0 {
		t.Errorf("%d folders are left", len(left))
	}
}
