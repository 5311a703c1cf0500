package lockstep

import (
	"math"
	"slices"
	"testing"

	"github.com/tarebench/tare/internal/result"
)

// TestSpreadCollections: what garbage costs is charged to the side that makes
// it, whatever part of a collection runs after the slice that began it.
func TestSpreadCollections(t *testing.T) {
	// One slice in twenty of the new side has a collection that costs as much
	// as the slice, half of it after the slice.
	rounds := func(every int) (out []result.Round) {
		for i := range 200 {
			old, new := result.Slice{N: 100, Raw: 1e5}, result.Slice{N: 100, Raw: 1e5}
			if i%every == every/2 {
				new.Raw, new.Settle, new.Collected = 1.5e5, 0.5e5, true
			}
			if i == every/2 {
				new.Raw = 9e6 // interrupted too
			}
			out = append(out, result.Round{Slices: []result.Slice{old, new}})
		}
		return out
	}
	before := rounds(20)
	got := spreadCollections(before, []int{0, 1})
	if len(got) != 190 {
		t.Fatalf("%d rounds without a collection, want 190", len(got))
	}
	// Nine at 1e5 and the interrupted one at four times as much.
	want := 1 + (9*1e5+4e5)/(200*1e5)
	for i, r := range got {
		if r.Slices[0].Raw != 1e5 || math.Abs(r.Slices[1].Raw/1e5-want) > 1e-9 {
			t.Fatalf("round %d: %v and %v, want 1e5 and %v", i, r.Slices[0].Raw, r.Slices[1].Raw, want*1e5)
		}
	}
	if before[0].Slices[1].Raw != 1e5 {
		t.Error("the recording itself was changed")
	}
	// The sides exchanged give the results exchanged.
	swapped := rounds(20)
	for _, r := range swapped {
		slices.Reverse(r.Slices)
	}
	if r := spreadCollections(swapped, []int{0, 1})[0]; r.Slices[0].Raw != got[0].Slices[1].Raw || r.Slices[1].Raw != got[0].Slices[0].Raw {
		t.Errorf("swapped: %+v", r.Slices)
	}
	// Slices that hold collections anyway stay as they are.
	if often := spreadCollections(rounds(2), []int{0, 1}); len(often) != 200 || often[3].Slices[1].Raw != 1.5e5 {
		t.Errorf("%d rounds where every second has a collection", len(often))
	}
	if none := spreadCollections(rounds(20), []int{0}); len(none) != 200 {
		t.Errorf("%d rounds of a side without collections", len(none))
	}
}
