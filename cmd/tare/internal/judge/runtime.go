package judge

import "github.com/tarebench/tare/cmd/tare/internal/result"

// runtimeCounts adds up the use of the processes in the blocks of one variant.
// If the system does not report it, only the collections of the slices are
// known. It is nil if nothing was recorded.
func runtimeCounts(blocks []block, variant int) *result.RuntimeCounts {
	var c result.RuntimeCounts
	var n, gc float64
	for _, b := range blocks {
		if variant < len(b.Processes) && b.Processes[variant].User+b.Processes[variant].System > 0 {
			p := b.Processes[variant]
			n += float64(p.N)
			c.GCs += p.GCs
			gc += p.GCTime
			c.User += p.User
			c.System += p.System
			continue
		}
		for _, r := range b.rounds {
			c.GCs += int64(r.Slices[variant].GCs)
		}
	}
	if c == (result.RuntimeCounts{}) {
		return nil
	}
	if cpu := c.User + c.System; cpu > 0 && n > 0 {
		c.GCShare = min(1, gc/cpu)
		c.User /= 1e9 * n
		c.System /= 1e9 * n
	}
	return &c
}
