package judge

import "github.com/tarebench/tare/cmd/tare/internal/result"

// process contains the measurements of one worker process, in order: a block.
type process struct {
	first  result.Slice   // of all, warm-up or not
	slices []result.Slice // without warm-up
	times  []float64      // seconds per operation of slices
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
				p.slices = append(p.slices, s)
				p.times = append(p.times, s.Seconds())
			}
		}
		if len(p.slices) > 0 {
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

func allSlices(list []process) []result.Slice {
	var all []result.Slice
	for _, p := range list {
		all = append(all, p.slices...)
	}
	return all
}
