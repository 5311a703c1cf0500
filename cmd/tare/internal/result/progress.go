package result

import "time"

// Progress is the progress of a running study.
type Progress struct {
	// Index is the number of finished benchmarks, plus the current one. It never
	// decreases. Total is 0 if unknown.
	Index, Total int
	Name         string
	// Phase is "building", "discovering", "planned", "linking", "measuring",
	// "counting", "profiling" or "finished".
	Phase          string
	Rounds, Blocks int
	// Ratio is new/old with its interval. NaN is unknown. A study of one variant
	// leaves Ratio NaN and sets Value.
	Ratio, Lo, Hi float64
	Value         Estimate
	Unit          string
	Verdict       Verdict
	// Left is the expected time for the rest of the study. 0 is unknown.
	Left time.Duration
	// Reach is the reach of a total. It is zero without one.
	Reach Reach
}

// Reach is the part of a run that its total reaches. A benchmark that is not
// reached has no look before the total is over.
type Reach struct {
	// Reached is the number of benchmarks that have had their first look. Expected
	// is their number at the end.
	Reached, Expected, Of int
	// Enough is a total that reaches all benchmarks.
	Enough time.Duration
}
