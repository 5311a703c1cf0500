package shard

import (
	"sync"
	"testing"
)

func TestNothingIsLost(t *testing.T) {
	s := New(func() int { return 0 })
	const goroutines, each = 16, 2000
	var wg sync.WaitGroup
	for range goroutines {
		wg.Go(func() {
			for range each {
				c, at := s.Lock()
				c.Value++
				c.Unlock()
				if again := s.At(at); again != c {
					t.Error("At names another cell than Lock")
					again.Unlock()
				} else {
					c.Unlock()
				}
			}
		})
	}
	wg.Wait()
	sum := 0
	for v := range s.All() {
		sum += *v
	}
	if sum != goroutines*each {
		t.Errorf("%d of %d arrived", sum, goroutines*each)
	}
}

// Lock does not wait behind a holder while another cell is free.
func TestLockStepsAside(t *testing.T) {
	s := New(func() int { return 0 })
	held := map[int]bool{}
	var cells []*Cell[int]
	for range s.Len() {
		c, at := s.Lock()
		if held[at] {
			t.Fatalf("cell %d given out twice", at)
		}
		held[at] = true
		cells = append(cells, c)
	}
	for _, c := range cells {
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
	c, _ := s.Lock() // every lock was given back
	c.Unlock()
	if n != 1 {
		t.Errorf("visited %d cells after break", n)
	}
}

func BenchmarkLock(b *testing.B) {
	s := New(func() int { return 0 })
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			c, _ := s.Lock()
			c.Value++
			c.Unlock()
		}
	})
}
