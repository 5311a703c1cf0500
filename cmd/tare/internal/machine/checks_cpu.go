package machine

import (
	"maps"
	"slices"

	"github.com/tarebench/tare/cmd/tare/internal/catalog"
	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/internal/finding"
)

func governorCheck(o *Observation) []finding.Finding {
	cpus := map[string][]int{}
	for _, p := range o.Machine.CPU.Frequency {
		if p.Governor == "" || p.Governor == "performance" || pinned(p) {
			continue
		}
		cpus[p.Governor] = append(cpus[p.Governor], ParseCPUList(p.CPUs)...)
	}
	var findings []finding.Finding
	for _, governor := range slices.Sorted(maps.Keys(cpus)) {
		findings = append(findings, catalog.Governor.Of("cpu "+FormatCPUList(cpus[governor]), finding.Text("governor", governor)))
	}
	return findings
}

func pinned(p result.FrequencyPolicy) bool { return p.MaxHz > 0 && p.MinHz == p.MaxHz }

func boostCheck(o *Observation) []finding.Finding {
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
	return []finding.Finding{catalog.Boost.Of("cpu")}
}

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
