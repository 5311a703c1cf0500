package explain

import (
	"cmp"
	"math"
	"slices"

	"github.com/tarebench/tare/cmd/tare/internal/result"
)

// Proof is the result of another measurement, with something removed.
type Proof struct {
	// Flip is the way to remove the mechanism.
	Flip Flip `json:"flip"`
	// File is the restored file (OldFile).
	File string `json:"file,omitempty"`
	// Explained is the part of the change that the removed mechanism causes,
	// with its 95% interval. Of is the whole change. Both are relative to the
	// time of the first variant, so that parts add up.
	Explained float64 `json:"explained"`
	Lo        float64 `json:"lo"`
	Hi        float64 `json:"hi"`
	Of        float64 `json:"of"`
	// Verdict is the conclusion about the cause. Cause is true if it is proved.
	Verdict Role `json:"verdict"`
	Cause   bool `json:"cause"`
}

// Flip is a way to remove one mechanism. Its text is part of the JSON output.
type Flip string

// The flips. All except OldFile change one mechanism, so they prove or refute a
// [Cause].
const (
	NoCollector Flip = "collector-off" // GOGC=off in both variants
	NoProfile   Flip = "pgo-off"       // no profile-guided optimization in either variant
	OrderHeld   Flip = "order-held"    // the linker's own function order in both variants
	OldFile     Flip = "old-file"      // a file is restored from the old variant
)

// Role is the role of a cause in a change. Its text is part of the JSON output.
type Role string

const (
	// Proved is a cause whose whole interval is at least provedShare of the
	// change.
	Proved Role = "proved"
	// InPart is a cause of a part of the change: its interval excludes 0.
	InPart Role = "in-part"
	// NotCause has its whole interval below causeShare.
	NotCause Role = "not-the-cause"
	// Excess explains more than the whole change: something else differs with
	// it, and nothing is proved.
	Excess Role = "excess"
	// Unclear is any other result: the interval is too wide.
	Unclear Role = "undecided"
)

// The least shares of a change of a cause that has a part in it, is the greater
// part, explains it, and explains more than the whole.
const (
	partShare   = 0.1
	causeShare  = 0.5
	provedShare = 0.8
	excessShare = 1.5
)

// flipOf is the flip that removes only the mechanism of a cause. It is empty if
// there is none.
func flipOf(c Cause) Flip {
	switch c.Kind {
	case Collector:
		return NoCollector
	case Profile:
		return NoProfile
	case Layout:
		return OrderHeld
	}
	return ""
}

// proveOnNew judges a flip of the new variant. part is the change from the
// variant with the flip to the variant without. The intervals come from
// different sessions and are independent.
func proveOnNew(flip Flip, part, whole result.Change) (Proof, bool) {
	w, q := whole.Ratio, part.Ratio
	return prove(flip, w-w/q, w-w/q, w/q*relative(part), whole)
}

// proveByRest judges a flip of both variants. rest is the change between the
// variants with it. back is the change from the old variant with it to the old
// one without. The rest is subtracted as time, not as a ratio. A flip that
// makes both variants slower makes the ratio smaller for any cause.
func proveByRest(flip Flip, rest, back, whole result.Change) (Proof, bool) {
	left := (rest.Ratio - 1) / back.Ratio // of the old time
	half := math.Hypot(rest.Ratio/back.Ratio*relative(rest), left*relative(back))
	return prove(flip, whole.Ratio-1-left, whole.Ratio, half, whole)
}

// relative is half of the interval of a change, relative to it.
func relative(c result.Change) float64 { return (math.Log(c.Hi) - math.Log(c.Lo)) / 2 }

// prove judges a part of the whole change. ok is false without numbers. slope
// is the derivative of the part by the logarithm of the whole ratio. half is
// the half-width of the interval from other measurements.
func prove(flip Flip, part, slope, half float64, whole result.Change) (p Proof, ok bool) {
	// beyond is the interval of the part less a share of the whole, positive in
	// the direction of the change.
	beyond := func(share float64) (lo, hi float64) {
		middle := part - share*(whole.Ratio-1)
		width := math.Hypot((slope-share*whole.Ratio)*relative(whole), half)
		if whole.Ratio < 1 {
			middle = -middle
		}
		return middle - width, middle + width
	}
	width := math.Hypot(slope*relative(whole), half)
	p = Proof{Flip: flip, Explained: part, Lo: part - width, Hi: part + width, Of: whole.Ratio - 1}
	for _, x := range []float64{p.Lo, p.Hi, p.Of} {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return p, false
		}
	}
	if p.Of == 0 {
		return p, false
	}
	above := func(share float64) bool { lo, _ := beyond(share); return lo > 0 }
	below := func(share float64) bool { _, hi := beyond(share); return hi < 0 }
	share := part / p.Of
	switch {
	case share > excessShare && flip != OldFile && above(1): // other changes may cancel the effect of a file
		p.Verdict = Excess
	case share > excessShare && flip != OldFile:
		p.Verdict = Unclear
	case above(provedShare):
		p.Verdict = Proved
	case above(0) && share >= partShare:
		p.Verdict = InPart
	case below(causeShare):
		p.Verdict = NotCause
	default:
		p.Verdict = Unclear
	}
	p.Cause = p.Verdict == Proved
	return p, true
}

// collectorAccounts reports whether the collector's time is at least half of a
// change, so that it can be the cause. Without collections a program uses
// memory in another way, so more than their time changes.
func collectorAccounts(old, new running, whole result.Change) bool {
	most := new.Collector*whole.Ratio - old.Collector // of the old time of an operation
	return most > -1 && math.Log1p(most)/math.Log(whole.Ratio) >= causeShare
}

// stillCollects reports whether the collector takes time with GOGC=off. A
// program that calls debug.SetGCPercent overrides it.
func stillCollects(sides ...*result.RuntimeCounts) bool {
	return slices.ContainsFunc(sides, func(c *result.RuntimeCounts) bool { return c != nil && c.GCShare >= collectorLimit })
}

// sortByProof moves proved causes to the front, then causes of the greater part,
// and refuted ones to the end.
func sortByProof(causes []Cause) {
	place := func(c Cause) int {
		switch p := c.Proof; {
		case p == nil:
			return 2
		case p.Cause:
			return 0
		case p.Verdict == InPart && p.Explained/p.Of >= causeShare:
			return 1
		case p.Verdict == NotCause:
			return 3
		}
		return 2
	}
	slices.SortStableFunc(causes, func(a, b Cause) int { return cmp.Compare(place(a), place(b)) })
}
