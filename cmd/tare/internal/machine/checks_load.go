package machine

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tarebench/tare/cmd/tare/internal/kind"
	"github.com/tarebench/tare/internal/finding"
	"github.com/tarebench/tare/internal/unit"
)

// busyCPUs is the load at which a benchmark shows the rest of the machine: a
// quarter of one CPU.
const busyCPUs = 0.25

var loadCheck = Check{
	Kind: kind.Load,
	Doc: `other work on the machine

Other programs take CPU time, cache and memory bandwidth. The doctor observes
the machine while it does nothing itself, and names the busy processes.`,
	Run: func(o *Observation) []finding.Finding {
		if !o.Watched {
			return nil
		}
		var busy float64
		for cpu := range o.After.CPU {
			busy += busyShare(o, cpu)
		}
		if busy < busyCPUs {
			return nil
		}
		var names []string
		for _, p := range o.Busiest[:min(3, len(o.Busiest))] {
			names = append(names, fmt.Sprintf("%s (%d) %s", p.Name, p.PID, unit.Percent(p.CPUs)))
		}
		who := ""
		if len(names) > 0 {
			who = ": " + strings.Join(names, ", ")
		}
		if o.Load1 > 0 {
			who += "; " + finding.Count("runnable", o.Runnable, "task").String() + " runnable, load average " + finding.Number("load", o.Load1).String()
		}
		return []finding.Finding{kind.Load.Of("machine", finding.Number("busy", busy), finding.Count("cpus", len(o.After.CPU), "CPU"), finding.Text("who", who))}
	},
}

// manyInterrupts is the rate per CPU and second at which handlers of about a
// microsecond each take one percent of its time.
const manyInterrupts = 10_000

var interruptsCheck = Check{
	Kind: kind.Interrupts,
	Doc: `interrupts while nothing is measured

A busy network card or disk interrupts the CPUs thousands of times a second.
Each interruption falls into some measurement.`,
	Run: func(o *Observation) []finding.Finding {
		if !o.Watched || len(o.After.CPU) == 0 {
			return nil
		}
		rate := (o.After.Interrupts - o.Before.Interrupts) / o.After.Window(o.Before) / float64(len(o.After.CPU))
		if rate < manyInterrupts {
			return nil
		}
		return []finding.Finding{kind.Interrupts.Of("cpu", finding.Number("rate", rate))}
	},
}

var virtualCheck = Check{
	Kind: kind.Virtual,
	Doc: `a virtual machine

The hypervisor decides when a guest's CPUs run, on which cores and with
which other guests. Steal time shows a part of this; shared caches and memory
bandwidth are not visible at all.`,
	Run: func(o *Observation) []finding.Finding {
		if o.Machine.Virtual == "" || o.Machine.Virtual == "none" {
			return nil
		}
		return []finding.Finding{kind.Virtual.Of("machine", finding.Text("hypervisor", o.Machine.Virtual))}
	},
}

var stolenCheck = Check{
	Kind: kind.Stolen,
	Doc: `steal time

Time in which a virtual CPU was ready to run and the hypervisor ran another
guest. Measurements include it as if the code were slow.`,
	Run: during(kind.Stolen),
}

var quotaCheck = Check{
	Kind: kind.CgroupQuota,
	Doc: `a CPU quota on the control group

A quota (docker --cpus, Kubernetes limits) lets the process run freely until
its share of each period, often 100 ms, is used up. It then stops the process
until the next period. The stop falls into a measurement.`,
	Run: func(o *Observation) []finding.Finding {
		cg := o.Machine.Cgroup
		// A quota of all existing CPUs cannot be used up.
		if cg.QuotaCPUs == 0 || cg.QuotaCPUs >= float64(usableCPUs(o)) {
			return nil
		}
		return []finding.Finding{kind.CgroupQuota.Of("cgroup", finding.Number("quota", cg.QuotaCPUs), finding.Quantity("period", cg.QuotaPeriodSeconds, "sec"))}
	},
}

