// Package pairs has twelve pairs of benchmarks that allocate: what differs
// between the sides depends on the build tag "changed".
package pairs

import (
	"os"
	"runtime"
	"runtime/debug"
	"sync"
	"syscall"
	"testing"
)

// used is the processor time of the process in nanoseconds.
func used() int64 {
	var r syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &r) != nil {
		return 0
	}
	return r.Utime.Nano() + r.Stime.Nano()
}

// run runs the operation, and where PAIRS_CPU is set reports the processor time
// that it took, the collector's included.
func run(b *testing.B, op func()) {
	b.ResetTimer()
	began := used()
	for range b.N {
		op()
	}
	b.StopTimer()
	if os.Getenv("PAIRS_CPU") != "" {
		b.ReportMetric(float64(used()-began)/float64(b.N), "cpu-ns/op")
	}
}

// more is n on the one side, and 6% more on the other.
func more(n int) int {
	if changed {
		return n + (6*n+99)/100
	}
	return n
}

type (
	pair struct{ a, b uint64 }
	list struct {
		next  *list
		value uint64
	}
)

var (
	plain   *pair
	linked  *list
	bytes   []byte
	table   map[uint64]uint64
	counter uint64
	live    [][]*list
	mu      sync.Mutex
)

// keep makes the heap hold so many megabytes of small objects with pointers.
func keep(megabytes int) {
	mu.Lock()
	defer mu.Unlock()
	for len(live) > megabytes {
		live = live[:len(live)-1]
	}
	for len(live) < megabytes {
		some := make([]*list, 1<<15) // with 32 bytes each, the pointers included
		for i := range some {
			some[i] = &list{value: uint64(i)}
		}
		live = append(live, some)
	}
}

func spin(n int) {
	for range n {
		counter = counter*6364136223846793005 + 1442695040888963407
	}
}

func kibibytes(n int) {
	for range n {
		bytes = make([]byte, 1<<10)
	}
}

func BenchmarkSmall(b *testing.B) {
	keep(0)
	run(b, func() {
		for range more(100) {
			plain = &pair{1, 2}
		}
	})
}

func BenchmarkPointers(b *testing.B) {
	keep(0)
	run(b, func() {
		linked = nil
		for range more(100) {
			linked = &list{next: linked}
		}
	})
}

func BenchmarkLive10(b *testing.B) {
	if keep(0); changed {
		keep(10)
	}
	run(b, func() { kibibytes(10) })
}

func BenchmarkLive100(b *testing.B) {
	if keep(0); changed {
		keep(100)
	}
	run(b, func() { kibibytes(10) })
}

func BenchmarkBothLive100(b *testing.B) {
	keep(100)
	run(b, func() { kibibytes(more(50)) })
}

func BenchmarkLarge(b *testing.B) {
	keep(0)
	run(b, func() { bytes = make([]byte, more(64<<10)) })
}

func BenchmarkHuge(b *testing.B) {
	keep(0)
	run(b, func() { bytes = make([]byte, more(1<<20)) })
}

func BenchmarkCollectorOff(b *testing.B) {
	keep(0)
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	run(b, func() {
		for range 10 {
			plain = &pair{1, 2}
		}
		spin(more(2000))
	})
}

func BenchmarkCollector400(b *testing.B) {
	keep(0)
	defer debug.SetGCPercent(debug.SetGCPercent(400))
	run(b, func() {
		linked = nil
		for range more(100) {
			linked = &list{next: linked}
		}
	})
}

func BenchmarkFinalizer(b *testing.B) {
	keep(0)
	run(b, func() {
		for range more(17) {
			l := &list{}
			runtime.SetFinalizer(l, func(*list) {})
		}
	})
}

var pool = sync.Pool{New: func() any { return new([4096]byte) }}

func BenchmarkPool(b *testing.B) {
	keep(0)
	run(b, func() {
		if changed {
			p := new([4096]byte)
			p[17]++
			bytes = p[:]
			return
		}
		p := pool.Get().(*[4096]byte)
		clear(p[:])
		p[17]++
		pool.Put(p)
	})
}

// The map grows over many operations, then starts anew: its growth costs come
// once in many slices.
func BenchmarkMapGrows(b *testing.B) {
	keep(0)
	run(b, func() {
		for range 50 {
			if len(table) >= 1<<16 || table == nil {
				table = make(map[uint64]uint64)
			}
			counter++
			table[counter] = counter
		}
		spin(more(500))
	})
}
