package judge

import (
	"github.com/tarebench/tare/cmd/tare/internal/catalog"
	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/internal/finding"
)

// totalTooShort reports how many benchmarks the total of a study did not reach,
// and how long reaching all takes. Each should take as long as the reached ones
// did.
func totalTooShort(rec *result.Recording) (f finding.Finding, ok bool) {
	total := rec.Study.TotalSeconds
	if total <= 0 {
		return f, false
	}
	reached, left, spent := 0, 0, 0.0
	notReached := make(map[int]bool)
	for _, s := range rec.Stops {
		notReached[s.Benchmark] = notReached[s.Benchmark] || s.Reason == result.StopNotReached
	}
	for i, b := range rec.Benchmarks {
		if notReached[i] {
			left++
		} else if len(b.Blocks) > 0 {
			reached++
		}
		for _, k := range b.Blocks {
			spent += k.Seconds
		}
	}
	if len(rec.Machines) > 0 { // each had the total
		spent = total
	}
	spent = max(total, spent) // a resumed study has more than one total
	if rec.End != nil {       // builds and starts count
		spent = max(spent, rec.End.Seconds)
	}
	benchmarks, in := finding.Count("benchmarks", reached+left, "benchmark"), finding.Quantity("total", spent, "sec")
	switch {
	case left == 0:
		return f, false
	case reached == 0:
		return catalog.TotalReachesNone.Of("", benchmarks, in), true
	}
	enough := spent * float64(reached+left) / float64(reached)
	return catalog.TotalTooShort.Of("", finding.Count("left", left, ""), benchmarks, in, finding.Quantity("enough", enough, "sec")), true
}
