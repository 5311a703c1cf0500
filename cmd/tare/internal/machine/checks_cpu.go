package machine

import (
	"maps"
	"slices"

	"github.com/tarebench/tare/cmd/tare/internal/kind"
	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/internal/finding"
)

var governorCheck = Check{
	Kind: kind.Governor,
	Doc: `the CPU frequency governor

A governor other than "performance" changes the clock with the load. A benchmark
that starts on an idle CPU is measured while the clock still climbs, and two
variants are measured at two speeds. A range pinned to one frequency is as good
as the governor "performance".`,
	Run: func(o *Observation) []finding.Finding {
		cpus := map[string][]int{}
		for _, p := range o.Machine.CPU.Frequency {
			if p.Governor == "" || p.Governor == "performance" || pinned(p) {
				continue
			}
			cpus[p.Governor] = append(cpus[p.Governor], ParseCPUList(p.CPUs)...)
		}
		var findings []finding.Finding
		for _, governor := range slices.Sorted(maps.Keys(cpus)) {
			findings = append(findings, kind.Governor.Of("cpu "+FormatCPUList(cpus[governor]), finding.Text("governor", governor)))
		}
		return findings
	},
}

// pinned reports whether the range allows only one frequency.
func pinned(p result.FrequencyPolicy) bool { return p.MaxHz > 0 && p.MinHz == p.MaxHz }

var boostCheck = Check{
	Kind: kind.Boost,
	Doc: `boost (Turbo Boost, Precision Boost)

A boosted clock depends on the temperature, the number of busy cores and the
load of the last moments. The first block runs faster than the last one. A limit at or
below the base frequency has the same effect as boost off.`,
	Run: func(o *Observation) []finding.Finding {
		b := o.Machine.CPU.Boost
		if b == nil || !*b {
			return nil
		}
		held := len(o.Machine.CPU.Frequency) > 0
		for _, p := range o.Machine.CPU.Frequency {
			held = held && p.BaseHz > 0 && p.MaxHz > 0 && p.MaxHz <= p.BaseHz
		}
		if held {
			return nil
		}
		return []finding.Finding{kind.Boost.Of("cpu")}
	},
}

var fewCPUsCheck = Check{
	Kind: kind.FewCPUs,
	Doc: `the number of usable CPUs

With one CPU the measured process shares it with the measuring process, the
garbage collector and everything else on the machine.`,
	Run: func(o *Observation) []finding.Finding {
		allowed := ParseCPUList(o.Machine.CPU.Allowed)
		if len(allowed) != 1 || o.Machine.CPU.Threads == 0 {
			return nil
		}
		action := "allow a second CPU: taskset, cpuset.cpus or docker --cpuset-cpus"
		if o.Machine.CPU.Threads == 1 {
			action = "measure on a machine with two CPUs or more"
		}
		return []finding.Finding{kind.FewCPUs.Of("cpu", finding.Count("cpu", allowed[0], ""), finding.Text("action", action))}
	},
}

var isolationCheck = Check{
	Kind: kind.Isolation,
	Doc: `isolated CPUs that are not used

CPUs that are reserved at boot (isolcpus, nohz_full) are the quietest of the
machine. Only a process that selects them runs there.`,
	Run: func(o *Observation) []finding.Finding {
		isolated := ParseCPUList(o.Machine.CPU.Isolated)
		allowed := ParseCPUList(o.Machine.CPU.Allowed)
		if len(isolated) == 0 || len(allowed) == 0 {
			return nil
		}
		for _, cpu := range allowed {
			if slices.Contains(isolated, cpu) {
				return nil
			}
		}
		return []finding.Finding{kind.Isolation.Of("cpu "+o.Machine.CPU.Isolated, finding.Text("cpus", o.Machine.CPU.Isolated))}
	},
}

// busyShare is the share of the window, 0 to 1, in which a CPU worked.
func busyShare(o *Observation, cpu int) float64 {
	then, ok := o.Before.CPU[cpu]
	now, ok2 := o.After.CPU[cpu]
	busy := now.Busy - then.Busy
	all := busy + now.Idle - then.Idle + now.Steal - then.Steal
	if !ok || !ok2 || all <= 0 {
		return 0
	}
	return busy / all
}

// busyThread is the share at which a thread visibly slows the sibling on its
// core.
const busyThread = 0.10

var siblingsCheck = Check{
	Kind: kind.SMT,
	Doc: `busy hyperthreads

Two threads of one core share its execution units. Code next to a busy sibling
can lose a third of its speed. The loss depends on the sibling's work.`,
	Run: func(o *Observation) []finding.Finding {
		if !o.Watched {
			return nil
		}
		var busy []int
		for _, list := range o.Machine.CPU.Siblings {
			for _, cpu := range ParseCPUList(list) {
				if busyShare(o, cpu) >= busyThread {
					busy = append(busy, cpu)
				}
			}
		}
		if len(busy) == 0 {
			return nil
		}
		return []finding.Finding{kind.SMT.Of("cpu " + FormatCPUList(busy))}
	},
}

var thermalCheck = Check{
	Kind: kind.ThermalThrottled,
	Doc: `thermal throttling

A CPU that is too hot lowers its clock for a while. A measurement in that time
measures the cooling.`,
	Run: during(kind.ThermalThrottled),
}

var batteryCheck = Check{
	Kind: kind.Battery,
	Doc: `the power source

On battery most machines lower their clock and their boost.`,
	Run: func(o *Observation) []finding.Finding {
		if o.Machine.Power != "battery" {
			return nil
		}
		return []finding.Finding{kind.Battery.Of("power")}
	},
}
