package machine

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/tarebench/tare/cmd/tare/internal/catalog"
	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/internal/finding"
)

// appleFacts takes the facts of macOS from its sysctls and the output of pmset -g.
// Governors and boost are not known: macOS neither shows nor sets them.
func appleFacts(m *result.Machine, text func(name string) string, number func(name string) (uint64, bool), power string) {
	count := func(name string) int {
		n, _ := number(name)
		return int(n)
	}
	m.Kernel = text("kern.osrelease")
	if v := text("kern.osproductversion"); v != "" {
		m.Distribution = "macOS " + v
	}
	m.Product = text("hw.model")
	m.CPU.Model = text("machdep.cpu.brand_string")
	m.CPU.Cores = count("hw.physicalcpu")
	m.CPU.Sockets = count("hw.packages")
	m.CPU.Threads = cmp.Or(count("hw.logicalcpu"), m.CPU.Threads)
	m.MemoryBytes, _ = number("hw.memsize")
	if n, ok := number("kern.hv_vmm_present"); ok {
		m.Virtual = "none"
		if n != 0 {
			m.Virtual = "unknown hypervisor"
		}
	}
	var kinds []string
	for level := range count("hw.nperflevels") {
		name := fmt.Sprintf("hw.perflevel%d.", level)
		kinds = append(kinds, fmt.Sprintf("%d %s", count(name+"physicalcpu"), strings.ToLower(text(name+"name"))))
	}
	if len(kinds) > 1 {
		m.CPU.Kinds = strings.Join(kinds, ", ")
	}
	m.CPU.Translated = count("sysctl.proc_translated") == 1
	for line := range strings.Lines(power) {
		if f := strings.Fields(line); len(f) == 2 && f[0] == "lowpowermode" {
			m.CPU.LowPower = f[1] == "1"
		}
	}
}

func coresCheck(o *Observation) (found []finding.Finding) {
	if c := o.Machine.CPU; c.Kinds != "" {
		found = append(found, catalog.MixedCores.Of("cpu", finding.Text("kinds", c.Kinds)))
	}
	if o.Machine.CPU.Translated {
		found = append(found, catalog.Translated.Of("cpu", finding.Text("arch", o.Machine.Arch)))
	}
	if o.Machine.CPU.LowPower {
		found = append(found, catalog.LowPower.Of("cpu"))
	}
	return found
}
