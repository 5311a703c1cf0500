package bninput

import (
	"math/rand"
	"strconv"
	"strings"
	"testing"
)

func fib(n int) int {
	if n < 2 {
		return n
	}
	return fib(n-1) + fib(n-2)
}

func sum(n int) (s int) {
	for i := range n {
		s += i
	}
	return s
}

func digits(n int) (count int) {
	for n > 0 {
		n /= 10
		count++
	}
	return count
}

func hash(n int) int { return n * 2654435761 }

func BenchmarkFib(b *testing.B) {
	for n := 0; n < b.N; n++ {
		fib(n) // want `the loop counter is the size of the work of fib`
	}
}

func BenchmarkFibPlus(b *testing.B) {
	for n := range b.N {
		fib(n + 1) // want `the loop counter is the size of the work of fib`
	}
}

func BenchmarkSum(b *testing.B) {
	for i := 0; b.Loop(); i++ {
		sum(i) // want `the loop counter is the size of the work of sum`
	}
}

func BenchmarkMake(b *testing.B) {
	for i := 0; i < b.N; i++ {
		_ = make([]byte, i) // want `the loop counter is the size of the result`
	}
}

func BenchmarkRepeat(b *testing.B) {
	for i := 0; i < b.N; i++ {
		_ = strings.Repeat("x", i) // want `the loop counter is the size of the work of Repeat`
	}
}

func BenchmarkPerm(b *testing.B) {
	for i := 0; i < b.N; i++ {
		_ = rand.Perm(i) // want `the loop counter is the size of the work of Perm`
	}
}

func BenchmarkInner(b *testing.B) {
	total := 0
	for i := 0; i < b.N; i++ {
		for j := 0; j < i; j++ { // want `this loop runs up to the loop counter`
			total += j
		}
	}
	_ = total
}

func BenchmarkInnerRange(b *testing.B) {
	total := 0
	for i := 0; i < b.N; i++ {
		for j := range i { // want `this loop runs up to the loop counter`
			total += j
		}
	}
	_ = total
}

// Near misses.

func BenchmarkModulo(b *testing.B) {
	for n := 0; n < b.N; n++ {
		fib(n % 20)
	}
}

func BenchmarkValue(b *testing.B) {
	for i := 0; i < b.N; i++ {
		_ = strconv.Itoa(i)
		hash(i)
		digits(i)
	}
}

func BenchmarkIndex(b *testing.B) {
	table := make([]int, 64)
	for i := 0; i < b.N; i++ {
		table[i&63]++
	}
}

func BenchmarkKeys(b *testing.B) {
	keys := map[int]bool{}
	for i := 0; i < b.N; i++ {
		keys[i] = true
	}
}

func BenchmarkReset(b *testing.B) {
	for i := 0; i < b.N; i++ {
		fib(i)
		i = 0 // the counter is no counter
	}
}

func BenchmarkPaused(b *testing.B) {
	for i := 0; i < b.N; i++ {
		b.StopTimer()
		input := make([]byte, i)
		b.StartTimer()
		_ = len(input)
	}
}
