//go:build !linux && !darwin

package machine

import (
	"cmp"

	"github.com/klauspost/cpuid/v2"

	"github.com/tarebench/tare/cmd/tare/internal/result"
)

// hostFacts reads the facts from the CPU itself. Frequencies, memory and power
// are not known here.
func hostFacts(m *result.Machine) {
	m.CPU.Vendor, m.CPU.Model = cpuid.CPU.VendorString, cpuid.CPU.BrandName
	m.CPU.Cores = cpuid.CPU.PhysicalCores
	// Windows also runs on its own hypervisor on bare metal, so the name of that
	// hypervisor is no evidence.
	if name := cpuid.CPU.HypervisorVendorString; cpuid.CPU.VM() && name != "Microsoft Hv" {
		m.Virtual = cmp.Or(name, "unknown hypervisor")
	}
	m.Kernel = kernelRelease()
}
