package result

// Growth is the time of a benchmark by the number in its names: c·n^k, or
// c·n^k·log n.
type Growth struct {
	// Pkg, Name and Procs are of the benchmarks. Name has # for the number.
	Key
	NewVariant int `json:"new_variant"`
	// Sizes are the numbers, ascending.
	Sizes []float64 `json:"sizes"`
	// Sides are the old and the new variant, or the only one.
	Sides []Exponent `json:"sides"`
	// Change is k of new − k of old, both without log n. It is nil in a run.
	Change *Estimate `json:"change,omitempty"`
	// Verdict is slower if new grows faster. It is empty in a run, and if a variant
	// has no exponent.
	Verdict Verdict `json:"verdict,omitempty"`
}

// Exponent is the growth of one variant.
type Exponent struct {
	// K is the exponent k, and Log reports whether the form has log n.
	K   float64 `json:"exponent"`
	Log bool    `json:"log"`
	// Refused is the reason why there is no exponent. It is empty if there is one.
	Refused string `json:"refused,omitempty"`
	// Times are the seconds per operation at each size. Fitted are the values of
	// the form.
	Times  []float64 `json:"times"`
	Fitted []float64 `json:"fitted,omitempty"`
}

// Scaling is the speed of a benchmark by GOMAXPROCS.
type Scaling struct {
	Pkg        string `json:"pkg"`
	Name       string `json:"name"`
	NewVariant int    `json:"new_variant"`
	// Procs are the values of GOMAXPROCS, ascending.
	Procs []int `json:"procs"`
	// Sides are the old and the new variant, or the only one.
	Sides []Speedup `json:"sides"`
	// Change is the ratio of the speed-ups of new and old with the most CPUs. It is
	// nil in a run.
	Change *Change `json:"change,omitempty"`
	// Verdict is faster if new scales better.
	Verdict Verdict `json:"verdict,omitempty"`
}

// Speedup is, by value of GOMAXPROCS, the time with the fewest CPUs over the
// time, and Efficiency this over the ratio of CPUs.
type Speedup struct {
	Speedup    []float64 `json:"speedup"`
	Efficiency []float64 `json:"efficiency"`
}
