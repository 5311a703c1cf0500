package bisect

import "math"

// weights sums the weights of hypotheses, relative to exp(top).
type weights struct {
	top                float64
	total, two, none   float64
	size               int // of moves, as an index of the grid
	moves              []float64
	step, mean, square []float64 // by segment
}

// Posterior integrates over all hypotheses: no step, one or two, each with
// every size of the noise and of the effect of moved code. A commit that moves
// the code gives the commits up to the next such commit a separate level. The
// cost of Posterior grows with the square of the number of measured commits.
func (m Model) Posterior(seen []Observation) Posterior {
	points := m.points(seen)
	n := len(points)
	w := &weights{top: math.Inf(-1), moves: make([]float64, len(movedGrid)), step: make([]float64, n), mean: make([]float64, n), square: make([]float64, n)}
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

// add adds all hypotheses of one scale of the noise, one size of moves and one
// place of the good end among them.
func (w *weights) add(m Model, l *levels, runs [][]run, sd, origin, log float64) {
	last := len(runs) - 1
	before := forward(runs, 0, -origin, func(i int, f []float64) float64 {
		if i == 0 {
			return 0
		}
		return f[i-1] + l.move[i]
	})
	w.sum(log+l.log+before[last]+math.Log(noneWeight), func(v float64) { w.none += v })
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
			w.sum(log+math.Log(1-twoWeight-noneWeight)+before[s-1]+l.step[s]+after[s], func(v float64) { w.at(s, v, delta, delta*delta) })
		}
		for _, share := range shareGrid {
			if w.size == len(movedGrid)-1 {
				break // moves hide two steps as they hide one
			}
			w.addTwo(l, runs, before, after, share*delta, delta, sd, origin, log+math.Log(2*twoWeight/float64(len(shareGrid))))
		}
	}
}

// addTwo adds the hypotheses of two steps, of which the first has this size.
func (w *weights) addTwo(l *levels, runs [][]run, before, after []float64, size, delta, sd, origin, log float64) {
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
		w.sum(log+before[s-1]+l.step[s]+further[s], func(v float64) { w.two += v; w.at(s, v, size, size*size) })
		if s > 1 && w.total > 0 {
			second := log + between[s-1] + l.step[s] + after[s]
			w.relative(second)
			w.at(s, math.Exp(second-w.top), delta-size, delta*delta-size*size)
		}
	}
}

// at adds the weight of a step in a segment.
func (w *weights) at(segment int, v, size, square float64) {
	w.step[segment] += v
	w.mean[segment] += v * size
	w.square[segment] += v * square
}

// sum adds the weight of a hypothesis.
func (w *weights) sum(log float64, note func(v float64)) {
	if math.IsInf(log, -1) {
		return
	}
	w.relative(log)
	v := math.Exp(log - w.top)
	w.total += v
	w.moves[w.size] += v
	note(v)
}

// relative makes log the reference of all sums if it is the largest.
func (w *weights) relative(log float64) {
	if log <= w.top {
		return
	}
	factor := math.Exp(w.top - log)
	w.top = log
	for _, v := range []*float64{&w.total, &w.two, &w.none} {
		*v *= factor
	}
	for i := range w.moves {
		w.moves[i] *= factor
	}
	for i := range w.step {
		w.step[i] *= factor
		w.mean[i] *= factor
		w.square[i] *= factor
	}
}

// posterior spreads the weight of each segment over its commits.
func (w *weights) posterior(m Model, points []point) Posterior {
	n := len(m.Prior)
	p := Posterior{Step: make([]float64, n), mean: make([]float64, n), square: make([]float64, n)}
	if w.total == 0 {
		return p
	}
	p.Two, p.None = w.two/w.total, w.none/w.total
	for i, v := range w.moves {
		sd := math.Abs(m.Whole) * movedGrid[i]
		p.Moves = append(p.Moves, v/w.total)
		p.Moved += v / w.total * sd * sd
	}
	p.Moved = math.Sqrt(p.Moved)
	mean, square := 0.0, 0.0
	for s := 1; s < len(points); s++ {
		for k := points[s-1].commit + 1; k <= points[s].commit; k++ {
			if points[s].weight > 0 {
				part := m.Prior[k] / points[s].weight / w.total
				p.Step[k] = part * w.step[s]
				mean += part * w.mean[s]
				square += part * w.square[s]
			}
			p.mean[k], p.square[k] = mean, square
		}
	}
	return p
}
