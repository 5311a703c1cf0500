package strangers

import (
	"sync"
	"testing"
)

func BenchmarkCPUs(b *testing.B) {
	b.Run("split_in_two", cpusSplitInTwo)
	b.Run("set_parallelism", cpusSetParallelism)
	b.Run("sharded_counts", cpusShardedCounts)
	b.Run("pipeline_workers", cpusPipelineWorkers)
	b.Run("async_tail", cpusAsyncTail)
}

// The 600 µs of an operation are split over two joined goroutines, which a second CPU makes nearly twice as fast.
func cpusSplitInTwo(b *testing.B) {
	for b.Loop() {
		if !changed {
			sinkA.Add(burn(600_000))
			continue
		}
		var wg sync.WaitGroup
		for range 2 {
			wg.Go(func() { sinkA.Add(burn(300_000)) })
		}
		wg.Wait()
	}
}

// RunParallel gets 8 goroutines for each CPU instead of one, for work that only uses the CPU: the same in the long run.
func cpusSetParallelism(b *testing.B) {
	b.SetParallelism(pick(1, 8))
	b.RunParallel(func(pb *testing.PB) {
		x := uint64(0)
		for pb.Next() {
			x += burn(4000)
		}
		sinkA.Add(x)
	})
}

// One lock over a map of counts becomes 64 locks over 64 maps, which only matters while two CPUs meet.
func cpusShardedCounts(b *testing.B) {
	type shard struct {
		mu sync.Mutex
		m  map[uint64]uint64
		_  [112]byte
	}
	shards := make([]shard, pick(1, 64))
	for i := range shards {
		shards[i].m = map[uint64]uint64{}
	}
	b.RunParallel(func(pb *testing.PB) {
		x := sinkA.Add(99)
		for pb.Next() {
			x = next(x)
			s := &shards[x>>40%uint64(len(shards))]
			s.mu.Lock()
			s.m[x>>50&31] += burn(300)
			s.mu.Unlock()
			x += burn(100)
		}
	})
	sinkAny = len(shards[0].m)
}

// A pipeline (feeder, workers with 40 µs a job, collector) gets 8 instead of 2 workers, but the CPUs stay 2: no change.
func cpusPipelineWorkers(b *testing.B) {
	jobs, results := make(chan int, 16), make(chan uint64, 16)
	var workers sync.WaitGroup
	for range pick(2, 8) {
		workers.Go(func() {
			for j := range jobs {
				results <- burn(40_000 + j&1)
			}
		})
	}
	go func() {
		for i := range b.N {
			jobs <- i
		}
		close(jobs)
		workers.Wait()
		close(results)
	}()
	for r := range results {
		sinkU += r
	}
}

// The last 20 of an operation's 50 µs go to a background goroutine (at most 4 in flight), which the second CPU takes.
func cpusAsyncTail(b *testing.B) {
	slots := make(chan bool, 4)
	var wg sync.WaitGroup
	for i := range b.N {
		sinkU += burn(30_000 + i&1)
		if !changed {
			sinkA.Add(burn(20_000))
			continue
		}
		slots <- true
		wg.Go(func() {
			sinkA.Add(burn(20_000))
			<-slots
		})
	}
	wg.Wait()
}
