// Callgrind counts of the timed intervals.

package testing

import (
	"runtime"
	"unsafe"
)

// tareClientRequest passes a request to the tool that the process runs under.
//
//go:linkname tareClientRequest runtime.valgrindClientRequest
//go:noescape
func tareClientRequest(uintptr, uintptr, uintptr, uintptr, uintptr, uintptr) uintptr

// The requests are callgrind's ZERO_STATS, DUMP_STATS_AT and
// START_INSTRUMENTATION (callgrind.h, tool base 'C','T').
const (
	tareCallgrind       = 'C'<<24 | 'T'<<16
	tareZero            = tareCallgrind + 1
	tareDump            = tareCallgrind + 3
	tareInstrumentation = tareCallgrind + 4
)

// tareHeap is the size to which the heap grows before anything is counted.
// Growing it costs about 80,000 instructions at a moment that depends on its
// base.
const tareHeap = 256 << 20

var tareLabel [32]byte

func init() {
	runtime.MemProfileRate = 0
	var ballast [][]byte
	for range 1 << 10 {
		ballast = append(ballast, make([]byte, 8<<10)) // fills the small holes
	}
	for range tareHeap >> 20 {
		ballast = append(ballast, make([]byte, 1<<20))
	}
	runtime.KeepAlive(ballast)
	ballast = nil
	runtime.GC()
}

// tareInstrumented is set at the first interval. The third of a process's start
// before it is not instrumented.
var tareInstrumented bool

// The count excludes these two functions by name, so that counting an interval
// adds nothing to it.

//go:noinline
func tareRegionStart() {
	if !tareInstrumented {
		tareInstrumented = true
		tareClientRequest(tareInstrumentation, 0, 0, 0, 0, 0)
	}
	tareClientRequest(tareZero, 0, 0, 0, 0, 0)
}

//go:noinline
func tareRegionStop(n uint64) {
	i := len(tareLabel) - 1
	for {
		i--
		tareLabel[i] = byte('0' + n%10)
		if n /= 10; n == 0 {
			break
		}
	}
	i -= 5
	tareLabel[i], tareLabel[i+1], tareLabel[i+2], tareLabel[i+3], tareLabel[i+4] = 't', 'a', 'r', 'e', '-'
	tareClientRequest(tareDump, uintptr(unsafe.Pointer(&tareLabel[i])), 0, 0, 0, 0)
}

// StartTimer starts timing and counting.
func (b *B) StartTimer() {
	if b.timerOn {
		return
	}
	b.tareStockStartTimer()
	tareRegionStart()
}

// StopTimer stops counting and timing.
func (b *B) StopTimer() {
	if b.timerOn {
		n := b.loop.n
		if n == 0 {
			n = uint64(b.N)
		}
		tareRegionStop(n)
	}
	b.tareStockStopTimer()
}

// ResetTimer discards the time and the counts so far.
func (b *B) ResetTimer() {
	b.tareStockResetTimer()
	if b.timerOn {
		tareRegionStart()
	}
}
