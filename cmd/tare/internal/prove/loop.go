package prove

// span is a range of lines of one file, both ends included.
type span struct {
	file        string
	first, last int
}

func (s span) holds(p place) bool {
	return p.file == s.file && p.line >= s.first && p.line <= s.last
}

// from says whether an instruction comes from the lines, at any level of
// inlining.
func (in *instruction) from(s span) bool {
	for _, p := range in.places {
		if s.holds(p) {
			return true
		}
	}
	return false
}

// work reports whether an instruction on the line of a loop's for is part of its
// body: not of b.Loop or pb.Next, no jump, and nothing that counts, compares or
// loads.
func (in *instruction) work() bool {
	for _, name := range in.inlined {
		if sameName(name, "Loop") || sameName(name, "Next") {
			return false
		}
	}
	return !in.control && in.kind != jump && in.kind != branch
}

// own is the place of an instruction on the level of the lines: where, in
// them, it was written or called from.
func (in *instruction) own(s span) (line int, ok bool) {
	for _, p := range in.places {
		if s.holds(p) {
			line, ok = p.line, true
		}
	}
	return line, ok
}

// cycle returns the instructions that come from the lines and can run more
// than once without leaving them: the machine's loop. It is empty when the
// function has no such loop.
func cycle(list []instruction, lines span) []*instruction {
	index := make(map[uint64]int, len(list))
	for i := range list {
		index[list[i].addr] = i
	}
	keep := make([]bool, len(list))
	for i := range list {
		// Padding has the lines of whatever is around it.
		keep[i] = list[i].kind == nop || list[i].from(lines)
	}
	next := func(i int) []int {
		var to []int
		in := &list[i]
		if in.kind != jump && in.kind != ret && i+1 < len(list) {
			to = append(to, i+1)
		}
		if in.kind == jump || in.kind == branch {
			if t, ok := index[in.target]; ok {
				to = append(to, t)
			}
		}
		return to
	}
	var out []*instruction
	for _, component := range components(len(list), keep, next) {
		if len(component) == 1 && !contains(next(component[0]), component[0]) {
			continue
		}
		for _, i := range component {
			out = append(out, &list[i])
		}
	}
	return out
}

func contains(list []int, x int) bool {
	for _, y := range list {
		if x == y {
			return true
		}
	}
	return false
}

// components are the strongly connected components of the kept part of a
// graph (Tarjan 1972), without recursion.
func components(n int, keep []bool, next func(int) []int) [][]int {
	const unseen = -1
	order, low := make([]int, n), make([]int, n)
	for i := range order {
		order[i] = unseen
	}
	onStack := make([]bool, n)
	var stack []int
	var out [][]int
	type frame struct {
		node int
		to   []int
	}
	counter := 0
	for root := range n {
		if !keep[root] || order[root] != unseen {
			continue
		}
		work := []frame{{root, next(root)}}
		order[root], low[root] = counter, counter
		counter++
		stack, onStack[root] = append(stack, root), true
		for len(work) > 0 {
			f := &work[len(work)-1]
			if len(f.to) > 0 {
				t := f.to[0]
				f.to = f.to[1:]
				switch {
				case !keep[t]:
				case order[t] == unseen:
					order[t], low[t] = counter, counter
					counter++
					stack, onStack[t] = append(stack, t), true
					work = append(work, frame{t, next(t)})
				case onStack[t]:
					low[f.node] = min(low[f.node], order[t])
				}
				continue
			}
			v := f.node
			work = work[:len(work)-1]
			if len(work) > 0 {
				parent := work[len(work)-1].node
				low[parent] = min(low[parent], low[v])
			}
			if low[v] != order[v] {
				continue
			}
			var component []int
			for {
				w := stack[len(stack)-1]
				stack, onStack[w] = stack[:len(stack)-1], false
				component = append(component, w)
				if w == v {
					break
				}
			}
			out = append(out, component)
		}
	}
	return out
}
