package pairs

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"weak"
)

// sides are the values of a variant.
type sides[T any] struct{ old, new T }

func (s sides[T]) of() T { return choose(s.old, s.new) }

// keep keeps some megabytes alive during a benchmark, in nodes of 32 bytes.
func keep(b *testing.B, megabytes int) {
	all := make([]*node, megabytes<<15)
	for i := range all {
		all[i] = new(node)
	}
	b.Cleanup(func() { runtime.KeepAlive(all) })
	b.ResetTimer()
}

// A live heap, and an operation that makes trees of 31 nodes: other goals of the
// collector, other numbers of trees.
func BenchmarkHeap(b *testing.B) {
	for _, c := range []struct {
		name      string
		megabytes int
		percent   sides[int]
		limit     sides[int64] // in MB beyond the live heap
		trees     sides[int]
		steps     sides[int]
	}{
		{"1MB", 1, sides[int]{100, 100}, sides[int64]{}, sides[int]{10, 8}, sides[int]{0, 0}},
		{"10MB_GOGC50", 10, sides[int]{100, 50}, sides[int64]{}, sides[int]{10, 10}, sides[int]{}},
		{"50MB_GOGC800", 50, sides[int]{50, 800}, sides[int64]{}, sides[int]{10, 12}, sides[int]{0, 500}},
		{"100MB_same", 100, sides[int]{100, 100}, sides[int64]{}, sides[int]{10, 10}, sides[int]{}},
		{"200MB_less", 200, sides[int]{100, 100}, sides[int64]{}, sides[int]{10, 4}, sides[int]{}},
		{"500MB_GOGC200", 500, sides[int]{100, 200}, sides[int64]{}, sides[int]{10, 10}, sides[int]{}},
		{"50MB_limit", 50, sides[int]{100, -1}, sides[int64]{0, 32}, sides[int]{10, 10}, sides[int]{}},
	} {
		b.Run(c.name, func(b *testing.B) {
			defer debug.SetGCPercent(debug.SetGCPercent(c.percent.of()))
			keep(b, c.megabytes)
			if more := c.limit.of(); more > 0 {
				defer debug.SetMemoryLimit(debug.SetMemoryLimit((int64(c.megabytes)*5/4 + more) << 20))
			}
			b.ResetTimer()
			for b.Loop() {
				for range c.trees.of() {
					garbage = tree(5)
				}
				sink = work(c.steps.of(), sink+1)
			}
		})
	}
}

var (
	block   []byte
	buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}
	text    = strings.Repeat("a line of text\n", 1<<14)
)

// Operations that allocate 100 KB to 10 MB.
func BenchmarkLarge(b *testing.B) {
	for _, c := range []struct {
		name        string
		count, size sides[int]
		touch       bool
	}{
		{"100KB", sides[int]{1, 1}, sides[int]{100 << 10, 50 << 10}, false},
		{"1MB_touched", sides[int]{1, 1}, sides[int]{1 << 20, 1 << 19}, true},
		{"10MB", sides[int]{1, 1}, sides[int]{10 << 20, 9 << 20}, false},
		{"10MB_touched", sides[int]{1, 1}, sides[int]{10 << 20, 11 << 20}, true},
		{"same_1MB", sides[int]{16, 16}, sides[int]{64 << 10, 64 << 10}, false},
		{"many_small", sides[int]{4, 128}, sides[int]{64 << 10, 2 << 10}, false},
	} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				for range c.count.of() {
					block = make([]byte, c.size.of())
					for i := 0; c.touch && i < len(block); i += 64 {
						block[i] = 1
					}
				}
			}
		})
	}
	b.Run("buffer_pooled", func(b *testing.B) {
		for b.Loop() {
			buf := new(bytes.Buffer)
			if changed {
				buf = buffers.Get().(*bytes.Buffer)
				buf.Reset()
			}
			buf.WriteString(text)
			sink += uint64(buf.Len())
			if changed {
				buffers.Put(buf)
			}
		}
	})
	b.Run("append_grows", func(b *testing.B) {
		for b.Loop() {
			var all []uint64
			if changed {
				all = make([]uint64, 0, 1<<17)
			}
			for i := range uint64(1 << 17) {
				all = append(all, i)
			}
			sink += all[len(all)-1]
		}
	})
	b.Run("split", func(b *testing.B) {
		for b.Loop() {
			if !changed {
				sink += uint64(len(strings.Split(text, "\n")))
				continue
			}
			for range strings.SplitSeq(text, "\n") {
				sink++
			}
		}
	})
}

