package result

// Guard is the result for the whole blocks of a row of time: their means, rare
// costs included.
type Guard struct {
	// Change is new/old of the mean per operation, in the direction of the row's
	// unit, with the interval of two one-sided tests.
	Change Change `json:"change"`
	// Tolerance is the largest relative distance from the change of the slices,
	// plus 5% of the change.
	Tolerance float64 `json:"tolerance"`
	// Horizon is a time in seconds. An event that happens at least once in this
	// time happened in the blocks, except in one study of twenty.
	Horizon float64 `json:"horizon"`
	// Held is the reason why the guard withholds a verdict. It is empty if it does
	// not.
	Held Held `json:"held,omitempty"`
}

// Held is a reason why a guard withholds a verdict.
type Held string

const (
	NotHeld Held = ""
	// HeldDisagrees: the whole blocks point another way, or differ from the
	// slices by more than the tolerance.
	HeldDisagrees Held = "disagrees"
	// HeldImprecise: the whole blocks are too imprecise to decide.
	HeldImprecise Held = "imprecise"
)
