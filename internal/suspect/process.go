package suspect

import (
	"slices"

	"github.com/tarebench/tare/internal/result"
)

// process is what one worker process measured, in order: a block.
type process struct {
	first  result.Slice   // of all, warm-up or not
	slices []result.Slice // without warm-up
	times  []float64      // seconds per operation of slices
}

// processesOf splits timed rounds by block, in the order they ran.
func processesOf(rounds []result.Round, variant int) []process {
	var list []process
	index := make(map[int]int)
	for _, r := range rounds {
		if r.Counting || variant >= len(r.Slices) || r.Slices[variant].N <= 0 {
			continue
		}
		s := r.Slices[variant]
		i, ok := index[r.Block]
		if !ok {
			i = len(list)
			index[r.Block] = i
			list = append(list, process{first: s})
		}
		if !r.Warmup {
			list[i].slices = append(list[i].slices, s)
			list[i].times = append(list[i].times, s.Seconds())
		}
	}
	return slices.DeleteFunc(list, func(p process) bool { return len(p.slices) == 0 })
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
