package machine

import (
	"golang.org/x/sys/unix"

	"github.com/tarebench/tare/cmd/tare/internal/result"
)

// hostFacts reads sysctl. Governors, boost and power are not known here: macOS
// neither shows nor sets them.
func hostFacts(m *result.Machine) {
	text := func(name string) string {
		s, _ := unix.Sysctl(name)
		return s
	}
	number := func(name string) int {
		n, _ := unix.SysctlUint32(name)
		return int(n)
	}
	m.Kernel = text("kern.osrelease")
	if v := text("kern.osproductversion"); v != "" {
		m.Distribution = "macOS " + v
	}
	m.Product = text("hw.model")
	m.CPU.Model = text("machdep.cpu.brand_string")
	m.CPU.Cores = number("hw.physicalcpu")
	m.CPU.Sockets = number("hw.packages")
	if n := number("hw.logicalcpu"); n > 0 {
		m.CPU.Threads = n
	}
	m.MemoryBytes, _ = unix.SysctlUint64("hw.memsize")
	if n, err := unix.SysctlUint32("kern.hv_vmm_present"); err == nil {
		m.Virtual = "none"
		if n != 0 {
			m.Virtual = "unknown hypervisor"
		}
	}
}
