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
	// Waits counts goroutines that waited for a CPU, of a sample of about one in
	// eight. Wait50 and Wait99 are their waits, in seconds: the median, over the
	// slices with waits, of the slice's median and 99th percentile.
	Waits  int64   `json:"waits"`
	Wait50 float64 `json:"wait_p50_sec"`
	Wait99 float64 `json:"wait_p99_sec"`
}
