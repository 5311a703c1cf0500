package bisect

import "math"

// weights sums the weights of hypotheses, relative to exp(top).
type weights struct {
	top          float64
	steps        [3]float64 // by number of steps
	moves        []float64  // by size of moves, as an index of the grid
	sizes        []size
	size         int       // the current one
	mean, square []float64 // by segment
}

type size struct {
	total float64
	step  []float64 // by segment, or by commit
}

// posterior integrates over all hypotheses: no step, one or two, each with
// every size of the noise and of the effect of moved code. A commit that moves
// the code gives the commits up to the next such commit a separate level. The
// cost of Posterior grows with the square of the number of measured commits.
func (m model) Posterior(seen []observation) posterior {
	points := m.points(seen)
	n := len(points)
	w := &weights{top: math.Inf(-1), moves: make([]float64, len(movedGrid)), sizes: make([]size, len(movedGrid)), mean: make([]float64, n), square: make([]float64, n)}
	for i := range w.sizes {
		w.sizes[i].step = make([]float64, n)
	}
	possible := false
	for _, p := range points {
		possible = possible || p.weight > 0
	}
	for i := 0; possible && i < len(scaleGrid); i++ {
		l := newLevels(points, max(m.Scale, leastScale)*scaleGrid[i])
		for k, part := range movedGrid {
			sd, log := math.Abs(m.Whole)*part, math.Log(m.Moves[k])
			w.size = k
			runs := l.runs(sd * sd)
			if sd == 0 {
				w.add(m, l, runs, 0, 0, log)
				continue
			}
			// The good end may be too high or too low by as much.
			w.add(m, l, runs, sd, -sd, log-math.Ln2)
			w.add(m, l, runs, sd, sd, log-math.Ln2)
		}
	}
	return w.posterior(m, points)
}

func (w *weights) add(m model, l *levels, runs [][]run, sd, origin, log float64) {
	last := len(runs) - 1
	before := forward(runs, 0, -origin, func(i int, f []float64) float64 {
		if i == 0 {
			return 0
		}
		return f[i-1] + l.move[i]
	})
	w.sum(0, log+l.log+before[last]+math.Log(stepsPrior[0]))
	log += l.log - math.Log(float64(len(deltaGrid)))
	for _, z := range deltaGrid {
		delta := m.Delta + z*math.Hypot(m.DeltaSD, math.Sqrt2*sd)
		after := backward(runs, delta-origin, func(e int, b []float64) float64 {
			if e == last {
				return 0
			}
			return l.move[e+1] + b[e+1]
		})
		for s := 1; s <= last; s++ {
			v := w.sum(1, log+math.Log(stepsPrior[1])+before[s-1]+l.step[s]+after[s])
			w.at(s, v, delta, delta*delta)
		}
		for _, share := range shareGrid {
			if w.size == len(movedGrid)-1 {
				break // moves hide two steps as they hide one
			}
			w.addTwo(l, runs, before, after, share*delta, delta, origin, log+math.Log(2*stepsPrior[2]/float64(len(shareGrid))))
		}
	}
}

func (w *weights) addTwo(l *levels, runs [][]run, before, after []float64, size, delta, origin, log float64) {
	last := len(before) - 1
	between := forward(runs, 1, size-origin, func(i int, f []float64) float64 {
		return addLogs(f[i-1]+l.move[i], before[i-1]+l.step[i])
	})
	further := backward(runs, size-origin, func(e int, b []float64) float64 {
		if e == last {
			return math.Inf(-1)
		}
		return addLogs(l.move[e+1]+b[e+1], l.step[e+1]+after[e+1])
	})
	for s := 1; s <= last; s++ {
		v := w.sum(2, log+before[s-1]+l.step[s]+further[s])
		w.at(s, v, size, size*size)
		if s > 1 {
			v := w.relative(log + between[s-1] + l.step[s] + after[s])
			w.at(s, v, delta-size, delta*delta-size*size)
		}
	}
}

func (w *weights) at(segment int, v, size, square float64) {
	w.sizes[w.size].step[segment] += v
	w.mean[segment] += v * size
	w.square[segment] += v * square
}

func (w *weights) sum(steps int, log float64) float64 {
	v := w.relative(log)
	w.steps[steps] += v
	w.moves[w.size] += v
	if steps > 0 {
		w.sizes[w.size].total += v
	}
	return v
}

// relative returns the weight with this logarithm. If it is the largest, all
// sums become relative to it.
func (w *weights) relative(log float64) float64 {
	if math.IsInf(log, -1) {
		return 0
	}
	if log > w.top {
		factor := math.Exp(w.top - log)
		w.top = log
		lists := [][]float64{w.steps[:], w.moves, w.mean, w.square}
		for i := range w.sizes {
			w.sizes[i].total *= factor
			lists = append(lists, w.sizes[i].step)
		}
		for _, list := range lists {
			for i := range list {
				list[i] *= factor
			}
		}
	}
	return math.Exp(log - w.top)
}

// posterior spreads the weight of each segment over its commits.
func (w *weights) posterior(m model, points []point) posterior {
	n := len(m.Prior)
	p := posterior{Step: make([]float64, n), mean: make([]float64, n), square: make([]float64, n)}
	total := w.steps[0] + w.steps[1] + w.steps[2]
	if total == 0 {
		return p
	}
	spread := func(bySegment []float64) []float64 {
		all := make([]float64, n)
		for s := 1; s < len(points); s++ {
			for k := points[s-1].commit + 1; k <= points[s].commit && points[s].weight > 0; k++ {
				all[k] = m.Prior[k] / points[s].weight / total * bySegment[s]
			}
		}
		return all
	}
	for i, v := range w.steps {
		p.steps[i] = v / total
	}
	for i, v := range w.moves {
		sd := math.Abs(m.Whole) * movedGrid[i]
		p.Moves = append(p.Moves, v/total)
		p.Moved += v / total * sd * sd
		p.sizes = append(p.sizes, size{w.sizes[i].total / total, spread(w.sizes[i].step)})
		for k, v := range p.sizes[i].step {
			p.Step[k] += v
		}
	}
	p.Moved = math.Sqrt(p.Moved)
	mean, square := spread(w.mean), spread(w.square)
	for k := 1; k < n; k++ {
		p.mean[k] = p.mean[k-1] + mean[k]
		p.square[k] = p.square[k-1] + square[k]
	}
	return p
}
