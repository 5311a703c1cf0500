package machine

import (
	"slices"
	"strings"

	"github.com/tarebench/tare/cmd/tare/internal/catalog"
	"github.com/tarebench/tare/internal/finding"
)

// A pair of clock reads takes 20 to 100 ns if the counter is read directly.
const costlyClock = 200.0 // ns

func clockCostCheck(o *Observation) []finding.Finding {
	if o.Clock == nil || o.Clock.Overhead.Typical < costlyClock {
		return nil
	}
	return []finding.Finding{catalog.ClockCost.Of("clock", finding.Quantity("least", 1e-9*o.Clock.Overhead.Lo, "sec"), finding.Quantity("most", 1e-9*o.Clock.Overhead.Hi, "sec"))}
}

func lockCheck(o *Observation) []finding.Finding {
	if o.LockHolder == "" {
		return nil
	}
	return []finding.Finding{catalog.LockHeld.Of("machine", finding.Text("holder", o.LockHolder))}
}

func buildFlagsCheck(o *Observation) []finding.Finding {
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
	return []finding.Finding{catalog.BuildFlags.Of("build", finding.Text("flags", strings.Join(found, " ")))}
}
