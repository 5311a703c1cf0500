// Package mod has a benchmark of every kind that a worker serves.
package mod

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

var (
	sink  []byte
	count atomic.Int64
	setup int
)

func BenchmarkPlain(b *testing.B) {
	b.SetBytes(64)
	for range b.N {
		sink = make([]byte, 64)
	}
}

func BenchmarkLoop(b *testing.B) {
	setup++
	b.ReportMetric(1, "erased")
	for b.Loop() {
		sink = make([]byte, 64)
	}
	b.ReportMetric(float64(setup), "setups")
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "ops/s")
}

func BenchmarkPaused(b *testing.B) {
	for i := range b.N {
		b.StopTimer()
		kept := make([]byte, 1024)
		b.StartTimer()
		if i%3 == 0 {
			sink = make([]byte, 32)
		}
		_ = kept
	}
}

func BenchmarkSub(b *testing.B) {
	for _, size := range []int{1, 2} {
		b.Run(fmt.Sprintf("size=%d", size), func(b *testing.B) {
			for range b.N {
				count.Add(int64(size))
			}
		})
	}
	b.Run("odd name (a|b)/c", func(b *testing.B) {
		for range b.N {
			count.Add(1)
		}
	})
}

// BenchmarkSubThenLoop is no leaf: testing reports what is below it.
func BenchmarkSubThenLoop(b *testing.B) {
	b.Run("below", func(b *testing.B) {
		for range b.N {
			count.Add(1)
		}
	})
	for b.Loop() {
		count.Add(1)
	}
}

func BenchmarkParallel(b *testing.B) {
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			count.Add(1)
		}
	})
}

// BenchmarkRuntime collects garbage once, and starts 64 goroutines, in every
// iteration.
func BenchmarkRuntime(b *testing.B) {
	for b.Loop() {
		runtime.GC()
		var wait sync.WaitGroup
		for range 64 {
			wait.Add(1)
			go func() { count.Add(1); wait.Done() }()
		}
		wait.Wait()
	}
}

// BenchmarkSetUp collects garbage before every slice, and nothing in it.
func BenchmarkSetUp(b *testing.B) {
	for range 3 {
		runtime.GC()
	}
	b.ResetTimer()
	for range b.N {
		count.Add(1)
	}
}

func BenchmarkSkip(b *testing.B) { b.Skip("not today") }

func BenchmarkFail(b *testing.B) {
	if b.N > 1 {
		b.Fatal("too many iterations")
	}
}

func BenchmarkPanic(b *testing.B) {
	if b.N > 1 {
		panic("at the disco")
	}
}

func BenchmarkExit(b *testing.B) {
	if b.N > 1 {
		os.Exit(0)
	}
}

func BenchmarkBreak(b *testing.B) {
	for b.Loop() {
		if count.Add(1) > 100 {
			break
		}
	}
}

func BenchmarkForever(b *testing.B) {
	if b.N > 1 {
		for {
			time.Sleep(time.Millisecond)
		}
	}
}

func BenchmarkPrints(b *testing.B) {
	for range b.N {
		fmt.Println("out")
		fmt.Fprintln(os.Stderr, "err")
	}
}

func BenchmarkFiles(b *testing.B) {
	if v, ok := os.LookupEnv("TARE_WORKER"); ok {
		b.Fatal("the variable shows:", v)
	}
	// What a child inherits: not our pipes.
	out, err := exec.Command("ls", "/proc/self/fd").Output()
	if err == nil {
		for _, fd := range strings.Fields(string(out)) {
			if n, err := strconv.Atoi(fd); err == nil && (n == 60 || n == 61) {
				b.Fatal("a child inherits descriptor", fd)
			}
		}
	}
	for range b.N {
	}
}

func BenchmarkEndsSlowly(b *testing.B) {
	for b.Loop() {
		count.Add(1)
	}
	time.Sleep(300 * time.Millisecond)
	fmt.Println("ended slowly")
}

// ran counts the iterations of BenchmarkCountsN and BenchmarkCountsLoop.
var ran int

func BenchmarkCountsN(b *testing.B) {
	for range b.N {
		ran++
	}
	b.ReportMetric(float64(ran), "ran")
}

func BenchmarkCountsLoop(b *testing.B) {
	for b.Loop() {
		ran++
	}
	b.ReportMetric(float64(ran), "ran")
}

// BenchmarkSpins never ends, and computes.
func BenchmarkSpins(b *testing.B) {
	for b.N > 1 {
		count.Add(1)
	}
}

// BenchmarkBlocks waits for ever in longer runs.
func BenchmarkBlocks(b *testing.B) {
	if b.N > 1 {
		r, w, err := os.Pipe()
		if err != nil {
			b.Fatal(err)
		}
		defer w.Close()
		r.Read(make([]byte, 1))
	}
}

// BenchmarkFlock holds a lock that only one process can have.
func BenchmarkFlock(b *testing.B) {
	name := os.Getenv("TARE_TEST_LOCK")
	f, err := os.OpenFile(name, os.O_CREATE|os.O_RDWR, 0o666)
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
		b.Fatal(err)
	}
	defer os.WriteFile(name+".clean", nil, 0o666)
	for b.Loop() {
		count.Add(1)
	}
}

func BenchmarkProcessors(b *testing.B) {
	for range b.N {
	}
	b.ReportMetric(float64(runtime.GOMAXPROCS(0)), "gomaxprocs")
	b.ReportMetric(float64(runtime.NumCPU()), "cpus")
}

func BenchmarkLockFile(b *testing.B) {
	name := os.Getenv("TARE_TEST_LOCK")
	f, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		b.Fatal(err)
	}
	defer os.Remove(name)
	defer f.Close()
	for b.Loop() {
		count.Add(1)
	}
}

// BenchmarkCompute computes for some milliseconds in one thread, and reports its
// CPU time.
func BenchmarkCompute(b *testing.B) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	began := threadTime(b)
	for range b.N {
		for range 4_000_000 {
			setup = setup*1664525 + 1013904223
		}
	}
	b.ReportMetric(float64(threadTime(b)-began)/1e9/float64(b.N), "cpu-sec/op")
}

// BenchmarkSleep sleeps for as long as it says.
func BenchmarkSleep(b *testing.B) {
	for range b.N {
		time.Sleep(sleeps)
	}
	b.ReportMetric(sleeps.Seconds(), "sleep-sec/op")
}

const sleeps = 3 * time.Millisecond

// BenchmarkTwoThreads computes in two threads at the same time.
func BenchmarkTwoThreads(b *testing.B) {
	for range b.N {
		var wait sync.WaitGroup
		for range 2 {
			wait.Add(1)
			go func() {
				defer wait.Done()
				x := 1
				for range 4_000_000 {
					x = x*1664525 + 1013904223
				}
				count.Add(int64(x & 1))
			}()
		}
		wait.Wait()
	}
}

// BenchmarkSetsProcs changes GOMAXPROCS in every call.
func BenchmarkSetsProcs(b *testing.B) {
	runtime.GOMAXPROCS(runtime.GOMAXPROCS(0) + b.N)
}
