package judge

import "github.com/tarebench/tare/cmd/tare/internal/result"

// processesOf returns the seconds per operation of the timed slices of every
// block, in the order they ran. A block has one process of the variant.
func processesOf(blocks []result.Block, variant int) (list [][]float64) {
	for _, b := range blocks {
		var times []float64
		for _, r := range b.Timed() {
			if variant < len(r.Slices) && r.Slices[variant].N > 0 && !r.Warmup {
				times = append(times, r.Slices[variant].Seconds())
			}
		}
		if len(times) > 0 {
			list = append(list, times)
		}
	}
	return list
}
