package bnsize

import (
	"bytes"
	"fmt"
	"strings"
	"sync"
	"testing"
)

func fib(n int) int {
	if n < 2 {
		return n
	}
	return fib(n-1) + fib(n-2)
}

func pairs(n int) (count int) {
	for i := 0; i < n; i++ {
		for j := range n {
			count += i ^ j
		}
	}
	return count
}

func kernel(n int) (sum int) {
	for i := 0; i < n; i++ {
		sum += i
	}
	return sum
}

func BenchmarkRecursive(b *testing.B) {
	fib(b.N) // want `b.N as the size of the work: fib`
}

func BenchmarkRecursivePlus(b *testing.B) {
	fib(b.N + 1) // want `b.N as the size of the work: fib`
}

func BenchmarkNested(b *testing.B) {
	n := b.N
	pairs(n) // want `b.N as the size of the work: pairs`
}

func BenchmarkSub(b *testing.B) {
	b.Run("fib", func(b *testing.B) {
		fib(b.N) // want `b.N as the size of the work: fib`
	})
}

func BenchmarkInLoop(b *testing.B) {
	for i := 0; i < b.N; i++ {
		fib(b.N) // want `b.N as an argument inside the timed loop`
	}
}

func BenchmarkMakeInLoop(b *testing.B) {
	for range b.N {
		_ = make([]int, b.N) // want `b.N as an argument inside the timed loop`
	}
}

func BenchmarkRepeatInLoop(b *testing.B) {
	for b.Loop() {
		_ = strings.Repeat("x", 2*b.N) // want `b.N as an argument inside the timed loop`
	}
}

// Near misses.

func BenchmarkKernel(b *testing.B) {
	kernel(b.N) // one simple loop of b.N equal steps
}

func BenchmarkInputs(b *testing.B) {
	inputs := make([]int, b.N)
	for i := range inputs {
		inputs[i] = i % 7
	}
	b.ResetTimer()
	for i := 0; i < b.N; i++ {
		fib(inputs[i])
	}
}

func BenchmarkWait(b *testing.B) {
	var wg sync.WaitGroup
	wg.Add(b.N)
	for i := 0; i < b.N; i++ {
		go wg.Done()
	}
	wg.Wait()
}

func BenchmarkTalk(b *testing.B) {
	for i := 0; i < b.N; i++ {
		if i > 1<<40 {
			b.Fatal(fmt.Sprint(b.N))
		}
	}
	b.ReportMetric(float64(b.N), "n")
}

func BenchmarkBuffer(b *testing.B) {
	var buf bytes.Buffer
	buf.Grow(b.N)
	for i := 0; i < b.N; i++ {
		buf.WriteByte('x')
	}
}

type counter struct{ N int }

func BenchmarkOtherN(b *testing.B) {
	c := counter{3}
	for b.Loop() {
		fib(c.N)
	}
}
