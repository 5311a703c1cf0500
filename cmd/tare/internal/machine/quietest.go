package machine

import (
	"cmp"
	"io/fs"
	"slices"
	"strconv"
)

// Quietest picks from numbers the CPU to measure on. Isolated CPUs come first,
// then the fastest class, then the CPUs that were less busy between two
// snapshots (in steps of a tenth). Among these it takes the highest number,
// since most interrupts go to the first CPUs.
func Quietest(root fs.FS, numbers []int, before, after Counters) int {
	t := Tree{root}
	isolated := ParseCPUList(t.Text(cpuDir + "/isolated"))
	busy := func(n int) int {
		b, i := after.CPU[n].Busy-before.CPU[n].Busy, after.CPU[n].Idle-before.CPU[n].Idle
		if b+i <= 0 {
			return 0
		}
		return int(10 * b / (b + i))
	}
	shared := func(n int) int {
		if slices.Contains(isolated, n) {
			return 0
		}
		return 1
	}
	hertz := func(n int) float64 { return t.Hertz(cpuDir + "/cpu" + strconv.Itoa(n) + "/cpufreq/cpuinfo_max_freq") }
	return slices.MinFunc(numbers, func(a, b int) int {
		return cmp.Or(cmp.Compare(shared(a), shared(b)), cmp.Compare(hertz(b), hertz(a)), cmp.Compare(busy(a), busy(b)), cmp.Compare(b, a))
	})
}
