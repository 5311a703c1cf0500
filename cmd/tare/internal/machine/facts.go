package machine

import (
	"io/fs"
	"runtime"
	"strings"

	"github.com/tarebench/tare/cmd/tare/internal/result"
)

// Facts reads the facts that root shows of the machine. It measures nothing and
// takes a few milliseconds. For the go command's settings, see [GoSettings].
func Facts(root fs.FS) result.Machine {
	t := Tree{root}
	m := result.Machine{
		OS:           runtime.GOOS,
		Arch:         runtime.GOARCH,
		Kernel:       t.Text("proc/sys/kernel/osrelease"),
		Distribution: readDistribution(t),
		Product:      readProduct(t),
		ClockSource:  t.Text("sys/devices/system/clocksource/clocksource0/current_clocksource"),
		Container:    readContainer(t),
		Cgroup:       readCgroup(t),
	}
	m.MemoryBytes = uint64(t.Fields("proc/meminfo")["MemTotal"]) << 10 // from kB
	info := readCPUInfo(t)
	m.CPU = readCPU(t, info)
	m.Virtual = readVirtual(t, info)
	if !t.Exists("proc") {
		hostFacts(&m) // a system without /proc has other sources
	}
	return m
}

func readDistribution(t Tree) string {
	for line := range strings.Lines(t.Text("etc/os-release")) {
		if name, ok := strings.CutPrefix(strings.TrimSpace(line), "PRETTY_NAME="); ok {
			return strings.Trim(name, `"'`)
		}
	}
	return ""
}

// readProduct joins the firmware's maker and product. It does not read serial
// numbers, which identify a person's machine.
func readProduct(t Tree) string {
	vendor, product := t.Text("sys/class/dmi/id/sys_vendor"), t.Text("sys/class/dmi/id/product_name")
	if vendor == "" && product == "" {
		return t.Text("proc/device-tree/model")
	}
	if strings.HasPrefix(product, vendor) {
		return product
	}
	return strings.TrimSpace(vendor + " " + product)
}

// readVirtual names the hypervisor. On x86 the CPU itself informs a guest that
// it is one (CPUID leaf 1, ECX bit 31: the flag "hypervisor"). Elsewhere only
// the firmware may do so, and without an answer it is not known.
func readVirtual(t Tree, info cpuInfo) string {
	name := ""
	dmi := readProduct(t)
	for _, sign := range []struct{ has, name string }{
		{"KVM", "kvm"}, {"QEMU", "kvm"}, {"Google Compute Engine", "kvm"}, {"OpenStack", "kvm"},
		{"Amazon EC2", "kvm"}, {"VMware", "vmware"}, {"VirtualBox", "virtualbox"},
		{"Virtual Machine", "hyper-v"}, {"HVM domU", "xen"}, {"Parallels", "parallels"}, {"Apple Virtualization", "apple"},
	} {
		if strings.Contains(dmi, sign.has) && !strings.Contains(dmi, ".metal") {
			name = sign.name
			break
		}
	}
	if kind := t.Text("sys/hypervisor/type"); kind != "" && name == "" {
		name = kind
	}
	if name == "" && strings.Contains(t.Text("sys/devices/system/clocksource/clocksource0/available_clocksource"), "kvm-clock") {
		name = "kvm"
	}
	switch {
	case info.x86 && !info.flags["hypervisor"]:
		return "none"
	case info.x86 && name == "":
		return "unknown hypervisor"
	}
	return name
}

func readContainer(t Tree) string {
	groups := t.Text("proc/self/cgroup")
	switch {
	case t.Exists("run/secrets/kubernetes.io") || strings.Contains(groups, "kubepods"):
		return "kubernetes"
	case t.Exists("run/.containerenv") || strings.Contains(groups, "libpod"):
		return "podman"
	case t.Exists(".dockerenv") || strings.Contains(groups, "docker"):
		return "docker"
	case strings.Contains(groups, "/lxc"):
		return "lxc"
	}
	return t.Text("run/systemd/container")
}
