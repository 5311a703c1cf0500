//go:build unix

// Activity of the runtime and the kernel during a slice.

package testing

import (
	"runtime/metrics"
	_ "unsafe" // for linkname
)

// tareUsage contains the resources that the process has used so far: times in
// nanoseconds, and context switches.
type tareUsage struct {
	user, system           int64
	voluntary, involuntary int64
	gcTime                 int64 // the collector's, as of the last collection that ended
}

// tareSamples are read at both ends of a slice that requests them. A read costs
// about a microsecond and does not stop the world. The last sample is a
// histogram of how long runnable goroutines waited for a CPU. tareWaited is its
// content when the slice began.
var (
	tareSamples = []metrics.Sample{
		{Name: "/cpu/classes/gc/total:cpu-seconds"},
		{Name: "/sched/latencies:seconds"},
	}
	tareWaited      []uint64
	tareCycleSample = []metrics.Sample{{Name: "/gc/cycles/total:gc-cycles"}}
	tareHeapSamples = []metrics.Sample{
		{Name: "/gc/heap/allocs:objects"},
		{Name: "/gc/heap/allocs:bytes"},
		{Name: "/gc/heap/live:bytes"},
		{Name: "/gc/heap/goal:bytes"},
	}
)

// tareReadUsage reads the resources used so far. Values that a Go version does
// not have stay zero.
func tareReadUsage() (u tareUsage) {
	metrics.Read(tareSamples)
	if v := tareSamples[0].Value; v.Kind() == metrics.KindFloat64 {
		u.gcTime = int64(1e9 * v.Float64())
	}
	tareProcessUsage(&u)
	return u
}

// tareCycles returns the number of collections that have ended.
func tareCycles() uint64 {
	metrics.Read(tareCycleSample)
	if v := tareCycleSample[0].Value; v.Kind() == metrics.KindUint64 {
		return v.Uint64()
	}
	return 0
}

// tareBarrier is the runtime's flag that marks a collection. Package runtime
// offers it to others by linkname.
//
//go:linkname tareBarrier runtime.writeBarrier
var tareBarrier struct {
	enabled bool
	pad     [3]byte
	alignme uint64
}

// tareCollecting reports whether a collection is in progress.
func tareCollecting() bool { return tareBarrier.enabled }

// tareHeap reads the bytes allocated so far, the live bytes after the last
// collection, and the heap size at which the next collection begins.
func tareHeap() (mallocs, bytes, live, goal uint64) {
	metrics.Read(tareHeapSamples)
	for i, to := range [...]*uint64{&mallocs, &bytes, &live, &goal} {
		if v := tareHeapSamples[i].Value; v.Kind() == metrics.KindUint64 {
			*to = v.Uint64()
		}
	}
	return mallocs, bytes, live, goal
}

// tareMarkWaiting keeps the histogram of waiting, which tareReadUsage has read.
func tareMarkWaiting() {
	if h := tareWaiting(); h != nil {
		tareWaited = append(tareWaited[:0], h.Counts...)
	}
}

// tareWaiting returns the histogram of waiting, or nil if there is none.
func tareWaiting() *metrics.Float64Histogram {
	if v := tareSamples[1].Value; v.Kind() == metrics.KindFloat64Histogram {
		return v.Float64Histogram()
	}
	return nil
}

// tareWaits returns how often goroutines were seen to wait for a CPU during the
// slice (the runtime samples about one in eight). It also returns the median
// and the 99th percentile of the wait in nanoseconds, as upper ends of the
// histogram's buckets.
func tareWaits() (times uint64, p50, p99 int64) {
	h := tareWaiting()
	if h == nil || len(tareWaited) != len(h.Counts) {
		return 0, 0, 0
	}
	for i, n := range h.Counts {
		times += n - tareWaited[i]
	}
	below := uint64(0)
	for i, n := range h.Counts {
		if n -= tareWaited[i]; n == 0 {
			continue
		}
		end := h.Buckets[i+1]
		if end > h.Buckets[len(h.Buckets)-2] {
			end = h.Buckets[i] // the last bucket has no end
		}
		if below*2 < times {
			p50 = int64(end * 1e9)
		}
		if below*100 < times*99 {
			p99 = int64(end * 1e9)
		}
		below += n
	}
	return times, p50, p99
}
