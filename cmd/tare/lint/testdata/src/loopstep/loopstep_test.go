package loopstep

import "testing"

func work(int) int { return 1 }

func BenchmarkStep(b *testing.B) {
	for i := 0; i < b.N; i += 4 { // want `counts b.N in steps and does one operation`
		work(i)
	}
}

func BenchmarkStepInBody(b *testing.B) {
	for i := 0; i < b.N; i++ { // want `counts b.N in steps`
		work(i)
		i++
	}
}

func BenchmarkStepAssigned(b *testing.B) {
	for i := 0; i < b.N; i = i + 2 { // want `counts b.N in steps`
		work(i)
	}
}

func BenchmarkFraction(b *testing.B) {
	for range b.N / 10 { // want `a fraction of b.N`
		work(1)
	}
}

func BenchmarkSet(b *testing.B) {
	b.N = 100 // want `b.N is set here`
	for i := 0; i < b.N; i++ {
		work(i)
	}
}

// Near misses.

const batch = 8

func BenchmarkBatch(b *testing.B) {
	for i := 0; i < b.N; i += batch {
		for j := range batch {
			work(j)
		}
	}
}

func all(n int) {}

func BenchmarkBatchCall(b *testing.B) {
	for i := 0; i < b.N; i += 8 {
		all(8)
	}
}

func BenchmarkUnrolled(b *testing.B) {
	x := 1
	for i := 0; i < b.N; i += 2 {
		x = work(x)
		x = work(x)
	}
}

func BenchmarkRest(b *testing.B) {
	for i := 0; i < b.N/4; i++ {
		work(i)
	}
	for i := 0; i < b.N%4; i++ {
		work(i)
	}
}

func BenchmarkShare(b *testing.B) {
	done := make(chan bool)
	for g := range 2 {
		go func() {
			for i := g; i < b.N; i += 2 {
				work(i)
			}
			done <- true
		}()
	}
	<-done
	<-done
}

func ten() {
	for range 10 {
		work(1)
	}
}

func BenchmarkTen(b *testing.B) {
	for i := 0; i < b.N/10; i++ {
		ten()
	}
}

func BenchmarkFour(b *testing.B) {
	m := map[int]int{1: 1}
	for i := 0; i < b.N/4; i++ {
		_ = m[1]
		_ = m[1]
		_ = m[2]
		_ = m[2]
	}
}

// Two writes an iteration, in statements that differ.
func BenchmarkTwoWrites(b *testing.B) {
	var tree [2][2]int
	for i := 0; i < b.N; i += 2 {
		if tree[0][0] == 0 {
			tree[0] = tree[1]
		} else {
			tree[1], tree[0][0] = tree[0], i
		}
	}
}

func BenchmarkHalves(b *testing.B) {
	for i := 0; i < b.N/2; i++ {
		work(1)
	}
	for i := 0; i < b.N/2; i++ {
		work(2)
	}
}
