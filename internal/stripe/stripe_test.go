package stripe

import (
	"sync"
	"testing"
)

func TestNothingIsLost(t *testing.T) {
	s := New(func() int { return 0 })
	const goroutines, each = 16, 2000
	var wg sync.WaitGroup
	for range goroutines {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for range each {
				c := s.Lock()
				c.Value++
				c.Unlock()
				c.Lock()
				c.Value++
				c.Unlock()
			}
		}()
	}
	wg.Wait()
	sum := 0
	for v := range s.All() {
		sum += *v
	}
	if sum != 2*goroutines*each {
		t.Errorf("%d of %d arrived", sum, 2*goroutines*each)
	}
}

// Lock does not wait for a holder while another cell is free.
func TestLockStepsAside(t *testing.T) {
	s := New(func() int { return 0 })
	held := map[*Cell[int]]bool{}
	for range s.Len() {
		c := s.Lock()
		if held[c] {
			t.Fatal("a cell is given out twice")
		}
		held[c] = true
	}
	for c := range held {
		c.Unlock()
	}
}

func TestAllStops(t *testing.T) {
	s := New(func() int { return 1 })
	n := 0
	for range s.All() {
		n++
		break
	}
	c := s.Lock() // every lock was released
	c.Unlock()
	if n != 1 {
		t.Errorf("visited %d cells after break", n)
	}
}

func BenchmarkLock(b *testing.B) {
	s := New(func() int { return 0 })
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			c := s.Lock()
			c.Value++
			c.Unlock()
		}
	})
}
