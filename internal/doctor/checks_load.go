package doctor

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tarebench/tare/finding"
	"github.com/tarebench/tare/internal/machine"
)

// busyCPUs is the load at which the rest of the machine is seen in a
// benchmark: a quarter of one CPU.
const busyCPUs = 0.25

var loadCheck = Check{
	ID: "load",
	Doc: `other work on the machine

Whatever else runs takes CPU time, cache and memory bandwidth. The doctor
watches the machine while it does nothing itself, and names who was busy.`,
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
			names = append(names, fmt.Sprintf("%s (%d) %.0f %%", p.Name, p.PID, 100*p.CPUs))
		}
		message := fmt.Sprintf("other work kept %.1f of %d CPUs busy", busy, len(o.After.CPU))
		if len(names) > 0 {
			message += ": " + strings.Join(names, ", ")
		}
		if o.Load1 > 0 {
			message += fmt.Sprintf("; %s runnable, load average %.2f", tasks(o.Runnable), o.Load1)
		}
		return []finding.Finding{{
			ID: "load", Severity: finding.Warning, Subject: "machine", Message: message,
			Action: "stop it, or wait until it is done",
		}}
	},
}

// manyInterrupts is the rate per CPU and second at which handlers of about a
// microsecond each take one per cent of its time.
const manyInterrupts = 10_000

var interruptsCheck = Check{
	ID: "interrupts",
	Doc: `interrupts while nothing is measured

A busy network card or disk interrupts the CPUs thousands of times a second;
each interruption lands inside some measurement.`,
	Run: func(o *Observation) []finding.Finding {
		if !o.Watched || len(o.After.CPU) == 0 {
			return nil
		}
		rate := (o.After.Interrupts - o.Before.Interrupts) / o.After.Window(o.Before) / float64(len(o.After.CPU))
		if rate < manyInterrupts {
			return nil
		}
		return []finding.Finding{{
			ID: "interrupts", Severity: finding.Warning, Subject: "cpu",
			Message: fmt.Sprintf("%.0f interrupts per second and CPU while nothing was measured", rate),
			Action:  "see /proc/interrupts for the source, and keep it off the measured CPUs (/proc/irq/N/smp_affinity_list)",
		}}
	},
}

var virtualCheck = Check{
	ID: "virtual",
	Doc: `a virtual machine

The hypervisor decides when a guest's CPUs run, on which cores and beside
whom. Steal time shows a part of it; shared caches and memory bandwidth do not
show at all.`,
	Run: func(o *Observation) []finding.Finding {
		if o.Machine.Virtual == "" || o.Machine.Virtual == "none" {
			return nil
		}
		return []finding.Finding{{
			ID: "virtual", Severity: finding.Info, Subject: "machine",
			Message: "a virtual machine (" + o.Machine.Virtual + "): other guests may share its cores, caches and memory",
			Action:  "for differences of one or two per cent use a machine of your own",
		}}
	},
}

var stolenCheck = Check{
	ID: "stolen",
	Doc: `steal time

Time in which a virtual CPU wanted to run and the hypervisor ran somebody
else. It lands inside measurements as if the code were slow.`,
	Run: during("stolen"),
}

var quotaCheck = Check{
	ID: "cgroup-quota",
	Doc: `a CPU quota on the control group

A quota (docker --cpus, Kubernetes limits) lets the process run freely until
its share of each period, often 100 ms, is used up, then stops it dead until
the next one. The stop lands inside a measurement.`,
	Run: func(o *Observation) []finding.Finding {
		cg := o.Machine.Cgroup
		// A quota of all the CPUs there are cannot be used up.
		if cg.QuotaCPUs == 0 || cg.QuotaCPUs >= float64(usableCPUs(o)) {
			return nil
		}
		return []finding.Finding{{
			ID: "cgroup-quota", Severity: finding.Warning, Subject: "cgroup",
			Message: fmt.Sprintf("a quota of %.3g CPUs in each %.0f ms: what runs longer is stopped until the next period", cg.QuotaCPUs, 1e3*cg.QuotaPeriodSeconds),
			Action:  "remove the quota and give it CPUs of its own instead: cpuset.cpus, docker --cpuset-cpus",
		}}
	},
}

// usableCPUs counts what the affinity allows, else what is online.
func usableCPUs(o *Observation) int {
	if n := len(machine.ParseCPUList(o.Machine.CPU.Allowed)); n > 0 {
		return n
	}
	return o.Machine.CPU.Threads
}

var cgroupThrottledCheck = Check{
	ID: "cgroup-throttled",
	Doc: `throttling by the control group

The quota was used up and the kernel stopped the process.`,
	Run: during("cgroup-throttled"),
}

var suspendedCheck = Check{
	ID: "suspended",
	Doc: `suspend

The machine slept. Clocks differ on whether that time passed.`,
	Run: during("suspended"),
}

var noiseCheck = Check{
	ID: "noise",
	Doc: `interruptions of a fixed piece of work, CPU by CPU

A loop that always does the same work takes the same time, unless something
interrupts it. What is lost on an idle machine is lost by benchmarks too.`,
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
		return []finding.Finding{{
			ID: "noise", Severity: finding.Warning, Subject: "cpu " + machine.FormatCPUList(cpus),
			Message: fmt.Sprintf("fixed work lost up to %.1f %% of its time to interruptions, the longest %.2f ms", 100*worst.LostShare, 1e3*worst.LongestSeconds),
			Action:  "stop other work; on a virtual machine try a quieter hour or a larger one",
		}}
	},
}

// noisyShare is what a CPU may lose to interruptions before it is called
// noisy: the timer tick and the Go runtime take a few tenths of a per cent.
const noisyShare = 0.02

var unevenSpeedCheck = Check{
	ID: "uneven-speed",
	Doc: `differences in speed between CPUs

The same work should take the same time everywhere. Where it does not, a
result depends on where the scheduler put it.`,
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
		return []finding.Finding{{
			ID: "uneven-speed", Severity: finding.Warning, Subject: fmt.Sprintf("cpu %d", slow.CPU),
			Message: fmt.Sprintf("the same work takes %.1f %% longer than on CPU %d", 100*(slow.UnitSeconds/fast.UnitSeconds-1), fast.CPU),
			Action:  "stay on CPUs of one speed: taskset -c LIST tare …",
		}}
	},
}

const unevenShare = 0.05

// noisy is true where something else ran during the spins: then their speed
// is that of sharing, and says nothing about the processor.
func noisy(o *Observation) bool {
	return slices.ContainsFunc(o.Spins, func(s CPUProfile) bool { return s.LostShare >= noisyShare })
}

var sustainedCheck = Check{
	ID: "sustained",
	Doc: `speed with all CPUs busy, at first and after a while

A processor that is fast for a second and slower afterwards (boost, heat,
power limits, burst credits of a cloud machine) measures its own recovery.`,
	Run: func(o *Observation) []finding.Finding {
		s := o.Together
		if s == nil || noisy(o) || s.LastSeconds < s.FirstSeconds*(1+unevenShare) {
			return nil
		}
		return []finding.Finding{{
			ID: "sustained", Severity: finding.Warning, Subject: "cpu",
			Message: fmt.Sprintf("with all CPUs busy, work took %.1f %% longer at the end of %.2g s than at the start", 100*(s.LastSeconds/s.FirstSeconds-1), s.Seconds),
			Action:  "hold the frequency below turbo: tare doctor -tune; on a cloud machine choose one without burst credits",
		}}
	},
}

func tasks(n int) string {
	if n == 1 {
		return "1 task"
	}
	return fmt.Sprintf("%d tasks", n)
}
