package doctor

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tarebench/tare/finding"
)

// swapSeen is how much swap may be in use before it is worth a word: kernels
// park pages there that nobody has touched for days.
const swapSeen = 64 << 20

var swapUsedCheck = Check{
	ID: "swap-used",
	Doc: `swap in use

Memory that was swapped out comes back when it is touched, and the wait for it
lands inside a measurement.`,
	Run: func(o *Observation) []finding.Finding {
		if o.SwapUsedBytes < swapSeen {
			return nil
		}
		return []finding.Finding{{
			ID: "swap-used", Severity: finding.Info, Subject: "memory",
			Message: fmt.Sprintf("%d MiB of memory are in swap", o.SwapUsedBytes>>20),
			Action:  "where memory is free, swapoff -a brings it back",
		}}
	},
}

var swappedCheck = Check{
	ID: "swapped",
	Doc: `pages swapped in or out

A page that comes from disk costs as much as a hundred thousand instructions.`,
	Run: during("swapped"),
}

var memoryCheck = Check{
	ID: "memory",
	Doc: `memory pressure

Short of memory the kernel makes whoever allocates look for pages first, and
the garbage collector runs more often near a limit.`,
	Run: func(o *Observation) []finding.Finding {
		f := finding.Finding{ID: "memory", Severity: finding.Warning, Subject: "memory", Action: "free memory, or raise the limit"}
		switch total := o.Machine.MemoryBytes; {
		case o.MemoryPressure >= 0.01:
			f.Message = fmt.Sprintf("tasks waited for memory in %.1f %% of the last 10 s", 100*o.MemoryPressure)
		case o.MemoryUsedShare >= 0.9:
			f.Message = fmt.Sprintf("the control group uses %.0f %% of its memory limit", 100*o.MemoryUsedShare)
		case total > 0 && o.MemoryAvailableBytes > 0 && float64(o.MemoryAvailableBytes) < 0.05*float64(total):
			f.Message = fmt.Sprintf("only %d MiB of %d MiB are available", o.MemoryAvailableBytes>>20, total>>20)
		default:
			return nil
		}
		return []finding.Finding{f}
	},
}

// slowClocks are read by a system call or over a bus, not from the counter.
var slowClocks = map[string]bool{"hpet": true, "acpi_pm": true, "jiffies": true, "refined-jiffies": true, "xen": true, "pit": true}

var clockSourceCheck = Check{
	ID: "clock-source",
	Doc: `the kernel's clock source

Some clocks are read over a bus or by a system call: a reading costs hundreds
of nanoseconds, all of it inside the measurement.`,
	Run: func(o *Observation) []finding.Finding {
		if !slowClocks[o.Machine.ClockSource] {
			return nil
		}
		return []finding.Finding{{
			ID: "clock-source", Severity: finding.Warning, Subject: "clock",
			Message: fmt.Sprintf("the kernel reads the time from %q, which is slow", o.Machine.ClockSource),
			Action:  "if the TSC is sound: echo tsc > /sys/devices/system/clocksource/clocksource0/current_clocksource",
		}}
	},
}

// A pair of clock reads takes 20 to 100 ns where the counter is read directly.
const costlyClock = 200.0 // ns

var clockCostCheck = Check{
	ID: "clock-cost",
	Doc: `what a pair of clock reads costs

This is the weight of the scale: it is taken off, but its own spread stays in
the result, and short operations drown in it.`,
	Run: func(o *Observation) []finding.Finding {
		if o.Clock == nil || o.Clock.Overhead.Typical < costlyClock {
			return nil
		}
		return []finding.Finding{{
			ID: "clock-cost", Severity: finding.Warning, Subject: "clock",
			Message: fmt.Sprintf("an empty interval reads %.0f to %.0f ns", o.Clock.Overhead.Lo, o.Clock.Overhead.Hi),
			Action:  "time many operations in one interval, and see clock-source",
		}}
	},
}

// coarseClock is the step above which single operations cannot be told apart:
// 100 ns is what Windows' counter at 10 MHz gives.
const coarseClock = 100.0 // ns

var clockResolutionCheck = Check{
	ID: "clock-resolution",
	Doc: `the step of the clock

Times shorter than a step are told apart only by averaging.`,
	Run: func(o *Observation) []finding.Finding {
		if o.Clock == nil || o.Clock.Resolution < coarseClock {
			return nil
		}
		return []finding.Finding{{
			ID: "clock-resolution", Severity: finding.Warning, Subject: "clock",
			Message: fmt.Sprintf("the clock ticks in steps of %.0f ns", o.Clock.Resolution),
			Action:  "time many operations in one interval",
		}}
	},
}

