package lintdriver

import (
	"slices"

	"github.com/tarebench/tare/cmd/tare/internal/objcode"
)

// place is a line of the source.
type place struct {
	file string
	line int
}

// instruction is an instruction of a function.
type instruction struct{ objcode.Located }

// span is a range of lines of one file, both ends included.
type span struct {
	file        string
	first, last int
}

func (s span) holds(p objcode.Site) bool {
	return p.File == s.file && p.Line >= s.first && p.Line <= s.last
}

// from reports whether an instruction comes from the lines, at any level of
// inlining.
func (in *instruction) from(s span) bool {
	for _, p := range in.Places {
		if s.holds(p) {
			return true
		}
	}
	return false
}

// work reports whether an instruction on the line of a loop's for is part of
// its body. Jumps, b.Loop and pb.Next are not, and neither are instructions
// that count, compare or load.
func (in *instruction) work() bool {
	for _, name := range in.Inlined {
		if sameName(name, "Loop") || sameName(name, "Next") {
			return false
		}
	}
	return !in.Control && in.Kind != objcode.Jump && in.Kind != objcode.Branch
}

// own returns the place of an instruction on the level of the lines: the line
// among them that contains it or calls its function.
func (in *instruction) own(s span) (line int, ok bool) {
	for _, p := range in.Places {
		if s.holds(p) {
			line, ok = p.Line, true
		}
	}
	return line, ok
}

// cycle returns the instructions that come from the lines and can run more than
// once without leaving them: the machine's loop. It is empty if the function
// has no such loop.
func cycle(list []instruction, lines span) []*instruction {
	index := make(map[int]int, len(list))
	for i := range list {
		index[int(list[i].Off)] = i
	}
	keep := make([]bool, len(list))
	for i := range list {
		// Padding has the lines of the code around it.
		keep[i] = list[i].Kind == objcode.Filler || list[i].from(lines)
	}
	next := func(i int) []int {
		var to []int
		in := &list[i]
		if in.Kind != objcode.Jump && in.Kind != objcode.Return && i+1 < len(list) {
			to = append(to, i+1)
		}
		if in.Kind == objcode.Jump || in.Kind == objcode.Branch {
			if t, ok := index[in.Target]; ok {
				to = append(to, t)
			}
		}
		return to
	}
	var out []*instruction
	for _, i := range repeated(keep, next) {
		out = append(out, &list[i])
	}
	return out
}

// repeated returns the kept nodes of a graph that a path leads back to: the
// nodes of its strongly connected components (Tarjan 1972).
func repeated(keep []bool, next func(int) []int) (out []int) {
	order, low := make([]int, len(keep)), make([]int, len(keep)) // 0: not seen
	open := make([]bool, len(keep))
	var stack []int
	seen := 0
	var visit func(v int)
	visit = func(v int) {
		seen++
		order[v], low[v] = seen, seen
		stack, open[v] = append(stack, v), true
		again := false
		for _, t := range next(v) {
			switch {
			case !keep[t]:
			case order[t] == 0:
				visit(t)
				low[v] = min(low[v], low[t])
			case open[t]:
				low[v] = min(low[v], order[t])
				again = again || t == v
			}
		}
		if low[v] != order[v] {
			return
		}
		at := slices.Index(stack, v)
		if again || len(stack)-at > 1 {
			out = append(out, stack[at:]...)
		}
		for _, w := range stack[at:] {
			open[w] = false
		}
		stack = stack[:at]
	}
	for v := range keep {
		if keep[v] && order[v] == 0 {
			visit(v)
		}
	}
	return out
}