// usableCPUs counts the allowed CPUs of the affinity, or else the online CPUs.
func usableCPUs(o *Observation) int {
	if n := len(ParseCPUList(o.Machine.CPU.Allowed)); n > 0 {
		return n
	}
	return o.Machine.CPU.Threads
}

var cgroupThrottledCheck = Check{
	Kind: kind.CgroupThrottled,
	Doc: `throttling by the control group

The quota was used up and the kernel stopped the process.`,
	Run: during(kind.CgroupThrottled),
}

var suspendedCheck = Check{
	Kind: kind.Suspended,
	Doc: `suspend

The machine slept. Clocks differ on whether that time passed.`,
	Run: during(kind.Suspended),
}

var noiseCheck = Check{
	Kind: kind.Noise,
	Doc: `interruptions of a fixed piece of work, CPU by CPU

A loop that always does the same work takes the same time, unless something
interrupts it. Benchmarks also lose the time that an idle machine loses.`,
	Run: func(o *Observation) []finding.Finding {
		var cpus []int
		var worst CPUProfile
		for _, s := range o.Spins {
			if s.LostShare >= noisyShare {
				cpus = append(cpus, s.CPU)
				if s.LostShare > worst.LostShare {
					worst = s
				}
			}
		}
		if len(cpus) == 0 {
			return nil
		}
		k := kind.Noise
		if worst.LostShare >= heavyShare {
			k = kind.HeavyNoise
		}
		return []finding.Finding{k.Of("cpu "+FormatCPUList(cpus), finding.Share("share", worst.LostShare), finding.Quantity("longest", worst.LongestSeconds, "sec"))}
	},
}

// noisyShare is the share that a CPU may lose to interruptions before it counts
// as noisy. The timer tick and the Go runtime take a few tenths of a percent.
const noisyShare = 0.02

// heavyShare is a loss at which no benchmark should run: a fifth of the CPU.
const heavyShare = 0.2

var unevenSpeedCheck = Check{
	Kind: kind.UnevenSpeed,
	Doc: `differences in speed between CPUs

The same work should take the same time on every CPU. If not, a result depends
on the CPU that the scheduler chose.`,
	Run: func(o *Observation) []finding.Finding {
		if len(o.Spins) < 2 || noisy(o) {
			return nil
		}
		slow, fast := o.Spins[0], o.Spins[0]
		for _, s := range o.Spins {
			if s.UnitSeconds > slow.UnitSeconds {
				slow = s
			}
			if s.UnitSeconds < fast.UnitSeconds {
				fast = s
			}
		}
		if slow.UnitSeconds < fast.UnitSeconds*(1+unevenShare) {
			return nil
		}
		return []finding.Finding{kind.UnevenSpeed.Of(fmt.Sprintf("cpu %d", slow.CPU), finding.Share("share", slow.UnitSeconds/fast.UnitSeconds-1), finding.Count("cpu", fast.CPU, ""))}
	},
}

const unevenShare = 0.05

// noisy is true if something else ran during the spins. Their speed is then the
// speed of a shared CPU, and does not describe the CPU itself.
func noisy(o *Observation) bool {
	return slices.ContainsFunc(o.Spins, func(s CPUProfile) bool { return s.LostShare >= noisyShare })
}

var sustainedCheck = Check{
	Kind: kind.Sustained,
	Doc: `speed with all CPUs busy, at first and after a while

A CPU that is fast for a second and slower afterwards (boost, heat, power
limits, burst credits of a cloud machine) measures its own recovery.`,
	Run: func(o *Observation) []finding.Finding {
		s := o.Together
		if s == nil || noisy(o) || s.LastSeconds < s.FirstSeconds*(1+unevenShare) {
			return nil
		}
		return []finding.Finding{kind.Sustained.Of("cpu", finding.Share("share", s.LastSeconds/s.FirstSeconds-1), finding.Quantity("time", s.Seconds, "sec"))}
	},
}
