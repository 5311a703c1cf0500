package catalog

import "github.com/tarebench/tare/internal/finding"

// The machine.
var (
	Governor = finding.Kind{
		ID: "governor", Severity: finding.Warning,
		Message: "the frequency governor is \"{governor}\": the clock follows the load",
		Action:  "set the governor performance: cpupower frequency-set -g performance",
	}
	Boost = finding.Kind{
		ID: "boost", Severity: finding.Warning,
		Message: "boost is on: the clock depends on temperature and on the other cores",
		Action:  "turn boost off while measuring: write 1 to intel_pstate/no_turbo, or 0 to cpufreq/boost",
	}
	MixedCores = finding.Kind{
		ID: "mixed-cores", Severity: finding.Info,
		Message: "{kinds} cores, of which the system chooses",
		Action:  "measure in the front terminal: background work gets the slow cores",
	}
	Translated = finding.Kind{
		ID: "translated", Severity: finding.Severe,
		Message: "Rosetta translates this {arch} program",
		Action:  "install Go and tare for arm64",
	}
	LowPower = finding.Kind{
		ID: "low-power", Severity: finding.Warning,
		Message: "low power mode is on: the clock is limited",
		Action:  "turn it off while measuring: sudo pmset -a lowpowermode 0",
	}
	Load = finding.Kind{
		ID: "load", Severity: finding.Warning,
		Message: "other work kept {busy} of {cpus} busy{who}",
		Action:  "stop it, or wait until it is done",
	}
	Virtual = finding.Kind{
		ID: "virtual", Severity: finding.Info,
		Message: "a virtual machine ({hypervisor}): other guests may share its cores, caches and memory",
		Action:  "for differences of one or two percent, use your own machine",
	}
	Stolen = finding.Kind{
		ID: "stolen", Severity: finding.Warning,
		Message: "lost {share} of a CPU's time to other guests",
		Action:  "measure on your own machine, or at a quieter time",
	}
	CgroupQuota = finding.Kind{
		ID: "cgroup-quota", Severity: finding.Warning,
		Message: "a quota of {quota} CPUs in each {period} stops a process that uses more",
		Action:  "give it its own CPUs instead: cpuset.cpus, docker --cpuset-cpus",
	}
	CgroupThrottled = finding.Kind{
		ID: "cgroup-throttled", Severity: finding.Severe,
		Message: "the CPU quota stopped this process {times} for {time} in all",
		Action:  "raise or remove the quota (cpu.max, docker --cpus), or lower GOMAXPROCS to fit it",
	}
	ThermalThrottled = finding.Kind{
		ID: "thermal-throttled", Severity: finding.Severe,
		Message: "{events} of thermal throttling: the CPU slowed down to cool",
		Action:  "cool it, or keep the frequency below turbo: cpupower frequency-set -u",
	}
	Suspended = finding.Kind{
		ID: "suspended", Severity: finding.Severe,
		Message: "slept for {time}",
		Action:  "keep it awake (systemd-inhibit, caffeinate) and measure again",
	}
	Swapped = finding.Kind{
		ID: "swapped", Severity: finding.Severe,
		Message: "{pages} were swapped",
		Action:  "free memory or turn swap off (swapoff -a) and measure again",
	}
	ClockCost = finding.Kind{
		ID: "clock-cost", Severity: finding.Warning,
		Message: "an empty interval reads {least} to {most}",
		Action:  "time many operations in one interval, or, if the TSC is reliable, write tsc to /sys/devices/system/clocksource/clocksource0/current_clocksource",
	}
	Noise = finding.Kind{
		ID: "noise", Severity: finding.Warning,
		Message: "fixed work lost up to {share} of its time to interruptions, the longest {longest}",
		Action:  "stop other work, or try a quieter hour or a larger virtual machine",
	}
	HeavyNoise = finding.Kind{
		ID: "heavy-noise", Severity: finding.Severe,
		Message: "fixed work lost up to {share} of its time to interruptions, the longest {longest}: a fifth or more",
		Action:  "stop other work before measuring, or try a quieter hour or a larger virtual machine",
	}
	LockHeld = finding.Kind{
		ID: "lock-held", Severity: finding.Warning,
		Message: "another process measures now: {holder}",
		Action:  "wait for it, as run, compare and lock do",
	}
	BuildFlags = finding.Kind{
		ID: "build-flags", Severity: finding.Severe,
		Message: "built with {flags}: instrumented code is a different program",
		Action:  "measure without it (see go env GOFLAGS)",
	}
)
