package result

// RuntimeCounts has the counts of the Go runtime and the system while the timed
// slices of one variant ran. Unlike the time it covers all of a slice, pauses
// included.
type RuntimeCounts struct {
	// GCs is the number of collections that ended.
	GCs int64 `json:"gcs"`
	// GCShare is the collector's part of the CPU time, 0 to 1; 0 if the system does
	// not report the CPU time.
	GCShare float64 `json:"gc_cpu_share"`
	// User and System are CPU time of the whole process, seconds per
	// operation.
	User   float64 `json:"user_sec_per_op"`
	System float64 `json:"system_sec_per_op"`
	// Waits counts goroutines that were seen to wait for a CPU, about one in eight
	// of those that did. Wait50 and Wait99 are their waits, in seconds: the
	// medians, over the slices that saw any, of the slice's median and of its 99th
	// percentile.
	Waits  int64   `json:"waits"`
	Wait50 float64 `json:"wait_p50_sec"`
	Wait99 float64 `json:"wait_p99_sec"`
}
