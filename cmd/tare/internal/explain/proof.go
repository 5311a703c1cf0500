package explain

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/tarebench/tare/cmd/tare/internal/result"
)

// Proof is what another measurement, with something taken away, shows of it.
type Proof struct {
	// Flip is what was taken away, and how.
	Flip Flip `json:"flip"`
	// File is the file that was taken back (OldFile).
	File string `json:"file,omitempty"`
	// Explained is what was taken away accounts for, with its 95% interval, and
	// Of is the whole change: both relative to the time of the first variant, so
	// that parts add up.
	Explained float64 `json:"explained"`
	Lo        float64 `json:"lo"`
	Hi        float64 `json:"hi"`
	Of        float64 `json:"of"`
	// Together is how many causes were taken away at once, where it is more than
	// one: none of them is proved alone.
	Together int `json:"together,omitempty"`
	// Verdict is what that says of the cause, and Cause is true where it is
	// proved.
	Verdict Role `json:"verdict"`
	Cause   bool `json:"cause"`
}

// Flip is a way to take one thing away. Its text is part of the JSON output.
type Flip string

// The flips. All but OldFile change one mechanism alone: only these prove or
// refute a [Cause].
const (
	Inlined     Flip = "inlined"       // the call is inlined in the new variant, by a profile of this call alone
	NotInlined  Flip = "noinline"      // the call is not inlined in the variant that inlines it
	NoCollector Flip = "collector-off" // GOGC=off on both sides
	NoBounds    Flip = "bounds-off"    // no bounds checks in the package on either side
	NoProfile   Flip = "pgo-off"       // no profile-guided optimization on either side
	NoCallSite  Flip = "pgo-site-off"  // the profile does not count where one function calls another
	OrderHeld   Flip = "order-held"    // the linker's own function order on both sides
	OldFile     Flip = "old-file"      // a file is taken back to what it was
)

// Role is what part a cause has in a change. Its text is part of the JSON
// output.
type Role string

const (
	// Proved is a cause that accounts for the change: for provedShare of it at
	// least, and with its whole interval for causeShare.
	Proved Role = "proved"
	// InPart is a cause that accounts for a part: its interval excludes none.
	InPart Role = "in-part"
	// NotCause accounts for less than causeShare with its whole interval.
	NotCause Role = "not-the-cause"
	// Excess accounts for more than the whole change: something else differs with
	// it, and nothing is known.
	Excess Role = "excess"
	// Unclear is all else: the interval is too wide.
	Unclear Role = "undecided"
)

// The shares of a change from which on something has a part in it, is the
// greater part, accounts for it, and accounts for more than there is.
const (
	partShare   = 0.1
	causeShare  = 0.5
	provedShare = 0.8
	excessShare = 1.5
)

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

// ProveOnNew judges a flip of the new variant: part is the change from the
// variant with the flip to the one without. The intervals are of different
// sessions, and add up as independent ones do.
func ProveOnNew(flip Flip, part, whole result.Change) (Proof, bool) {
	w, q := whole.Ratio, part.Ratio
	return proof(flip, w-w/q, math.Hypot(w/q*relative(part), (w-w/q)*relative(whole)), whole)
}

// ProveOnOld judges a flip of the old variant: part is the change from the
// variant without the flip to the one with it.
func ProveOnOld(flip Flip, part, whole result.Change) (Proof, bool) {
	return proof(flip, part.Ratio-1, part.Ratio*relative(part), whole)
}

// ProveByRest judges a flip of both variants: rest is the change between the
// variants with it, and back that from the old variant with it to the old one
// without it. What is left is subtracted as time, not as a ratio: a flip that makes
// both sides slower makes the ratio smaller, whatever the cause.
func ProveByRest(flip Flip, rest, back, whole result.Change) (Proof, bool) {
	left := (rest.Ratio - 1) / back.Ratio // of the old time
	half := math.Hypot(rest.Ratio/back.Ratio*relative(rest), left*relative(back))
	return proof(flip, whole.Ratio-1-left, math.Hypot(whole.Ratio*relative(whole), half), whole)
}

// relative is half of the interval of a change, relative to it.
func relative(c result.Change) float64 { return (math.Log(c.Hi) - math.Log(c.Lo)) / 2 }

// proof says whether there is anything to judge on.
func proof(flip Flip, part, half float64, whole result.Change) (Proof, bool) {
	p := Proof{Flip: flip, Explained: part, Lo: part - half, Hi: part + half, Of: whole.Ratio - 1}
	for _, x := range []float64{p.Lo, p.Hi, p.Of} {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return p, false
		}
	}
	if p.Of == 0 {
		return p, false
	}
	p.judge()
	return p, true
}

// judge compares the part with the whole change.
func (p *Proof) judge() {
	share, lo, hi := p.Explained/p.Of, p.Lo/p.Of, p.Hi/p.Of
	if lo > hi {
		lo, hi = hi, lo
	}
	switch {
	case share > excessShare && p.Flip != OldFile: // others may make up for what a file does
		p.Verdict = Unclear
		if lo > 1 {
			p.Verdict = Excess
		}
	case lo >= causeShare && share >= provedShare:
		p.Verdict = Proved
	case lo > 0 && share >= partShare:
		p.Verdict = InPart
	case hi < causeShare:
		p.Verdict = NotCause
	default:
		p.Verdict = Unclear
	}
	p.Cause = p.Verdict == Proved && p.Together <= 1
}

// With says that other causes went with it.
func (p Proof) With(causes int) Proof {
	if causes > 1 {
		p.Together = causes
	}
	p.judge()
	return p
}

// CollectorAccounts says whether the collector's own time can be the cause of a
// change: that it is at least half of it. Without collections memory is used
// otherwise, too, and more goes with them than their time.
func CollectorAccounts(old, new Running, whole result.Change) bool {
	most := new.Collector*whole.Ratio - old.Collector // of the old time of an operation
	return most > -1 && math.Log1p(most)/math.Log(whole.Ratio) >= causeShare
}

// StillCollects says whether the collector takes time with GOGC=off: a program
// that calls debug.SetGCPercent overrules it.
func StillCollects(sides ...*result.RuntimeCounts) bool {
	return slices.ContainsFunc(sides, func(c *result.RuntimeCounts) bool { return c != nil && c.GCShare >= collectorLimit })
}

// CallsAccount says whether calls that were inlined before can be the cause of a
// change: that at least a quarter of it is spent in them. What the caller does
// more for a call is not in the callee.
func CallsAccount(c Cause, whole result.Change) bool {
	return c.called == nil || *c.called*whole.Ratio >= abs(whole.Ratio-1)/4
}

// ByProof moves proved causes to the front, after them those that account for
// the greater part, and refuted ones to the end.
func ByProof(causes []Cause) {
	place := func(c Cause) int {
		switch p := c.Proof; {
		case p == nil || p.Together > 1:
			return 2
		case p.Cause:
			return 0
		case p.Verdict == InPart && p.Flip != NoBounds && p.Explained/p.Of >= causeShare:
			return 1
		case p.Verdict == NotCause:
			return 3
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
