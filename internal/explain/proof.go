package explain

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/tarebench/tare/internal/result"
)

// Proof is what another measurement, with something taken away, shows of it.
type Proof struct {
	// Flip is what was taken away, and how.
	Flip Flip `json:"flip"`
	// File is the file that was taken back (OldFile).
	File string `json:"file,omitempty"`
	// Explained is the relative change that what was taken away accounts for,
	// with its 95% interval; Of is the whole change, 0 where it is not known.
	Explained float64 `json:"explained"`
	Lo        float64 `json:"lo"`
	Hi        float64 `json:"hi"`
	Of        float64 `json:"of,omitempty"`
	// Cause is true when the interval excludes no change and the part is at
	// least half of Of.
	Cause bool `json:"cause"`
}

// Flip is a way to take one thing away. Its text is part of the JSON output.
type Flip string

// The flips. All but OldFile change one mechanism alone: only these prove or
// refute a [Cause].
const (
	NotInlined  Flip = "noinline"      // the function is not inlined on either side
	NoCollector Flip = "collector-off" // GOGC=off on both sides
	NoBounds    Flip = "bounds-off"    // no bounds checks on either side
	NoProfile   Flip = "pgo-off"       // no profile-guided optimization on either side
	NoCallSite  Flip = "pgo-site-off"  // the profile does not count where one function calls another
	OrderHeld   Flip = "order-held"    // the linker's own function order on both sides
	OldFile     Flip = "old-file"      // a file is taken back to what it was
)

// causeShare is the part of a change from which on something is its cause.
const causeShare = 0.5

// FlipOf is the flip that takes the mechanism of a cause away; empty where none
// does that and nothing else.
func FlipOf(c Cause) Flip {
	switch c.Kind {
	case Inlining:
		return NotInlined
	case Collector:
		return NoCollector
	case Bounds:
		return NoBounds
	case Profile:
		return NoProfile
	case Layout:
		return OrderHeld
	}
	return ""
}

// Prove judges a direct flip: part is the change between the variant without
// and with the mechanism, whole that between the variants.
func Prove(flip Flip, part, whole result.Change) (Proof, bool) {
	p := Proof{Flip: flip, Explained: part.Ratio - 1, Lo: part.Lo - 1, Hi: part.Hi - 1}
	return p, p.judge(whole)
}

// ProveByRest judges a flip that takes the mechanism away from both sides: what
// it accounts for is the whole change without what is left. The intervals are
// of different sessions, and add up as independent ones do, on a logarithmic
// scale.
func ProveByRest(flip Flip, rest, whole result.Change) (Proof, bool) {
	center := math.Log(whole.Ratio) - math.Log(rest.Ratio)
	half := math.Hypot((math.Log(whole.Hi)-math.Log(whole.Lo))/2, (math.Log(rest.Hi)-math.Log(rest.Lo))/2)
	p := Proof{Flip: flip, Explained: math.Exp(center) - 1, Lo: math.Exp(center-half) - 1, Hi: math.Exp(center+half) - 1}
	return p, p.judge(whole)
}

// judge decides, and says whether there was anything to decide on.
func (p *Proof) judge(whole result.Change) bool {
	if math.IsNaN(p.Explained) || math.IsNaN(p.Lo) || math.IsNaN(p.Hi) {
		return false
	}
	p.Cause = p.Lo > 0 || p.Hi < 0
	if !math.IsNaN(whole.Ratio) && whole.Ratio > 0 && whole.Ratio != 1 {
		p.Of = whole.Ratio - 1
		part := math.Log1p(p.Explained) / math.Log(whole.Ratio)
		p.Cause = p.Cause && part >= causeShare
	}
	return true
}

// CollectorAccounts says whether the collector's own time can be the cause of a
// change: that it is at least half of it. Without collections memory is used
// otherwise, too, and more goes with them than their time.
func CollectorAccounts(old, new Running, whole result.Change) bool {
	most := new.Collector*whole.Ratio - old.Collector // of the old time of an operation
	return most > -1 && math.Log1p(most)/math.Log(whole.Ratio) >= causeShare
}

// ByProof moves proved causes to the front and refuted ones to the end.
func ByProof(causes []Cause) {
	place := func(c Cause) int {
		switch {
		case c.Proof == nil:
			return 1
		case c.Proof.Cause:
			return 0
		}
		return 2
	}
	slices.SortStableFunc(causes, func(a, b Cause) int { return cmp.Compare(place(a), place(b)) })
}

// Orders is how much the change of a benchmark differs between function orders,
// each of which is a block of its own.
type Orders struct {
	// N is the number of orders, Lo and Hi are the least and the greatest
	// relative change (0.03 is +3%), SD is the standard deviation.
	N  int     `json:"n"`
	Lo float64 `json:"lo"`
	Hi float64 `json:"hi"`
	SD float64 `json:"sd"`
}

// OverOrders sums up the logarithms of the ratios new/old of blocks; nil for
// fewer than two.
func OverOrders(ratios []float64) *Orders {
	n := float64(len(ratios))
	if n < 2 {
		return nil
	}
	mean, squares := 0.0, 0.0
	for _, x := range ratios {
		mean += x / n
	}
	for _, x := range ratios {
		squares += (x - mean) * (x - mean)
	}
	return &Orders{N: len(ratios), Lo: math.Expm1(slices.Min(ratios)), Hi: math.Expm1(slices.Max(ratios)), SD: math.Sqrt(squares / (n - 1))}
}

func (o Orders) String() string {
	return fmt.Sprintf("over %d function orders the change is %+.1f%% to %+.1f%%, with a standard deviation of %.1f%%", o.N, 100*o.Lo, 100*o.Hi, 100*o.SD)
}
