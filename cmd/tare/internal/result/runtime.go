package result

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
