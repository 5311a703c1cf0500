package loopexit

import (
	"errors"
	"sync"
	"testing"
)

func work() error { return nil }

func BenchmarkBreak(b *testing.B) {
	for b.Loop() {
		if work() != nil {
			break // want `break leaves the b.Loop loop early`
		}
	}
}

func BenchmarkReturn(b *testing.B) {
	for b.Loop() {
		if work() != nil {
			return // want `return leaves the b.Loop loop early`
		}
	}
}

func BenchmarkGoto(b *testing.B) {
	for b.Loop() {
		if work() != nil {
			goto end // want `goto leaves the b.Loop loop early`
		}
	}
end:
	work()
}

func BenchmarkLabel(b *testing.B) {
loop:
	for b.Loop() {
		for range 3 {
			if work() != nil {
				break loop // want `break leaves the b.Loop loop early`
			}
		}
	}
}

func BenchmarkN(b *testing.B) {
	for i := 0; i < b.N; i++ {
		if work() != nil {
			break // want `break leaves the b.N loop early`
		}
	}
}

func BenchmarkNext(b *testing.B) {
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if work() != nil {
				return // want `return leaves the pb.Next loop early`
			}
		}
	})
}

// Near misses.

func BenchmarkSent(b *testing.B) {
	b.RunParallel(func(pb *testing.PB) {
		failed := make(chan error, 1)
		func() {
			for pb.Next() {
				if err := work(); err != nil {
					failed <- err
					return
				}
			}
			failed <- nil
		}()
		if err := <-failed; err != nil {
			b.Error(err)
		}
	})
}

func BenchmarkStrides(b *testing.B) {
	i := 0
	for i < b.N {
		for range 100 {
			work()
			i++
			if i >= b.N {
				return
			}
		}
	}
}

func BenchmarkFatal(b *testing.B) {
	for b.Loop() {
		if err := work(); err != nil {
			b.Error(err)
			return
		}
	}
}

func BenchmarkSwitch(b *testing.B) {
	for b.Loop() {
		switch work() {
		case nil:
			break
		}
		select {
		default:
			break
		}
		for range 3 {
			break
		}
	}
}

func BenchmarkContinue(b *testing.B) {
loop:
	for b.Loop() {
		for range 3 {
			if errors.Is(work(), nil) {
				continue loop
			}
		}
	}
}

func BenchmarkClosure(b *testing.B) {
	for b.Loop() {
		func() {
			if work() != nil {
				return
			}
		}()
	}
}

func check(b *testing.B, err error) {
	if err != nil {
		b.Fatal(err)
	}
}

func BenchmarkHelper(b *testing.B) {
	for b.Loop() {
		if err := work(); err != nil {
			check(b, err)
			return
		}
	}
}

func BenchmarkShare(b *testing.B) {
	var wg sync.WaitGroup
	wg.Go(func() {
		for range b.N {
			if work() != nil {
				return
			}
		}
	})
	wg.Wait()
}
