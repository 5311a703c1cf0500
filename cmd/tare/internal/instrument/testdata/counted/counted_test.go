package counted

import (
	"strings"
	"testing"
)

var (
	sink  int
	block *[64]byte
	words []string
	text  = strings.Repeat("the weight of the empty scale ", 30)
)

//go:noinline
func work(n int) int {
	s := 0
	for i := range n {
		s += i * i
	}
	return s
}

// The second of these has one instruction more, in about 1,000.

//go:noinline
func thousand(n int, s uint) uint {
	for range n {
		s = s*3 + 1
	}
	return s
}

//go:noinline
func thousandAndOne(n int, s uint) uint {
	for range n {
		s = s*3 + 1
	}
	return ^s
}

func BenchmarkThousand(b *testing.B) {
	for range b.N {
		sink = int(thousand(197, uint(sink)))
	}
}

func BenchmarkThousandAndOne(b *testing.B) {
	for range b.N {
		sink = int(thousandAndOne(197, uint(sink)))
	}
}

func BenchmarkPlain(b *testing.B) {
	for range b.N {
		sink += work(100)
	}
}

func BenchmarkLonger(b *testing.B) {
	for range b.N {
		sink += work(101)
	}
}

func BenchmarkLoop(b *testing.B) {
	sink = work(100_000)
	for b.Loop() {
		sink += work(100)
	}
}

func BenchmarkSetUp(b *testing.B) {
	sink = work(100 * b.N)
	b.ResetTimer()
	for range b.N {
		sink += work(100)
	}
}

func BenchmarkPaused(b *testing.B) {
	for range b.N {
		b.StopTimer()
		sink += work(10_000)
		b.StartTimer()
		sink += work(100)
	}
}

func BenchmarkSub(b *testing.B) {
	b.Run("one", BenchmarkPlain)
	b.Run("two", BenchmarkLonger)
}

func BenchmarkAlloc(b *testing.B) {
	for range b.N {
		block = new([64]byte)
	}
}

func BenchmarkFields(b *testing.B) {
	for b.Loop() {
		words = strings.Fields(text)
	}
}

func BenchmarkChan(b *testing.B) {
	c, d := make(chan int), make(chan int)
	go func() {
		for v := range c {
			d <- v
		}
		close(d)
	}()
	for b.Loop() {
		c <- 1
		<-d
	}
	close(c)
}

func BenchmarkParallel(b *testing.B) {
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			work(100)
		}
	})
}
