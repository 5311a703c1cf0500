package words

import (
	"cmp"
	"math"
	"strconv"

	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/internal/unit"
)

// Verdict names the verdict of a row in plain English, phrased for its unit:
// "faster" for times, "fewer" for allocations. Delta is the relative change
// below which two variants are the same.
func Verdict(b *result.BenchmarkComparison, delta float64) string {
	delta = Delta(b, delta)
	switch b.Verdict {
	case result.Same:
		if b.Reason == result.ReasonSameCode {
			return "same code"
		}
		if b.Exact {
			return "identical"
		}
		return "same within " + Percent(delta)
	case result.Skipped, result.Missing:
		switch {
		case b.Verdict == result.Missing && Known(b.Old.Center):
			return "old only"
		case b.Verdict == result.Missing && Known(b.New.Center):
			return "new only"
		case len(b.Findings) > 0:
			return b.Findings[0].Message
		}
	}
	word := Word(b)
	if !b.Verdict.Differs() {
		return word
	}
	if b.Exact {
		return word + ", exactly"
	}
	if c := b.Change; b.LongRuns != nil && b.LongRuns.Contradict { // the size is not known better
		return word + ", by at least " + unit.Percent(max(c.Lo-1, 1-c.Hi))
	}
	if Inside(b.Change, delta) {
		return word + ", by less than " + Percent(delta)
	}
	return word
}

// Delta returns the δ of a row, or else of the comparison.
func Delta(b *result.BenchmarkComparison, delta float64) float64 {
	return cmp.Or(b.Delta, delta)
}

// Sentence describes the result of a row, with its numbers.
func Sentence(b *result.BenchmarkComparison, delta float64) string {
	v := Verdict(b, delta)
	c := b.Change
	switch {
	case b.Verdict == result.Undecided:
		if Known(c.Lo) && Known(c.Hi) {
			v += ": could be " + Range(c.Lo-1, c.Hi-1)
		}
		if b.Needed > 0 {
			v += "; " + Needed(b) + " would settle it"
		}
	case b.Verdict == result.Same && !b.Exact && (c.Lo > 1 || c.Hi < 1):
		v += ": " + Change(c) + ", below " + Percent(Delta(b, delta))
	case b.Verdict.Differs():
		if Known(c.Ratio) {
			v += ": " + Change(c)
			if Known(c.Lo) && Known(c.Hi) && !b.Exact {
				v += " (" + Range(c.Lo-1, c.Hi-1) + ")"
			}
		} else if c.Difference != nil {
			v += ": " + Difference(b)
		}
	}
	return v
}

// Word is the verdict of a row, phrased for its unit and nothing more.
func Word(b *result.BenchmarkComparison) string { return VerdictIn(b.Verdict, b.Unit, b.Direction()) }

// VerdictIn phrases a verdict for a unit that improves in a direction.
func VerdictIn(v result.Verdict, u string, better unit.Direction) string {
	good, bad := directionWords(u, better)
	switch v {
	case result.Faster:
		return good
	case result.Slower:
		return bad
	}
	return string(v)
}

// directionWords are the words for better and worse in a unit. Only times and
// rates are fast or slow, and only what lies in memory or in a file is large.
func directionWords(u string, direction unit.Direction) (better, worse string) {
	quantity := unit.Quantity(u)
	_, _, per := unit.Split(u)
	rate := per == "/s" || per == "/sec"
	switch {
	case direction != unit.Better(u):
		return "better", "worse"
	case rate || unit.IsTime(quantity):
		return "faster", "slower"
	case unit.IsBytes(quantity) && per == "":
		return "smaller", "larger"
	case direction == unit.LowerIsBetter:
		return "fewer", "more"
	}
	return "better", "worse"
}

// Inside reports whether the whole interval of c is within ±delta.
func Inside(c result.Change, delta float64) bool {
	return delta > 0 && Known(c.Lo) && Known(c.Hi) && c.Lo > 1/(1+delta) && c.Hi < 1+delta
}

func Needed(b *result.BenchmarkComparison) string {
	if b.Blocks > 0 && b.Seconds > 0 {
		return "about " + Seconds(b.Seconds/float64(b.Blocks)*float64(b.Needed))
	}
	what := "runs a variant"
	if b.Blocks > 0 {
		what = "blocks"
	}
	return "about " + strconv.FormatFloat(twoDigits(b.Needed), 'f', 0, 64) + " " + what
}

// twoDigits rounds an estimate of future work, which is not known better.
func twoDigits(n int) float64 {
	if n < 100 {
		return float64(n)
	}
	step := math.Pow(10, math.Floor(math.Log10(float64(n)))-1)
	return math.Ceil(float64(n)/step-1e-9) * step
}

// RowName returns the benchmark as go test prints it, or the label of -row.
func RowName(k result.Key, row string) string {
	if row != "" {
		return row
	}
	if k.Procs > 1 {
		return k.Name + "-" + strconv.Itoa(k.Procs)
	}
	return k.Name
}

func Label(variants []result.Variant, i int) string {
	if i < 0 || i >= len(variants) {
		return "?"
	}
	return variants[i].Label
}

var marks = map[result.Verdict]string{
	result.Faster: "🟢", result.Slower: "🔴", result.Different: "🔵", result.Undecided: "🟡",
	result.Failed: "❌", result.NotReached: "⏳", result.Skipped: "➖", result.Missing: "➖",
}

// Mark returns the sign of a row in Markdown. A measured row has a circle:
// green, red, yellow, or white for the same. A row that was not measured has
// another sign.
func Mark(v result.Verdict, reason string) string {
	if reason == result.ReasonSameCode {
		return cmp.Or(marks[v], "🟰")
	}
	return cmp.Or(marks[v], "⚪")
}