// Waits once in 10 to 10,000 operations of 2 µs.
func BenchmarkWait(b *testing.B) {
	dir := b.TempDir()
	ping, pong := make(chan int), make(chan int)
	go func() {
		for n := range ping {
			pong <- n
		}
	}()
	defer close(ping)
	write := func(size int) {
		if err := os.WriteFile(filepath.Join(dir, "file"), make([]byte, size), 0o666); err != nil {
			b.Fatal(err)
		}
	}
	for _, c := range []struct {
		name  string
		every sides[int]
		do    func()
	}{
		{"sleep_100", sides[int]{200, 100}, func() { time.Sleep(100 * time.Microsecond) }},
		{"sleep_10000", sides[int]{1 << 30, 10_000}, func() { time.Sleep(5 * time.Millisecond) }},
		{"channel_10", sides[int]{20, 10}, func() { ping <- 1; <-pong }},
		{"channel_same", sides[int]{50, 50}, func() { ping <- 1; <-pong }},
		{"file_100", sides[int]{100, 300}, func() { write(4096) }},
		{"file_5000", sides[int]{1 << 30, 5000}, func() { write(1 << 20) }},
		{"collect_10000", sides[int]{1 << 30, 10_000}, runtime.GC},
		{"timer_1000", sides[int]{1000, 500}, func() { <-time.After(time.Millisecond) }},
	} {
		b.Run(c.name, func(b *testing.B) {
			for i := 0; i < b.N; i++ {
				sink = work(1000, sink+1)
				if every := c.every.of(); i%every == every-1 {
					c.do()
				}
			}
		})
	}
}

// shared divides work among goroutines.
func shared(goroutines, steps int) {
	var wg sync.WaitGroup
	var sum atomic.Uint64
	for i := range goroutines {
		wg.Go(func() { sum.Add(work(steps/goroutines, uint64(i+1))) })
	}
	wg.Wait()
	sink += sum.Load()
}

// Several CPUs.
func BenchmarkCPUs(b *testing.B) {
	for _, c := range []struct {
		name              string
		goroutines, steps sides[int]
	}{
		{"one_to_two_1ms", sides[int]{1, 2}, sides[int]{500_000, 500_000}},
		{"two_to_one_100us", sides[int]{2, 1}, sides[int]{50_000, 50_000}},
		{"two_less", sides[int]{2, 2}, sides[int]{200_000, 180_000}},
		{"eight_same", sides[int]{8, 8}, sides[int]{400_000, 400_000}},
	} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				shared(c.goroutines.of(), c.steps.of())
			}
		})
	}
	for _, c := range []struct {
		name        string
		parallelism int
		steps       sides[int]
	}{
		{"RunParallel_short", 1, sides[int]{100, 110}},
		{"SetParallelism8", 8, sides[int]{10_000, 9_000}},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.SetParallelism(c.parallelism)
			b.RunParallel(func(pb *testing.PB) {
				x := uint64(1)
				for pb.Next() {
					x = work(c.steps.of(), x)
				}
			})
		})
	}
	b.Run("pipeline", func(b *testing.B) {
		ch := make(chan uint64, choose(0, 64))
		done := make(chan bool)
		go func() {
			for x := range ch {
				sink = work(500, x)
			}
			close(done)
		}()
		for i := 0; i < b.N; i++ {
			ch <- work(500, uint64(i))
		}
		close(ch)
		<-done
	})
}

var cache = map[int]uint64{}

