package result

// Guard is what whole blocks say of a row of time: their means, rare costs
// included.
type Guard struct {
	// Clock is [ProcessorClock] or [WallClock].
	Clock string `json:"clock"`
	// Change is new/old of the mean per operation on that clock, in the
	// direction of the row's unit, with the interval of two one-sided tests.
	Change Change `json:"change"`
	// Tolerance is how far the change may be from it, relative; 5% of the
	// change come on top.
	Tolerance float64 `json:"tolerance"`
	// Horizon is the time in seconds such that what happens at least so often
	// happened in the blocks, but for one study in twenty.
	Horizon float64 `json:"horizon"`
	// Held says why the guard holds a verdict back; empty where it does not.
	Held Held `json:"held,omitempty"`
}

// The clocks of a guard: processor time, the collector's included, which
// interruptions do not disturb, where about as much of it is used as time
// passes; time where work waits, or runs in parallel.
const (
	ProcessorClock = "processor"
	WallClock      = "wall"
)

// Held is why a guard holds a verdict back.
type Held string

const (
	NotHeld Held = ""
	// HeldDisagrees: the whole blocks point another way, or differ from the
	// slices by more than the tolerance.
	HeldDisagrees Held = "disagrees"
	// HeldImprecise: the whole blocks are too imprecise to decide.
	HeldImprecise Held = "imprecise"
)
