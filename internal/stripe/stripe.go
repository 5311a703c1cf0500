// Package stripe spreads the writes of many goroutines over cells, so that they
// seldom collide. [New] makes the cells, [Set.Lock] returns one of them,
// locked, and [Set.All] visits every cell to add them up.
package stripe

import (
	"iter"
	"math/bits"
	"runtime"
	"sync"
	"unsafe"
)

// Set is a fixed number of cells, several for each CPU.
type Set[T any] struct {
	cells []*Cell[T]
	shift uint
}

// Cell contains one part of the data. The cell's lock guards Value.
type Cell[T any] struct {
	mu    sync.Mutex
	Value T
	// Cells are allocated one by one. The padding keeps the writes of another
	// CPU off this cell's cache lines.
	_ [128]byte
}

// New makes a set. It calls initial once for each cell.
func New[T any](initial func() T) *Set[T] {
	n := 1 << bits.Len(uint(4*runtime.GOMAXPROCS(0)-1))
	s := &Set[T]{cells: make([]*Cell[T], n), shift: uint(64 - bits.Len(uint(n-1)))}
	for i := range s.cells {
		s.cells[i] = &Cell[T]{Value: initial()}
	}
	return s
}

// Lock returns a locked cell: the caller's own, or the next free one.
func (s *Set[T]) Lock() *Cell[T] {
	home := s.home()
	if c := s.cells[home]; c.mu.TryLock() {
		return c
	}
	return s.lockNear(home)
}

func (s *Set[T]) lockNear(home int) *Cell[T] {
	for i := range s.cells {
		if c := s.cells[(home+i)&(len(s.cells)-1)]; c.mu.TryLock() {
			return c
		}
	}
	c := s.cells[home]
	c.mu.Lock()
	return c
}

// Len is the number of cells.
func (s *Set[T]) Len() int { return len(s.cells) }

// Lock locks a cell that [Set.Lock] returned before.
func (c *Cell[T]) Lock() { c.mu.Lock() }

// Unlock returns the cell.
func (c *Cell[T]) Unlock() { c.mu.Unlock() }

// All visits the value of every cell, each under its lock. A nil set has none.
func (s *Set[T]) All() iter.Seq[*T] {
	return func(yield func(*T) bool) {
		if s == nil {
			return
		}
		for _, c := range s.cells {
			c.mu.Lock()
			more := yield(&c.Value)
			c.mu.Unlock()
			if !more {
				return
			}
		}
	}
}

// home distinguishes goroutines by the addresses of their stacks: programs
// cannot read a goroutine's number, and stacks are at least 2 KiB apart.
func (s *Set[T]) home() int {
	var onStack byte
	stack := uint64(uintptr(unsafe.Pointer(&onStack))) >> 11
	return int(stack * 0x9E3779B97F4A7C15 >> s.shift)
}
