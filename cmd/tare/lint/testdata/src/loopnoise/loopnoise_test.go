package loopnoise

import (
	"fmt"
	"log"
	"math/rand"
	"strconv"
	"testing"
	"time"
)

var Sink any

func use(t time.Time) {}

func BenchmarkDraw(b *testing.B) {
	for b.Loop() {
		strconv.Itoa(rand.Intn(100)) // want `a random number is drawn inside the timed loop`
	}
}

func BenchmarkDrawLocal(b *testing.B) {
	r := rand.New(rand.NewSource(1))
	for i := 0; i < b.N; i++ {
		n := r.Intn(100) // want `a random number is drawn inside the timed loop`
		Sink = strconv.Itoa(n)
	}
}

func BenchmarkStamp(b *testing.B) {
	for b.Loop() {
		use(time.Now()) // want `the clock is read inside the timed loop`
	}
}

func BenchmarkParse(b *testing.B) {
	for b.Loop() {
		n, _ := strconv.Atoi("12")
		fmt.Println(n)          // want `Println inside the timed loop`
		log.Printf("got %d", n) // want `Printf inside the timed loop`
		b.Log(n)                // want `b.Log inside the timed loop`
	}
}

func BenchmarkWork(b *testing.B) {
	for b.Loop() {
		strconv.Atoi("12")
		time.Sleep(time.Millisecond) // want `the timed loop sleeps`
	}
}

func BenchmarkShared(b *testing.B) {
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			strconv.Itoa(rand.Intn(100)) // want `a random number is drawn inside the timed loop`
		}
	})
}

func search(list []int, x int) int {
	lo, hi := 0, len(list)
	for lo < hi {
		mid := (lo + hi) / 2
		if list[mid] < x {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo
}

func BenchmarkSearch(b *testing.B) {
	list := make([]int, 1000)
	for b.Loop() {
		search(list, rand.Intn(1000)) // want `a random number is drawn inside the timed loop`
	}
}

// Near misses.

func total(n int) (t int) {
	for i := range n {
		t += i
	}
	return t
}

func BenchmarkLongWork(b *testing.B) {
	for b.Loop() {
		total(1000 + rand.Intn(100))
	}
}

func BenchmarkBefore(b *testing.B) {
	n := rand.Intn(100)
	for b.Loop() {
		strconv.Itoa(n)
	}
}

func BenchmarkIntn(b *testing.B) {
	for b.Loop() {
		rand.Intn(100)
	}
}

func BenchmarkSinkOfIntn(b *testing.B) {
	for b.Loop() {
		Sink = rand.Intn(100)
	}
}

func BenchmarkRandShuffle(b *testing.B) {
	list := rand.Perm(10)
	for b.Loop() {
		use(time.Time{})
		rand.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
		_ = strconv.Itoa(rand.Intn(100))
	}
}

func BenchmarkPrintln(b *testing.B) {
	for b.Loop() {
		use(time.Time{})
		fmt.Println("x")
	}
}

func BenchmarkOwnClock(b *testing.B) {
	var spent time.Duration
	for b.Loop() {
		start := time.Now()
		strconv.Atoi("12")
		spent += time.Since(start)
	}
	Sink = spent
}

func BenchmarkErrorPath(b *testing.B) {
	for b.Loop() {
		if _, err := strconv.Atoi("12"); err != nil {
			log.Println(err)
			b.Log(err)
		}
	}
}

func BenchmarkPaused(b *testing.B) {
	for b.Loop() {
		b.StopTimer()
		n := rand.Intn(100)
		b.StartTimer()
		strconv.Itoa(n)
	}
}
