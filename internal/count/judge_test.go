package count

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/tarebench/tare/internal/result"
)

func exactly(v float64) result.Estimate { return result.Estimate{Center: v, Lo: v, Hi: v, N: 2} }

func TestJudge(t *testing.T) {
	tests := []struct {
		name     string
		old, new result.Estimate
		want     result.Verdict
	}{
		{"the same", exactly(1000), exactly(1000), result.Same},
		{"one instruction in 1,000", exactly(1000), exactly(1001), result.Slower},
		{"one fewer in 1,000", exactly(1000), exactly(999), result.Faster},
		{"one in 100,000 is below what repeats", exactly(100_000), exactly(100_001), result.Same},
		{"wide on one side", result.Estimate{Center: 1000, Lo: 990, Hi: 1010, N: 5}, exactly(1005), result.Undecided},
		{"wide and far", result.Estimate{Center: 1000, Lo: 990, Hi: 1010, N: 5}, exactly(1100), result.Slower},
		{"no interval", result.Estimate{Center: 10, Lo: math.NaN(), Hi: math.NaN()}, exactly(11), result.Slower},
		{"none and none", exactly(0), exactly(0), result.Same},
		{"from none", exactly(0), exactly(1), result.Slower},
		{"to none", exactly(1), exactly(0), result.Faster},
		{"unknown", exactly(math.NaN()), exactly(1), result.Undecided},
	}
	for _, tt := range tests {
		if change, got := Judge(tt.old, tt.new, DefaultDelta); got != tt.want {
			t.Errorf("%s: %s (%+v), want %s", tt.name, got, change, tt.want)
		}
	}
}

// TestJudgeMirrors: with the sides swapped the verdict turns around.
func TestJudgeMirrors(t *testing.T) {
	mirror := map[result.Verdict]result.Verdict{
		result.Faster: result.Slower, result.Slower: result.Faster,
		result.Same: result.Same, result.Undecided: result.Undecided,
	}
	estimate := rapid.Custom(func(t *rapid.T) result.Estimate {
		c := rapid.Float64Range(1, 1e9).Draw(t, "centre")
		h := rapid.Float64Range(0, 0.01).Draw(t, "half width") * c
		return result.Estimate{Center: c, Lo: c - h, Hi: c + h, N: 2}
	})
	rapid.Check(t, func(t *rapid.T) {
		old := estimate.Draw(t, "old")
		new := old
		f := rapid.Float64Range(0.99, 1.01).Draw(t, "factor")
		new.Center, new.Lo, new.Hi = f*new.Center, f*new.Lo, f*new.Hi
		change, there := Judge(old, new, DefaultDelta)
		_, back := Judge(new, old, DefaultDelta)
		if mirror[there] != back {
			t.Fatalf("%v, swapped %v (%+v)", there, back, change)
		}
		if !(change.Lo <= change.Ratio && change.Ratio <= change.Hi) {
			t.Fatalf("ratio outside of its interval: %+v", change)
		}
	})
}

func TestDisagreement(t *testing.T) {
	up, down := result.Change{Ratio: 1.05}, result.Change{Ratio: 0.98}
	if f := Disagreement("X", "instructions/op", result.Slower, result.Faster, up, down); f == nil || f.ID != "time-count-disagree" {
		t.Errorf("slower with fewer instructions: %v", f)
	} else if want := "slower in time (+5.00 %) with fewer instructions/op (-2.00 %)"; f.Message != want {
		t.Errorf("message %q, want %q", f.Message, want)
	}
	for _, v := range []result.Verdict{result.Same, result.Undecided, result.Slower} {
		if f := Disagreement("X", "instructions/op", v, result.Slower, up, up); f != nil {
			t.Errorf("%s and slower: %v", v, f)
		}
	}
}
