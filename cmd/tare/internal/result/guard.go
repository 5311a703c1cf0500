package result

// Guard is the result for the whole blocks of a row of time: their means, rare
// costs included.
type Guard struct {
	// Clock is [ProcessorClock] or [WallClock].
	Clock string `json:"clock"`
	// Change is new/old of the mean per operation on that clock, in the
	// direction of the row's unit, with the interval of two one-sided tests.
	Change Change `json:"change"`
	// Tolerance is the largest distance of the change from it, relative, plus 5% of
	// the change.
	Tolerance float64 `json:"tolerance"`
	// Horizon is a time in seconds: an event that happens at least so often
	// happened in the blocks, except for one study in twenty.
	Horizon float64 `json:"horizon"`
	// Held is the reason why the guard holds a verdict back; empty if it does not.
	Held Held `json:"held,omitempty"`
}

// The clocks of a guard. CPU time includes the collector's, and interruptions do
// not disturb it; it is used if about as much of it is used as time passes. Time
// is used if work waits, or runs in parallel.
const (
	ProcessorClock = "processor"
	WallClock      = "wall"
)

// Held is a reason why a guard holds a verdict back.
type Held string

const (
	NotHeld Held = ""
	// HeldDisagrees: the whole blocks point another way, or differ from the
	// slices by more than the tolerance.
	HeldDisagrees Held = "disagrees"
	// HeldImprecise: the whole blocks are too imprecise to decide.
	HeldImprecise Held = "imprecise"
)
