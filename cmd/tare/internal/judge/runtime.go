package judge

import (
	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/stats"
)

// runtimeCounts adds up the runtime's counts in the blocks of one variant. If
// the blocks have none, it uses the timed slices. It is nil if nothing was
// recorded.
func runtimeCounts(blocks []block, variant int) *result.RuntimeCounts {
	var c result.RuntimeCounts
	var n, gc float64
	var p50, p99 []float64
	for _, b := range blocks {
		whole := result.Process{}
		if variant < len(b.Processes) {
			whole = b.Processes[variant]
		}
		known := whole.N > 0 && whole.User+whole.System > 0
		if known {
			n += float64(whole.N)
			c.GCs += whole.GCs
			gc += whole.GCTime
			c.User += whole.User
			c.System += whole.System
		}
		for _, r := range b.rounds {
			s := r.Slices[variant]
			if !known {
				n += float64(s.N)
				c.GCs += int64(s.GCs)
				gc += s.GCTime
				c.User += s.User
				c.System += s.System
			}
			c.Waits += s.Waits
			if s.Waits > 0 {
				p50, p99 = append(p50, s.Wait50/1e9), append(p99, s.Wait99/1e9)
			}
		}
	}
	if c == (result.RuntimeCounts{}) {
		return nil
	}
	if cpu := c.User + c.System; cpu > 0 {
		c.GCShare = min(1, gc/cpu)
	}
	c.User /= 1e9 * n
	c.System /= 1e9 * n
	if len(p50) > 0 {
		c.Wait50, c.Wait99 = stats.Median(p50), stats.Median(p99)
	}
	return &c
}
