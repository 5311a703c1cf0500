package result

// LongRuns are the long runs of a row of time: single calls of many iterations
// on all CPUs, as go test makes them. They show whether the row measures what
// go test does, and are no estimate: a value is the range of a few runs.
type LongRuns struct {
	// Levels are the times per operation in seconds: of the old and the new
	// variant, or of the only one.
	Levels []Interval `json:"levels"`
	// Change is new/old.
	Change *Interval `json:"change,omitempty"`
	// CPU is new/old of the CPU time of the process per operation, if it goes another
	// way than the time. It is nil otherwise.
	CPU *Interval `json:"cpu,omitempty"`
	// Seconds is how long they took, of the variant with less, or 0 if they
	// neither agree nor are enough to contradict.
	Seconds float64 `json:"seconds"`
	// Contradict is set if they contradict the slices. The interval of the row
	// then holds both: its size is not known better.
	Contradict bool `json:"contradict,omitempty"`
}
