package result

// Count is the count for one benchmark of one variant, outside of the rounds.
// It is almost exact.
type Count struct {
	Benchmark int `json:"b"`
	Variant   int `json:"v"`
	// Unit is "instructions/op".
	Unit  string   `json:"unit"`
	Value Estimate `json:"value"`
	// Values are the counts of the processes, which are the replicates.
	Values []float64 `json:"values,omitempty"`
	// Functions are sorted by PerOp, highest first.
	Functions []FunctionCount `json:"functions,omitempty"`
}

// FunctionCount is the part of one function per operation, without its callees.
type FunctionCount struct {
	Name string `json:"name"`
	// File and Line are its most expensive line, which may be in a function inlined
	// into it.
	File  string  `json:"file,omitempty"`
	Line  int     `json:"line,omitempty"`
	PerOp float64 `json:"per_op"`
}

// FunctionChange is one function of two variants. A variant without it has 0.
// The unit is the unit of its row.
type FunctionChange struct {
	Name string `json:"name"`
	// File and Line are from the new variant if it has the function.
	File string  `json:"file,omitempty"`
	Line int     `json:"line,omitempty"`
	Old  float64 `json:"old"`
	New  float64 `json:"new"`
}

// RuntimeCounts has the counts of the Go runtime and the system while the timed
// slices of one variant ran. They cover the whole slice, with pauses, which the
// time excludes.
type RuntimeCounts struct {
	// GCs is the number of collections that ended.
	GCs int64 `json:"gcs"`
	// GCShare is the collector's share of the CPU time, 0 to 1. It is 0 if the
	// system does not report the CPU time.
	GCShare float64 `json:"gc_cpu_share"`
	// User and System are CPU time of the whole process, seconds per
	// operation.
	User   float64 `json:"user_sec_per_op"`
	System float64 `json:"system_sec_per_op"`
}
