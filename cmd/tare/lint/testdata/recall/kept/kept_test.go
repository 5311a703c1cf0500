// Package kept has benchmarks whose work is all there: -prove reports none of
// them.
package kept

import (
	"bytes"
	"fmt"
	"math"
	"math/bits"
	"sort"
	"strings"
	"sync/atomic"
	"testing"
)

var (
	In    uint64 = 0x1234567
	Out   uint64
	Float = 3.5
	S     = "a string"
	D     = []byte("some bytes")
	Table [256]uint32
	Shape shape = square{2}
	Hash        = hash
	Ctr   atomic.Int64
)

func hash(x uint64) uint64 {
	x ^= x >> 33
	x *= 0xff51afd7ed558ccd
	x ^= x >> 33
	return x
}

type shape interface{ area() float64 }

type square struct{ side float64 }

func (s square) area() float64 { return s.side * s.side }

func div(a, b int) int { return a / b }

func apply(f func(uint64) uint64, x uint64) uint64 { return f(x) }

func BenchmarkStored(b *testing.B) {
	for i := 0; i < b.N; i++ {
		Out = hash(uint64(i))
	}
}

func BenchmarkSummed(b *testing.B) {
	var sum uint64
	for i := range b.N {
		sum += hash(uint64(i))
	}
	Out = sum
}

func BenchmarkLoop(b *testing.B) {
	x := In
	for b.Loop() {
		hash(x)
		x++
	}
}

func BenchmarkLoopBlank(b *testing.B) {
	for b.Loop() {
		_ = hash(In)
	}
}

func BenchmarkIndirect(b *testing.B) {
	for i := 0; i < b.N; i++ {
		Hash(In)
	}
}

func BenchmarkInterface(b *testing.B) {
	for i := 0; i < b.N; i++ {
		Shape.area()
	}
}

func BenchmarkDependent(b *testing.B) {
	x := In
	for i := 0; i < b.N; i++ {
		x = hash(x)
	}
	Out = x
}

func BenchmarkCRC(b *testing.B) {
	crc := uint32(In)
	for i := 0; i < b.N; i++ {
		for _, c := range D {
			crc = Table[byte(crc)^c] ^ crc>>8
		}
	}
	Out = uint64(crc)
}

func BenchmarkFloat(b *testing.B) {
	x := Float
	for i := 0; i < b.N; i++ {
		x = math.Sqrt(x) + 1
	}
	Float = x
}

func BenchmarkBits(b *testing.B) {
	n := 0
	for i := 0; i < b.N; i++ {
		n += bits.OnesCount64(uint64(i) * In)
	}
	Out = uint64(n)
}

func BenchmarkAtomic(b *testing.B) {
	for i := 0; i < b.N; i++ {
		Ctr.Add(1)
	}
}

func BenchmarkParallel(b *testing.B) {
	b.RunParallel(func(pb *testing.PB) {
		var own uint64
		for pb.Next() {
			own = hash(own + 1)
		}
		atomic.StoreUint64(&Out, own)
	})
}

func BenchmarkSprint(b *testing.B) {
	for i := 0; i < b.N; i++ {
		_ = fmt.Sprint(i)
	}
}

func BenchmarkBytesEqual(b *testing.B) {
	for i := 0; i < b.N; i++ {
		bytes.Equal(D, []byte(S))
	}
}

func BenchmarkIndex(b *testing.B) {
	for i := 0; i < b.N; i++ {
		strings.Index(S, "ring")
	}
}

func BenchmarkDiv(b *testing.B) {
	n := 0
	for i := 0; i < b.N; i++ {
		n += div(1000, n&7+1)
	}
	Out = uint64(n)
}

func BenchmarkSearch(b *testing.B) {
	list := []int{1, 3, 5, 7, 9}
	for i := 0; i < b.N; i++ {
		sort.SearchInts(list, i%10)
	}
}

func BenchmarkSliceLoop(b *testing.B) {
	list := make([]int, 100)
	for i := 0; i < b.N; i++ {
		for j := range list {
			list[j] += i
		}
	}
}

func BenchmarkChannel(b *testing.B) {
	c := make(chan int, 1)
	for i := 0; i < b.N; i++ {
		c <- i
		<-c
	}
}

func BenchmarkMap(b *testing.B) {
	m := map[int]int{1: 2}
	for i := 0; i < b.N; i++ {
		_ = m[i]
	}
}

func BenchmarkNested(b *testing.B) {
	for _, n := range []int{1, 2} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				for range n {
					Out = hash(Out)
				}
			}
		})
	}
}

func BenchmarkClosure(b *testing.B) {
	for b.Loop() {
		func() { Out = hash(In) }()
	}
}

func BenchmarkHelper(b *testing.B) {
	for i := 0; i < b.N; i++ {
		Out += apply(hash, uint64(i))
	}
}

// The loop counts iterations for its own sake: nothing was meant to be there.
func BenchmarkAllocate(b *testing.B) {
	for i := 0; i < b.N; i++ {
		D = make([]byte, 16)
	}
}

func BenchmarkSwitch(b *testing.B) {
	var a, c uint64
	for i := 0; i < b.N; i++ {
		switch i % 3 {
		case 0:
			a += hash(In)
		case 1:
			c ^= hash(uint64(i))
		}
	}
	Out = a + c
}

// Nothing is in the loop, and nothing is missing.
func BenchmarkNothing(b *testing.B) {
	for i := 0; i < b.N; i++ {
	}
}

func double(c chan int) int { c <- 1; return 2 }

func BenchmarkGoStatement(b *testing.B) {
	c := make(chan int)
	for i := 0; i < b.N; i++ {
		go double(c)
		<-c
	}
}

func BenchmarkDeferStatement(b *testing.B) {
	c := make(chan int, 1)
	for i := 0; i < b.N; i++ {
		func() {
			defer double(c)
			Out++
		}()
		<-c
	}
}

func BenchmarkMethodValue(b *testing.B) {
	f := square{Float}.area
	for i := 0; i < b.N; i++ {
		Float = f()
	}
}

type embedded struct{ square }

func BenchmarkPromoted(b *testing.B) {
	e := embedded{square{Float}}
	for i := 0; i < b.N; i++ {
		e.side += e.area()
	}
	Float = e.side
}

func first[T any](list []T) T { return list[0] }

func BenchmarkGenericCall(b *testing.B) {
	for i := 0; i < b.N; i++ {
		Out += uint64(first(D))
	}
}

func BenchmarkBoundsOnly(b *testing.B) {
	for i := 0; i < b.N; i++ {
		first(D[i&7:])
	}
}

func BenchmarkInnerLoopOnly(b *testing.B) {
	for i := 0; i < b.N; i++ {
		for range 10 {
		}
	}
}

func BenchmarkRecursive(b *testing.B) {
	for i := 0; i < b.N; i++ {
		fib(10)
	}
}

func fib(n int) int {
	if n < 2 {
		return n
	}
	return fib(n-1) + fib(n-2)
}
