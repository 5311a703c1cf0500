package judge

import "github.com/tarebench/tare/cmd/tare/internal/result"

// process contains the measurements of one worker process, in order: a block.
type process struct {
	first result.Slice // of all, warm-up or not
	times []float64    // seconds per operation, without warm-up
}

// processesOf takes the timed slices of every block, in the order they ran.
func processesOf(blocks []result.Block, variant int) []process {
	var list []process
	for _, b := range blocks {
		var p process
		for _, r := range b.Timed() {
			if variant >= len(r.Slices) || r.Slices[variant].N <= 0 {
				continue
			}
			s := r.Slices[variant]
			if p.first.N == 0 {
				p.first = s
			}
			if !r.Warmup {
				p.times = append(p.times, s.Seconds())
			}
		}
		if len(p.times) > 0 {
			list = append(list, p)
		}
	}
	return list
}

func allTimes(list []process) []float64 {
	var all []float64
	for _, p := range list {
		all = append(all, p.times...)
	}
	return all
}
