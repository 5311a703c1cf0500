package wrong2

import (
	"fmt"
	"log"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
)

var Count int

var Found []int

// mistake: bninput
func BenchmarkTriangle(b *testing.B) {
	for i := 0; i < b.N; i++ {
		Count = triangle(i)
	}
}

// mistake: bninput bnsize noloop
func BenchmarkPrimes(b *testing.B) {
	Found = primes(b.N)
}

// mistake: bnsize noloop
func BenchmarkSortFloats(b *testing.B) {
	values := make([]float64, b.N)
	for i := range values {
		values[i] = rand.Float64()
	}
	b.ResetTimer()
	slices.Sort(values)
}

// mistake: bnsize
func BenchmarkCountWords(b *testing.B) {
	all := strings.Repeat(text, b.N)
	b.ResetTimer()
	for i := 0; i < b.N; i++ {
		Count = strings.Count(all, "fox")
	}
}

// mistake: noloop
func BenchmarkWords(b *testing.B) {
	b.ReportAllocs()
	count := words(strings.Repeat(text, 1000))
	if count["fox"] != 1000 {
		b.Fatal(count["fox"])
	}
}

// mistake: noloop
func BenchmarkCollatz(b *testing.B) {
	for i := 0; i < 100000; i++ {
		Count += collatz(i)
	}
}

// mistake: noloop
func BenchmarkStack(b *testing.B) {
	for _, depth := range []int{1, 100} {
		b.Run(fmt.Sprint(depth), func(b *testing.B) {
			var s stack
			for i := range depth {
				s.push(i)
			}
			for range depth {
				Count, _ = s.pop()
			}
		})
	}
}

// mistake: noloop
func BenchmarkLiteral(b *testing.B) {
	r := testing.Benchmark(func(b *testing.B) {
		Found = primes(10000)
	})
	fmt.Fprintln(b.Output(), r)
}

// mistake: loopcond
func BenchmarkIfLoop(b *testing.B) {
	values := rand.Perm(1000)
	if b.Loop() {
		slices.Sort(values)
	}
}

// mistake: loopnoise
func BenchmarkTable(b *testing.B) {
	var table [256]int
	for i := 0; i < b.N; i++ {
		Count += table[rand.IntN(256)]
	}
}

// mistake: loopnoise
func BenchmarkLogged(b *testing.B) {
	for i := 0; i < b.N; i++ {
		Count = collatz(i % 100)
		if Count > 100 {
			log.Printf("long: %d", i)
		}
		log.Println(i, Count)
	}
}

// mistake: loopnoise
func BenchmarkLogf(b *testing.B) {
	for i := range b.N {
		n := collatz(i%100 + 1)
		b.Logf("%d takes %d steps", i, n)
	}
}

// mistake: loopnoise
func BenchmarkOwnClock(b *testing.B) {
	var total time.Duration
	for i := 0; i < b.N; i++ {
		start := time.Now()
		Count = collatz(i%100 + 1)
		total += time.Since(start)
	}
	b.ReportMetric(float64(total)/float64(b.N), "own-ns/op")
}

// mistake: loopnoise
func BenchmarkPoll(b *testing.B) {
	ready := make(chan int, 1)
	for b.Loop() {
		ready <- 1
		time.Sleep(time.Microsecond)
		Count = <-ready
	}
}

// mistake: noloop
func BenchmarkOuter(b *testing.B) {
	for _, n := range []int{10, 1000} {
		b.Run(fmt.Sprintf("n=%d", n), func(sub *testing.B) {
			for i := 0; i < b.N; i++ {
				Count = triangle(n)
			}
		})
	}
}
