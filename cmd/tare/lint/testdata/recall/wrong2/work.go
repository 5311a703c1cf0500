package wrong2

import (
	"errors"
	"strings"
	"sync"
)

type pixel struct{ r, g, b uint8 }

// luma is the brightness of a pixel.
func luma(r, g, b uint8) uint32 { return (299*uint32(r) + 587*uint32(g) + 114*uint32(b)) / 1000 }

func (p pixel) gray() uint8 { return uint8((int(p.r) + int(p.g) + int(p.b)) / 3) }

type vector struct{ x, y, z float64 }

func (v vector) dot(w vector) float64 { return v.x*w.x + v.y*w.y + v.z*w.z }

func clamp[T int | float64](v, lo, hi T) T { return max(lo, min(v, hi)) }

func leap(year int) bool { return year%4 == 0 && (year%100 != 0 || year%400 == 0) }

func collatz(n int) (steps int) {
	for n > 1 {
		if n%2 == 0 {
			n /= 2
		} else {
			n = 3*n + 1
		}
		steps++
	}
	return steps
}

func triangle(n int) (sum int) {
	for i := range n {
		sum += i
	}
	return sum
}

func primes(limit int) []int {
	composite := make([]bool, limit)
	var out []int
	for i := 2; i < limit; i++ {
		if composite[i] {
			continue
		}
		out = append(out, i)
		for j := i * i; j < limit; j += i {
			composite[j] = true
		}
	}
	return out
}

func words(text string) map[string]int {
	count := make(map[string]int)
	for _, w := range strings.Fields(text) {
		count[w]++
	}
	return count
}

type stack struct{ items []int }

func (s *stack) push(v int) { s.items = append(s.items, v) }

func (s *stack) pop() (int, error) {
	if len(s.items) == 0 {
		return 0, errors.New("empty")
	}
	v := s.items[len(s.items)-1]
	s.items = s.items[:len(s.items)-1]
	return v, nil
}

type index struct {
	mu    sync.Mutex
	lists map[string][]int
}

func (x *index) add(word string, doc int) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.lists[word] = append(x.lists[word], doc)
}

func (x *index) find(word string) []int {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.lists[word]
}

type account struct {
	mu      sync.Mutex
	balance int
}

type record struct {
	Name  string
	Price float64
	Tags  []string
}

const text = "the quick brown fox jumps over the lazy dog and the quick cat"
