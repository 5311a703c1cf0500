package result

import "time"

// Progress is where a study stands while it runs.
type Progress struct {
	// Index is the number of benchmarks that are finished, with the one that is
	// measured; it never decreases. Total is 0 while unknown.
	Index, Total int
	Name         string
	// Phase is "building", "discovering", "planned", "linking", "measuring",
	// "counting", "profiling" or "finished".
	Phase          string
	Rounds, Blocks int
	// Binaries is how many are being linked while that is waited for; Linking is
	// about how long that takes, 0 while unknown.
	Binaries int
	Linking  time.Duration
	// Ratio is new/old with its interval; NaN is unknown. A study of one
	// variant leaves Ratio NaN and sets Value.
	Ratio, Lo, Hi float64
	Value         Estimate
	Unit          string
	Verdict       Verdict
	// Left is the time that the rest of the study is expected to take, Most the
	// most it may take; 0 is unknown.
	Left, Most time.Duration
	// Reach is how far a total reaches; it is zero without one.
	Reach Reach
}

// Reach is how far the time for a run reaches: what is not reached has no look
// when the time is over.
type Reach struct {
	// Reached have had their first look, of the benchmarks that are to be
	// measured. Expected is how many of them will have had it in the end.
	Reached, Expected, Of int
	// Enough is the time for a run that would be enough for all of them.
	Enough time.Duration
}
