package strangers

import (
	"bufio"
	"io"
	"os"
	"strconv"
	"sync"
	"testing"
	"time"
)

func BenchmarkWait(b *testing.B) {
	b.Run("rarer_flush", waitRarerFlush)
	b.Run("rarer_throttle", waitRarerThrottle)
	b.Run("split_backoff", waitSplitBackoff)
	b.Run("more_handoffs", waitMoreHandoffs)
	b.Run("io_out_of_lock", waitIOOutOfLock)
}

// A log of 40-byte lines goes to its file every 2048 lines instead of every 32.
func waitRarerFlush(b *testing.B) {
	f, err := os.Create(b.TempDir() + "/log")
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	w := bufio.NewWriterSize(f, 128<<10)
	var line []byte
	b.ResetTimer()
	for i := range b.N {
		line = append(line[:0], "level=info msg=served request="...)
		line = append(strconv.AppendInt(line, int64(i)+1e9, 10), '\n')
		w.Write(line)
		sinkU += burn(300)
		if i%pick(32, 2048) == 0 {
			w.Flush()
		}
		if i%(1<<16) == 1<<16-1 {
			w.Flush()
			f.Seek(0, io.SeekStart)
		}
	}
	w.Flush()
}

// A throttle sleeps 5 ms once in 10,000 instead of once in 1,000 operations of 1 µs.
func waitRarerThrottle(b *testing.B) {
	every := pick(1000, 10000)
	for i := range b.N {
		sinkU += burn(800)
		if i%every == every-1 {
			time.Sleep(5 * time.Millisecond)
		}
	}
}

// A wait of 20 ms once in 5,000 operations becomes four times as frequent and a quarter as long, which costs the same.
func waitSplitBackoff(b *testing.B) {
	every, d := 5000, 20*time.Millisecond
	if changed {
		every, d = every/4, d/4
	}
	for i := 1; b.Loop(); i++ {
		sinkU += burn(3000)
		if i%every == 0 {
			time.Sleep(d)
		}
	}
}

// A question to the goroutine that owns the state, over unbuffered channels, comes every 12th instead of every 48th operation.
func waitMoreHandoffs(b *testing.B) {
	ask, answer := make(chan uint64), make(chan uint64)
	go func() {
		defer close(answer)
		state := uint64(0)
		for q := range ask {
			state += q
			answer <- state + burn(200)
		}
	}()
	every := pick(48, 12)
	b.ResetTimer()
	for i := range b.N {
		sinkU += burn(400)
		if i%every == 0 {
			ask <- uint64(i)
			sinkU += <-answer
		}
	}
	close(ask)
	<-answer
}

// A background writer, every 12 ms, no longer holds the lock over its 3 ms of waiting for a disk, so operations of 2 µs never wait for it.
func waitIOOutOfLock(b *testing.B) {
	var mu sync.Mutex
	stop, done := make(chan bool), make(chan bool)
	state := uint64(0)
	go func() {
		defer close(done)
		t := time.NewTicker(12 * time.Millisecond)
		defer t.Stop()
		for {
			select {
			case <-stop:
				return
			case <-t.C:
			}
			mu.Lock()
			state++
			if !changed {
				time.Sleep(3 * time.Millisecond)
			}
			mu.Unlock()
			if changed {
				time.Sleep(3 * time.Millisecond)
			}
		}
	}()
	for b.Loop() {
		mu.Lock()
		state += burn(1500)
		mu.Unlock()
	}
	close(stop)
	<-done
	sinkU += state
}