var aslrCheck = Check{
	ID: "aslr",
	Doc: `address space randomisation

Addresses decide which data share a cache set. With randomisation each fresh
process draws new ones and the blocks average that luck; without it every
process repeats the same luck, and the interval does not show it.`,
	Run: func(o *Observation) []finding.Finding {
		if o.Machine.ASLR != "0" && o.Machine.ASLR != "1" {
			return nil
		}
		return []finding.Finding{{
			ID: "aslr", Severity: finding.Info, Subject: "kernel",
			Message: "address randomisation is not fully on (kernel.randomize_va_space is " + o.Machine.ASLR + "): every process repeats one luck of addresses",
			Action:  "sysctl kernel.randomize_va_space=2",
		}}
	},
}

var lockCheck = Check{
	ID: "lock-held",
	Doc: `another benchmark that is running now

Two measuring processes measure each other.`,
	Run: func(o *Observation) []finding.Finding {
		if o.LockHolder == "" {
			return nil
		}
		return []finding.Finding{{
			ID: "lock-held", Severity: finding.Warning, Subject: "machine",
			Message: "another process measures now: " + o.LockHolder,
			Action:  "wait for it: run, compare and lock do so by themselves",
		}}
	},
}

// littleDisk is room for the builds and binaries of a study of many layouts.
const littleDisk = 1 << 30

var diskCheck = Check{
	ID: "disk",
	Doc: `free disk space

A study builds and keeps two binaries per layout. A full disk ends it half
way.`,
	Run: func(o *Observation) []finding.Finding {
		var findings []finding.Finding
		for _, d := range o.Disks {
			if d.FreeBytes < littleDisk {
				findings = append(findings, finding.Finding{
					ID: "disk", Severity: finding.Warning, Subject: d.Path,
					Message: fmt.Sprintf("only %d MiB are free", d.FreeBytes>>20),
					Action:  "make room: go clean -cache, or delete old studies in .tare",
				})
			}
		}
		return findings
	},
}

var buildFlagsCheck = Check{
	ID: "build-flags",
	Doc: `instrumentation in the build flags

The race detector, coverage, the sanitizers and disabled optimisation change
what is measured by a factor, and not by the same one everywhere.`,
	Run: func(o *Observation) []finding.Finding {
		var found []string
		for _, flag := range o.BuildFlags {
			name, value, hasValue := strings.Cut(strings.TrimLeft(flag, "-"), "=")
			switch name {
			case "race", "msan", "asan", "cover":
				if !hasValue || value != "false" && value != "0" {
					found = append(found, flag)
				}
			case "covermode", "coverpkg", "coverprofile":
				found = append(found, flag)
			case "gcflags":
				if f := strings.Fields(strings.NewReplacer("=", " ", `"`, " ", "'", " ").Replace(value)); slices.Contains(f, "-N") || slices.Contains(f, "-l") {
					found = append(found, flag)
				}
			}
		}
		if len(found) == 0 {
			return nil
		}
		return []finding.Finding{{
			ID: "build-flags", Severity: finding.Severe, Subject: "build",
			Message: "built with " + strings.Join(found, " ") + ": the instrumented code is another program",
			Action:  "measure without it (GOFLAGS counts too: go env GOFLAGS)",
		}}
	},
}

var debuggerCheck = Check{
	ID: "debugger",
	Doc: `a debugger or tracer

A traced process stops at every signal and system call that the tracer asked
for. strace and delve count.`,
	Run: func(o *Observation) []finding.Finding {
		if !o.Traced {
			return nil
		}
		return []finding.Finding{{
			ID: "debugger", Severity: finding.Severe, Subject: "process",
			Message: "this process is traced (TracerPid in /proc/self/status)",
			Action:  "detach the debugger",
		}}
	},
}

var goSettingsCheck = Check{
	ID: "go-settings",
	Doc: `settings of the Go runtime that do not fit the machine

More threads than the CPUs that may be used wait for each other; a collector
that is switched off or bound to a limit is not the one of production.`,
	Run: func(o *Observation) []finding.Finding {
		env := o.Machine.Go
		var seen []string
		if n, err := strconv.Atoi(env["GOMAXPROCS"]); err == nil && usableCPUs(o) > 0 && n > usableCPUs(o) {
			seen = append(seen, fmt.Sprintf("GOMAXPROCS=%d with %d usable CPUs", n, usableCPUs(o)))
		}
		if env["GOGC"] == "off" {
			seen = append(seen, "GOGC=off")
		}
		for _, name := range []string{"GODEBUG", "GOMEMLIMIT"} {
			if env[name] != "" && env[name] != "off" {
				seen = append(seen, name+"="+env[name])
			}
		}
		if len(seen) == 0 {
			return nil
		}
		return []finding.Finding{{
			ID: "go-settings", Severity: finding.Info, Subject: "go",
			Message: "the environment sets " + strings.Join(seen, ", "),
			Action:  "unset it unless it is what you want to measure",
		}}
	},
}
