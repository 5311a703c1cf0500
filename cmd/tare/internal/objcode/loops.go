package objcode

import "slices"

// A call in a loop costs more than a call beside it, but a count of places does not
// show that one moved from one to the other. So places also count by the loops
// around them. A loop is a set of blocks of machine code that lead to each other.
// The check of an index ends in a call that does not return, in a block outside of
// all loops: such a block is where the blocks that lead to it are.

// doesNotReturn are the beginnings of names of functions that do not return to
// their call. The code after runtime.morestack begins the function again.
var doesNotReturn = []string{"runtime.panic", "runtime.goPanic", "runtime.gopanic", "runtime.throw", "runtime.fatal", "runtime.block", "runtime.morestack"}

// block is a piece of code that runs from its first to its last instruction.
type block struct {
	from, to uint32 // offsets of the first instruction and of the last
	next     []int  // the blocks that may follow
	before   []int  // the blocks that it may follow
	ends     bool   // in a call that does not return
	loops    []int  // the numbers of the loops around it
}

// loops are the loops of a function.
type loops struct {
	blocks []block
	owners []int // by loop: the inlined call whose loop it is, or -1
}

// newLoops finds the loops in the instructions of a function. ends reports whether
// an instruction calls what does not return, and common is the innermost inlined
// call that contains two offsets.
func newLoops(code []instruction, ends func(instruction) bool, common func(a, b uint32) int) *loops {
	starts := make(map[uint32]bool)
	for i, in := range code {
		if in.jumps {
			starts[in.target] = true
		}
		if i == 0 || code[i-1].jumps || code[i-1].last || ends(code[i-1]) {
			starts[in.off] = true
		}
	}
	l := &loops{}
	at := make(map[uint32]int) // blocks by their beginning
	for _, in := range code {
		if starts[in.off] {
			at[in.off] = len(l.blocks)
			l.blocks = append(l.blocks, block{from: in.off})
		}
		b := &l.blocks[len(l.blocks)-1]
		b.to, b.ends = in.off, ends(in)
	}
	n := 0
	for i, in := range code {
		if n < len(l.blocks) && in.off > l.blocks[n].to {
			n++
		}
		if in.off != l.blocks[n].to || ends(in) {
			continue
		}
		if to, ok := at[in.target]; ok && in.jumps {
			l.lead(n, to)
		}
		if !in.last && i+1 < len(code) {
			l.lead(n, n+1)
		}
	}
	all := make([]int, len(l.blocks))
	for i := range all {
		all[i] = i
	}
	l.find(all, common)
	l.carry()
	return l
}

func (l *loops) lead(from, to int) {
	l.blocks[from].next = append(l.blocks[from].next, to)
	l.blocks[to].before = append(l.blocks[to].before, from)
}

// find numbers the loops among some blocks, and then those inside: without the
// block where a loop begins, only the loops inside it remain.
func (l *loops) find(among []int, common func(a, b uint32) int) {
	for _, cycle := range l.cycles(among) {
		inside := func(b int) bool { _, found := slices.BinarySearch(cycle, b); return found }
		first := cycle[0]
		for _, b := range cycle {
			if slices.ContainsFunc(l.blocks[b].before, func(from int) bool { return !inside(from) }) {
				first = b
				break
			}
		}
		number, owner, known := len(l.owners), -1, false
		for _, from := range l.blocks[first].before {
			if inside(from) && !known {
				owner, known = common(l.blocks[first].from, l.blocks[from].to), true
			}
		}
		l.owners = append(l.owners, owner)
		for _, b := range cycle {
			l.blocks[b].loops = append(l.blocks[b].loops, number)
		}
		l.find(slices.DeleteFunc(slices.Clone(cycle), func(b int) bool { return b == first }), common)
	}
}

// cycles are the sets of blocks that lead to each other (Tarjan), each sorted.
func (l *loops) cycles(among []int) (all [][]int) {
	in, index, low := make(map[int]bool), make(map[int]int), make(map[int]int)
	for _, b := range among {
		in[b] = true
	}
	var stack []int
	var visit func(int)
	visit = func(b int) {
		index[b], low[b] = len(index)+1, len(index)+1
		stack = append(stack, b)
		for _, to := range l.blocks[b].next {
			switch {
			case !in[to]:
			case index[to] == 0:
				visit(to)
				low[b] = min(low[b], low[to])
			case in[to]: // it is on the stack
				low[b] = min(low[b], index[to])
			}
		}
		if low[b] == index[b] {
			at := slices.Index(stack, b)
			cycle := slices.Sorted(slices.Values(stack[at:]))
			stack = stack[:at]
			for _, b := range cycle {
				in[b] = false
			}
			if len(cycle) > 1 || slices.Contains(l.blocks[b].next, b) {
				all = append(all, cycle)
			}
		}
	}
	for _, b := range among {
		if index[b] == 0 {
			visit(b)
		}
	}
	return all
}

// carry gives the blocks that lead only to calls that do not return the loops of the
// blocks that lead to them.
func (l *loops) carry() {
	for changed := true; changed; {
		changed = false
		for i := range l.blocks {
			b := &l.blocks[i]
			if !b.ends && len(b.next) > 0 && !slices.ContainsFunc(b.next, func(n int) bool { return !l.blocks[n].ends }) {
				b.ends, changed = true, true
			}
			for _, from := range b.before {
				if b.ends && len(l.blocks[from].loops) > len(b.loops) {
					b.loops, changed = l.blocks[from].loops, true
				}
			}
		}
	}
}

// around is the number of loops of an inlined call, or of the function itself (-1),
// around an offset.
func (l *loops) around(off uint32, owner int) (n int) {
	i, found := slices.BinarySearchFunc(l.blocks, off, func(b block, off uint32) int {
		switch {
		case b.to < off:
			return -1
		case b.from > off:
			return 1
		}
		return 0
	})
	if !found {
		return 0
	}
	for _, loop := range l.blocks[i].loops {
		if l.owners[loop] == owner {
			n++
		}
	}
	return n
}
