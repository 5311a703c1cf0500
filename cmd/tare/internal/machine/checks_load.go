package machine

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/tarebench/tare/cmd/tare/internal/catalog"
	"github.com/tarebench/tare/internal/finding"
	"github.com/tarebench/tare/internal/unit"
)

// busyCPUs is the load at which a benchmark shows the rest of the machine: a
// quarter of one CPU.
const busyCPUs = 0.25

func loadCheck(o *Observation) []finding.Finding {
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
	return []finding.Finding{catalog.Load.Of("machine", finding.Number("busy", busy), finding.Count("cpus", len(o.After.CPU), "CPU"), finding.Text("who", who))}
}

func virtualCheck(o *Observation) []finding.Finding {
	if o.Machine.Virtual == "" || o.Machine.Virtual == "none" {
		return nil
	}
	return []finding.Finding{catalog.Virtual.Of("machine", finding.Text("hypervisor", o.Machine.Virtual))}
}

func quotaCheck(o *Observation) []finding.Finding {
	cg, usable := o.Machine.Cgroup, cmp.Or(len(ParseCPUList(o.Machine.CPU.Allowed)), o.Machine.CPU.Threads)
	// A quota of all existing CPUs cannot be used up.
	if cg.QuotaCPUs == 0 || cg.QuotaCPUs >= float64(usable) {
		return nil
	}
	return []finding.Finding{catalog.CgroupQuota.Of("cgroup", finding.Number("quota", cg.QuotaCPUs), finding.Quantity("period", cg.QuotaPeriodSeconds, "sec"))}
}

func noiseCheck(o *Observation) []finding.Finding {
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
	k := catalog.Noise
	if worst.LostShare >= heavyShare {
		k = catalog.HeavyNoise
	}
	subject := "any cpu" // processes are not placed here
	if worst.CPU >= 0 {
		subject = "cpu " + FormatCPUList(cpus)
	}
	return []finding.Finding{k.Of(subject, finding.Share("share", worst.LostShare), finding.Quantity("longest", worst.LongestSeconds, "sec"))}
}

// noisyShare is the share that a CPU may lose to interruptions before it counts
// as noisy. The timer tick and the Go runtime take a few tenths of a percent.
const noisyShare = 0.02

const heavyShare = 0.2
