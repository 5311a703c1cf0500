package machine

import (
	"cmp"
	"io/fs"
	"slices"
	"strconv"
	"strings"
)

// Processor contains a CPU's totals since the machine started, and its
// properties.
type Processor struct {
	// Busy and Idle are clock ticks, Interrupts a count.
	Busy, Idle, Interrupts float64
	// MaxHz is its highest frequency. It is 0 if the system does not show it.
	MaxHz float64
	// Isolated is true for a CPU that the scheduler leaves alone.
	Isolated bool
}

// Processors reads the CPUs of a machine by number.
func Processors(tree fs.FS) map[int]Processor {
	t := Tree{tree}
	all := make(map[int]Processor)
	for line := range strings.Lines(t.Text("proc/stat")) {
		f := strings.Fields(line)
		number, err := strconv.Atoi(strings.TrimPrefix(first(f), "cpu"))
		if err != nil || len(f) < 6 {
			continue
		}
		var p Processor
		for i, text := range f[1:] {
			v, _ := strconv.ParseFloat(text, 64)
			switch {
			case i == 3 || i == 4: // idle, and waiting for a device
				p.Idle += v
			case i < 8: // guests are in user time already
				p.Busy += v
			}
		}
		hz, _ := strconv.ParseFloat(t.Text(cpuDir+"/cpu"+strconv.Itoa(number)+"/cpufreq/cpuinfo_max_freq"), 64)
		p.MaxHz = 1000 * hz
		all[number] = p
	}
	for _, number := range ParseCPUList(t.Text(cpuDir + "/isolated")) {
		if p, ok := all[number]; ok {
			p.Isolated = true
			all[number] = p
		}
	}
	interrupts(t.Text("proc/interrupts"), all)
	return all
}

func first(fields []string) string {
	if len(fields) == 0 {
		return ""
	}
	return fields[0]
}

// interrupts adds up the columns of /proc/interrupts, whose first line names
// the CPUs.
func interrupts(text string, all map[int]Processor) {
	head, rest, _ := strings.Cut(text, "\n")
	columns := strings.Fields(head)
	for line := range strings.Lines(rest) {
		f := strings.Fields(line)
		for i, column := range columns {
			number, err := strconv.Atoi(strings.TrimPrefix(column, "CPU"))
			p, ok := all[number]
			if err != nil || !ok || i+1 >= len(f) {
				continue
			}
			n, err := strconv.ParseFloat(f[i+1], 64)
			if err != nil {
				break // a line with fewer counts than CPUs
			}
			p.Interrupts += n
			all[number] = p
		}
	}
}

// Quietest picks from numbers the CPU to measure on. Isolated CPUs come first,
// then the fastest class, then the CPUs that were less busy between two
// readings (in steps of a tenth), then those with fewer interrupts, and the
// highest number of these.
func Quietest(numbers []int, before, after map[int]Processor) int {
	busy := func(n int) int {
		b, i := after[n].Busy-before[n].Busy, after[n].Idle-before[n].Idle
		if b+i <= 0 {
			return 0
		}
		return int(10 * b / (b + i))
	}
	isolated := func(n int) int {
		if after[n].Isolated {
			return 0
		}
		return 1
	}
	return slices.MinFunc(numbers, func(a, b int) int {
		return cmp.Or(
			cmp.Compare(isolated(a), isolated(b)),
			cmp.Compare(after[b].MaxHz, after[a].MaxHz),
			cmp.Compare(busy(a), busy(b)),
			cmp.Compare(after[a].Interrupts-before[a].Interrupts, after[b].Interrupts-before[b].Interrupts),
			cmp.Compare(b, a),
		)
	})
}
