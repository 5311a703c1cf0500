package objcode

import (
	"fmt"
	"slices"
	"strings"
)

// initOrder lists the nonempty initializations in the order in which the
// program runs them: dependencies first, and by name among those that are ready
// (cmd/link/internal/ld/inittask.go). The initializations of the runtime come
// first.
func (p *Program) initOrder() ([]int32, error) {
	var order []int32
	for _, root := range []string{"runtime..inittask", "main..inittask"} {
		i, ok := p.byName[0][root]
		if !ok {
			continue
		}
		tasks, err := p.schedule(i)
		if err != nil {
			return nil, err
		}
		order = append(order, tasks...)
	}
	return order, nil
}

func (p *Program) schedule(root int32) ([]int32, error) {
	waiting := map[int32]int{root: 0}
	needs := make(map[int32][]int32) // from a task to the tasks that wait for it
	var ready []int32                // by name
	add := func(x int32) {
		at, _ := slices.BinarySearchFunc(ready, x, func(a, b int32) int { return strings.Compare(p.name(a), p.name(b)) })
		ready = slices.Insert(ready, at, x)
	}
	for queue := []int32{root}; len(queue) > 0; {
		x := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		at := p.symbols[x]
		if at.object == nil {
			return nil, fmt.Errorf("order initializations: %s is not defined: %w", p.name(x), errForm)
		}
		for r := range at.object.relocs(at.index).all() {
			if r.kind() == relocAddr {
				continue
			}
			dep := p.target(at.object, r.target())
			waiting[x]++
			needs[dep] = append(needs[dep], x)
			if _, found := waiting[dep]; !found {
				waiting[dep] = 0
				queue = append(queue, dep)
			}
		}
		if waiting[x] == 0 {
			add(x)
		}
	}
	var order []int32
	done := 0
	for ; len(ready) > 0; done++ {
		x := ready[0]
		ready = ready[1:]
		if p.size(x) > 8 {
			order = append(order, x)
		}
		for _, y := range needs[x] {
			if waiting[y]--; waiting[y] == 0 {
				add(y)
			}
		}
	}
	if done != len(waiting) {
		return nil, fmt.Errorf("order initializations: a circle of packages: %w", errForm)
	}
	return order, nil
}
