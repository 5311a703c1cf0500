package words

import (
	"testing"

	"pgregory.net/rapid"
)

func TestNearest(t *testing.T) {
	verbs := []string{"run", "compare", "stat", "show", "doctor", "lint", "lock", "selftest", "version"}
	for typed, want := range map[string]string{
		"comapre": "compare", "compar": "compare", "shwo": "show", "stta": "stat", "docter": "doctor", "lokc": "lock",
		"versoin": "version", "rnu": "run", "man": "", "x": "", "frobnicate": "", "": "",
	} {
		if got := Nearest(typed, verbs); got != want {
			t.Errorf("Nearest(%q) = %q, want %q", typed, got, want)
		}
	}
}

// TestDistance checks the properties of a distance, and single edits.
func TestDistance(t *testing.T) {
	word := rapid.StringMatching(`[a-d]{0,6}`)
	rapid.Check(t, func(t *rapid.T) {
		a, b := word.Draw(t, "a"), word.Draw(t, "b")
		d := distance(a, b)
		if d != distance(b, a) || (d == 0) != (a == b) || d > max(len(a), len(b)) || d < len(a)-len(b) {
			t.Fatalf("distance(%q, %q) = %d", a, b, d)
		}
		i := rapid.IntRange(0, len(a)).Draw(t, "at")
		if got := distance(a, a[:i]+"z"+a[i:]); got != 1 {
			t.Fatalf("one letter more in %q is at a distance of %d", a, got)
		}
		if i+2 <= len(a) && a[i] != a[i+1] {
			if got := distance(a, a[:i]+a[i+1:i+2]+a[i:i+1]+a[i+2:]); got != 1 {
				t.Fatalf("two letters of %q exchanged are at a distance of %d", a, got)
			}
		}
	})
}