// Times that depend on the number of operations, and state that grows.
func BenchmarkLength(b *testing.B) {
	b.Run("setup_in_loop", func(b *testing.B) { // not excluded: it is divided by b.N
		sink = work(choose(100_000, 5_000_000), sink+1)
		for i := 0; i < b.N; i++ {
			sink = work(500, sink+1)
		}
	})
	b.Run("map_grows", func(b *testing.B) {
		m := make(map[int]int, choose(0, 1<<20))
		for i := 0; i < b.N; i++ {
			m[i] = i
		}
	})
	b.Run("list_grows", func(b *testing.B) {
		var head *node
		for i := 0; i < b.N; i++ {
			head = &node{left: head}
			sink = work(choose(40, 60), sink+1)
		}
		garbage = head
	})
	b.Run("cache_warms", func(b *testing.B) {
		for i := 0; i < b.N; i++ {
			key := i % choose(100_000, 100)
			if _, ok := cache[key]; !ok {
				cache[key] = work(3000, uint64(key))
			}
			sink += cache[key]
		}
	})
	b.Run("quadratic_to_a_cap", func(b *testing.B) {
		for i := 0; i < b.N; i++ {
			sink = work(min(i/choose(100, 50), 2000), sink+1)
		}
	})
	b.Run("whole_batches", func(b *testing.B) {
		size := choose(64, 1024)
		for i := 0; i < b.N; i += size {
			for range size {
				sink = work(20, sink+1)
			}
		}
	})
	b.Run("resets", func(b *testing.B) {
		var buf bytes.Buffer
		for i := 0; i < b.N; i++ {
			if buf.WriteString(text[:256]); buf.Len() > choose(1<<12, 1<<22) {
				buf = bytes.Buffer{}
			}
		}
	})
}

type resource struct{ data [8]uint64 }

// cgo, finalizers, timers, weak pointers and others of the runtime.
func BenchmarkRuntime(b *testing.B) {
	closed := new(atomic.Int64)
	kept := make([]weak.Pointer[resource], 1024)
	dir := b.TempDir()
	for _, c := range []struct {
		name string
		do   func(i int)
	}{
		{"finalizers", func(i int) {
			r := new(resource)
			if i%choose(1, 8) == 0 {
				runtime.SetFinalizer(r, func(*resource) { closed.Add(1) })
			}
		}},
		{"cleanups", func(i int) {
			r := new(resource)
			if i%choose(8, 1) == 0 {
				runtime.AddCleanup(r, func(n int) { closed.Add(1) }, i)
			}
		}},
		{"weak", func(i int) {
			r := new(resource)
			if choose(true, i%4 == 0) {
				kept[i%len(kept)] = weak.Make(r)
			}
		}},
		{"timers", func(i int) {
			for range choose(4, 1) {
				time.NewTimer(time.Hour).Stop()
			}
			sink = work(100, sink+1)
		}},
		{"afterfunc", func(i int) {
			if i%choose(1000, 100) == 0 {
				time.AfterFunc(time.Millisecond, func() { closed.Add(int64(work(20_000, 1) & 1)) })
			}
			sink = work(500, sink+1)
		}},
		{"goroutines", func(i int) {
			done := make(chan bool)
			for range choose(2, 1) {
				go func() { done <- true }()
			}
			for range choose(2, 1) {
				<-done
			}
		}},
		{"stack_grows", func(i int) {
			done := make(chan int)
			go func() { done <- deep(choose(4, 200)) }()
			<-done
		}},
		{"stat", func(i int) {
			for range choose(2, 3) {
				if _, err := os.Stat(dir); err != nil {
					panic(err)
				}
			}
		}},
		{"format", func(i int) { sink += uint64(len(fmt.Sprintf("%d %s", i, text[:choose(64, 512)]))) }},
	} {
		b.Run(c.name, func(b *testing.B) {
			for i := 0; i < b.N; i++ {
				c.do(i)
			}
		})
	}
}

func deep(n int) int {
	var frame [128]byte
	if n > 0 {
		frame[n%len(frame)] = byte(deep(n - 1))
	}
	return int(frame[n%len(frame)])
}
