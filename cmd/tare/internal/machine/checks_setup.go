package machine

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tarebench/tare/cmd/tare/internal/kind"
	"github.com/tarebench/tare/internal/finding"
)

var swappedCheck = Check{
	Kind: kind.Swapped,
	Doc: `pages swapped in or out

A page that comes from disk costs as much as a hundred thousand instructions.`,
	Run: during(kind.Swapped),
}

// slowClocks are read by a system call or over a bus, not from the counter.
var slowClocks = map[string]bool{"hpet": true, "acpi_pm": true, "jiffies": true, "refined-jiffies": true, "xen": true, "pit": true}

var clockSourceCheck = Check{
	Kind: kind.ClockSource,
	Doc: `the kernel's clock source

Some clocks are read over a bus or by a system call. A read costs hundreds of
nanoseconds, all of it inside the measurement.`,
	Run: func(o *Observation) []finding.Finding {
		if !slowClocks[o.Machine.ClockSource] {
			return nil
		}
		return []finding.Finding{kind.ClockSource.Of("clock", finding.Text("source", o.Machine.ClockSource))}
	},
}

// A pair of clock reads takes 20 to 100 ns if the counter is read directly.
const costlyClock = 200.0 // ns

var clockCostCheck = Check{
	Kind: kind.ClockCost,
	Doc: `the cost of a pair of clock reads

This overhead is subtracted, but its own spread stays in the result and hides
short operations.`,
	Run: func(o *Observation) []finding.Finding {
		if o.Clock == nil || o.Clock.Overhead.Typical < costlyClock {
			return nil
		}
		return []finding.Finding{kind.ClockCost.Of("clock", finding.Quantity("least", 1e-9*o.Clock.Overhead.Lo, "sec"), finding.Quantity("most", 1e-9*o.Clock.Overhead.Hi, "sec"))}
	},
}

var lockCheck = Check{
	Kind: kind.LockHeld,
	Doc: `another benchmark that runs now

Two measuring processes measure each other.`,
	Run: func(o *Observation) []finding.Finding {
		if o.LockHolder == "" {
			return nil
		}
		return []finding.Finding{kind.LockHeld.Of("machine", finding.Text("holder", o.LockHolder))}
	},
}

var buildFlagsCheck = Check{
	Kind: kind.BuildFlags,
	Doc: `instrumentation in the build flags

The race detector, coverage, the sanitizers and disabled optimization slow the
code by a factor, and by different factors in different code.`,
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

var goSettingsCheck = Check{
	Kind: kind.GoSettings,
	Doc: `settings of the Go runtime that do not fit the machine

More threads than usable CPUs wait for each other. A collector that is switched
off or has a limit behaves differently from the one in production.`,
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
