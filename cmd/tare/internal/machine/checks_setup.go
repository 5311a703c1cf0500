package machine

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tarebench/tare/cmd/tare/internal/kind"
	"github.com/tarebench/tare/internal/finding"
	"github.com/tarebench/tare/internal/unit"
)

// swapSeen is how much swap may be in use before it is reported: kernels
// park pages there that nobody has touched for days.
const swapSeen = 64 << 20

var swapUsedCheck = Check{
	Kind: kind.SwapUsed,
	Doc: `swap in use

Memory that was swapped out comes back when it is touched, and the wait for it
lands inside a measurement.`,
	Run: func(o *Observation) []finding.Finding {
		if o.SwapUsedBytes < swapSeen {
			return nil
		}
		return []finding.Finding{kind.SwapUsed.Of("memory", finding.Quantity("swap", float64(o.SwapUsedBytes), "B"))}
	},
}

var swappedCheck = Check{
	Kind: kind.Swapped,
	Doc: `pages swapped in or out

A page that comes from disk costs as much as a hundred thousand instructions.`,
	Run: during(kind.Swapped),
}

var memoryCheck = Check{
	Kind: kind.Memory,
	Doc: `memory pressure

Short of memory the kernel makes whoever allocates look for pages first, and
the garbage collector runs more often near a limit.`,
	Run: func(o *Observation) []finding.Finding {
		what := ""
		switch total := o.Machine.MemoryBytes; {
		case o.MemoryPressure >= 0.01:
			what = "tasks waited for memory in " + unit.Percent(o.MemoryPressure) + " of the last 10 s"
		case o.MemoryUsedShare >= 0.9:
			what = "the control group uses " + unit.Percent(o.MemoryUsedShare) + " of its memory limit"
		case total > 0 && o.MemoryAvailableBytes > 0 && float64(o.MemoryAvailableBytes) < 0.05*float64(total):
			what = "only " + unit.Percent(float64(o.MemoryAvailableBytes)/float64(total)) + " of the memory is available"
		default:
			return nil
		}
		return []finding.Finding{kind.Memory.Of("memory", finding.Text("what", what))}
	},
}

// slowClocks are read by a system call or over a bus, not from the counter.
var slowClocks = map[string]bool{"hpet": true, "acpi_pm": true, "jiffies": true, "refined-jiffies": true, "xen": true, "pit": true}

var clockSourceCheck = Check{
	Kind: kind.ClockSource,
	Doc: `the kernel's clock source

Some clocks are read over a bus or by a system call: a reading costs hundreds
of nanoseconds, all of it inside the measurement.`,
	Run: func(o *Observation) []finding.Finding {
		if !slowClocks[o.Machine.ClockSource] {
			return nil
		}
		return []finding.Finding{kind.ClockSource.Of("clock", finding.Text("source", o.Machine.ClockSource))}
	},
}

// A pair of clock reads takes 20 to 100 ns where the counter is read directly.
const costlyClock = 200.0 // ns

var clockCostCheck = Check{
	Kind: kind.ClockCost,
	Doc: `what a pair of clock reads costs

This overhead is subtracted, but its own spread stays in
the result, and short operations drown in it.`,
	Run: func(o *Observation) []finding.Finding {
		if o.Clock == nil || o.Clock.Overhead.Typical < costlyClock {
			return nil
		}
		return []finding.Finding{kind.ClockCost.Of("clock", finding.Quantity("least", 1e-9*o.Clock.Overhead.Lo, "sec"), finding.Quantity("most", 1e-9*o.Clock.Overhead.Hi, "sec"))}
	},
}

// coarseClock is the step above which single operations cannot be distinguished:
// 100 ns is what Windows' counter at 10 MHz gives.
const coarseClock = 100.0 // ns

var clockResolutionCheck = Check{
	Kind: kind.ClockResolution,
	Doc: `the step of the clock

Times shorter than a step are distinguished only by averaging.`,
	Run: func(o *Observation) []finding.Finding {
		if o.Clock == nil || o.Clock.Resolution < coarseClock {
			return nil
		}
		return []finding.Finding{kind.ClockResolution.Of("clock", finding.Quantity("step", 1e-9*o.Clock.Resolution, "sec"))}
	},
}

var aslrCheck = Check{
	Kind: kind.ASLR,
	Doc: `address space randomization

Addresses decide which data share a cache set. With randomization each fresh
process draws new ones and the blocks average their effect; without it every
process has the same layout, and the interval does not show it.`,
	Run: func(o *Observation) []finding.Finding {
		if o.Machine.ASLR != "0" && o.Machine.ASLR != "1" {
			return nil
		}
		return []finding.Finding{kind.ASLR.Of("kernel", finding.Text("setting", o.Machine.ASLR))}
	},
}

var lockCheck = Check{
	Kind: kind.LockHeld,
	Doc: `another benchmark that is running now

Two measuring processes measure each other.`,
	Run: func(o *Observation) []finding.Finding {
		if o.LockHolder == "" {
			return nil
		}
		return []finding.Finding{kind.LockHeld.Of("machine", finding.Text("holder", o.LockHolder))}
	},
}

// littleDisk is room for the builds and binaries of a study of many layouts.
const littleDisk = 1 << 30

var diskCheck = Check{
	Kind: kind.Disk,
	Doc: `free disk space

A study builds and keeps two binaries per layout. A full disk ends it half
way.`,
	Run: func(o *Observation) []finding.Finding {
		var findings []finding.Finding
		for _, d := range o.Disks {
			if d.FreeBytes < littleDisk {
				findings = append(findings, kind.Disk.Of(d.Path, finding.Quantity("free", float64(d.FreeBytes), "B")))
			}
		}
		return findings
	},
}

var buildFlagsCheck = Check{
	Kind: kind.BuildFlags,
	Doc: `instrumentation in the build flags

The race detector, coverage, the sanitizers and disabled optimization change
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
		return []finding.Finding{kind.BuildFlags.Of("build", finding.Text("flags", strings.Join(found, " ")))}
	},
}

var debuggerCheck = Check{
	Kind: kind.Debugger,
	Doc: `a debugger or tracer

A traced process stops at every signal and system call that the tracer asked
for. strace and delve count.`,
	Run: func(o *Observation) []finding.Finding {
		if !o.Traced {
			return nil
		}
		return []finding.Finding{kind.Debugger.Of("process")}
	},
}

var goSettingsCheck = Check{
	Kind: kind.GoSettings,
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
		return []finding.Finding{kind.GoSettings.Of("go", finding.Text("settings", strings.Join(seen, ", ")))}
	},
}
