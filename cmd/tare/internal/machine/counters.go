package machine

import (
	"cmp"
	"io/fs"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tarebench/tare/cmd/tare/internal/catalog"
	"github.com/tarebench/tare/internal/finding"
)

// Counters are the machine's running totals at one moment. They count events
// that can disturb a block. Only differences have a meaning.
type Counters struct {
	// CPU is each online CPU's time, by number.
	CPU map[int]CPUTime
	// Throttles counts how often a cgroup quota stopped this process's groups,
	// and ThrottledSeconds for how long.
	Throttles        float64
	ThrottledSeconds float64
	// HotEvents counts thermal throttling of cores and packages.
	HotEvents float64
	// SwappedPages counts pages swapped in and out, machine-wide.
	SwappedPages float64
	// Suspends counts suspends, SuspendedSeconds their length.
	Suspends         float64
	SuspendedSeconds float64
	// Own is the CPU time of this process and of its children that have ended, in
	// seconds.
	Own float64
}

// CPUTime is one CPU's time in seconds since boot, from /proc/stat, in steps
// of 10 ms (USER_HZ is 100 on every Linux that Go runs on).
type CPUTime struct {
	Busy, Idle, Steal float64
}

const userHz = 100

// Snapshot reads the counters. It takes well under a millisecond on small
// machines. Call it before and after every block.
func Snapshot(root fs.FS) Counters {
	t := Tree{root}
	c := Counters{CPU: map[int]CPUTime{}, SuspendedSeconds: suspendedSeconds(), Own: ownSeconds()}
	for line := range strings.Lines(t.Text("proc/stat")) {
		if strings.HasPrefix(line, "intr ") {
			break // the rest is long, and counts interrupts
		}
		if cpu, times, ok := parseCPULine(line); ok {
			c.CPU[cpu] = times
		}
	}
	c.Throttles, c.ThrottledSeconds = readThrottled(t)
	c.HotEvents = readHotEvents(t)
	vm := t.Fields("proc/vmstat")
	c.SwappedPages = vm["pswpin"] + vm["pswpout"]
	c.Suspends, _ = t.Number("sys/power/suspend_stats/success")
	return c
}

// parseCPULine reads "cpu3 user nice system idle iowait irq softirq steal
// guest guest_nice". Guest time is already part of user time (proc_stat(5)).
func parseCPULine(line string) (cpu int, times CPUTime, ok bool) {
	f := strings.Fields(line)
	if len(f) < 5 || !strings.HasPrefix(f[0], "cpu") {
		return 0, times, false
	}
	cpu, err := strconv.Atoi(f[0][len("cpu"):])
	if err != nil {
		return 0, times, false // the sum over all CPUs has no number
	}
	for i, text := range f[1:min(len(f), 9)] {
		ticks, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return 0, times, false
		}
		switch i {
		case 3, 4:
			times.Idle += ticks / userHz
		case 7:
			times.Steal += ticks / userHz
		default:
			times.Busy += ticks / userHz
		}
	}
	return cpu, times, true
}

// readHotEvents sums the counters of each core once and of each package once.
// All threads of a core and all cores of a package show the same counter (x86,
// arch/x86/kernel/cpu/mce/therm_throt.c).
func readHotEvents(t Tree) float64 {
	const dir0 = cpuDir + "/cpu0/thermal_throttle"
	if !t.Exists(dir0) {
		return 0
	}
	var sum float64
	packages := map[string]bool{}
	for _, cpu := range ParseCPUList(t.Text(cpuDir + "/online")) {
		dir := path.Join(cpuDir, "cpu"+strconv.Itoa(cpu))
		siblings := ParseCPUList(t.Text(dir + "/topology/thread_siblings_list"))
		if len(siblings) == 0 || siblings[0] == cpu {
			n, _ := t.Number(dir + "/thermal_throttle/core_throttle_count")
			sum += n
		}
		if id := t.Text(dir + "/topology/physical_package_id"); !packages[id] {
			packages[id] = true
			n, _ := t.Number(dir + "/thermal_throttle/package_throttle_count")
			sum += n
		}
	}
	return sum
}

// The smallest disturbance that is reported. Stolen time comes in ticks of 10
// ms, so a single tick is not evidence. A desktop swaps a page now and then.
const (
	stolenShare  = 0.05 // of one CPU's wall time
	stolenTicks  = 2
	swappedPages = 64
	suspendedFor = 0.01 // seconds, since the two clocks are not read at one instant
)

// Since returns a finding for each disturbance between before and c. Unreadable
// is "suspended" if the time between them cannot be used. The variants of a
// block share every other disturbance, since they alternate.
func (c Counters) Since(before Counters) (unreadable string, findings []finding.Finding) {
	if n, s := c.Suspends-before.Suspends, c.SuspendedSeconds-before.SuspendedSeconds; n > 0 || s > suspendedFor {
		unreadable = "suspended"
		findings = append(findings, catalog.Suspended.Of("machine", finding.Quantity("time", max(s, 0), "sec")))
	}
	if n := c.HotEvents - before.HotEvents; n > 0 {
		findings = append(findings, catalog.ThermalThrottled.Of("cpu", finding.Count("events", int(n), "event")))
	}
	if n, s := c.Throttles-before.Throttles, c.ThrottledSeconds-before.ThrottledSeconds; n > 0 || s > 0 {
		findings = append(findings, catalog.CgroupThrottled.Of("cgroup", finding.Count("times", int(n), "time"), finding.Quantity("time", s, "sec")))
	}
	if n := c.SwappedPages - before.SwappedPages; n > swappedPages {
		findings = append(findings, catalog.Swapped.Of("memory", finding.Count("pages", int(n), "page")))
	}
	if stolen, ticks := c.stolen(before); ticks >= stolenTicks && stolen > stolenShare {
		findings = append(findings, catalog.Stolen.Of("hypervisor", finding.Share("share", stolen)))
	}
	return unreadable, findings
}

// stolen returns the time stolen from all CPUs as a share of one CPU's wall
// time, and in ticks.
func (c Counters) stolen(before Counters) (share, ticks float64) {
	var seconds float64
	for cpu, now := range c.CPU {
		seconds += max(0, now.Steal-before.CPU[cpu].Steal)
	}
	return seconds / c.Window(before), seconds * userHz
}

// Others is the time that other programs used, of the time that all CPUs had, in
// seconds, if all children that ran between two snapshots have ended since. It is
// NaN if it is not known. The kernel samples what a CPU does, and measures how long
// it is idle, so that others have what is neither idle nor this program's.
func (c Counters) Others(before Counters, wall time.Duration) (used, of float64) {
	all := wall.Seconds() * float64(len(c.CPU))
	if all <= 0 || c.Own == 0 {
		return math.NaN(), all
	}
	left := all - (c.Own - before.Own)
	for cpu, now := range c.CPU {
		left -= now.Idle - before.CPU[cpu].Idle
	}
	return max(0, left), all
}

// Window is the wall time between two snapshots in seconds, by the CPUs'
// counters. It also works on a suspended or composed machine.
func (c Counters) Window(before Counters) float64 {
	var longest float64
	for cpu, now := range c.CPU {
		then, ok := before.CPU[cpu]
		if !ok {
			continue
		}
		longest = max(longest, now.Busy-then.Busy+now.Idle-then.Idle+now.Steal-then.Steal)
	}
	return max(longest, 1.0/userHz)
}

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
