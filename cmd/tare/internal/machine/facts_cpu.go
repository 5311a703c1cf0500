package machine

import (
	"cmp"
	"path"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/tarebench/tare/cmd/tare/internal/result"
)

// cpuInfo is /proc/cpuinfo, whose keys differ between architectures.
type cpuInfo struct {
	x86           bool
	vendor, model string
	flags         map[string]bool
	processors    int
}

// armImplementers names the makers of "CPU implementer" (Arm's MIDR_EL1).
var armImplementers = map[string]string{
	"0x41": "ARM", "0x42": "Broadcom", "0x43": "Cavium", "0x46": "Fujitsu", "0x48": "HiSilicon",
	"0x4e": "NVIDIA", "0x50": "APM", "0x51": "Qualcomm", "0x61": "Apple", "0x6d": "Microsoft", "0xc0": "Ampere",
}

// armParts names the Arm cores that servers carry ("CPU part" of MIDR_EL1).
var armParts = map[string]string{
	"0xd08": "Cortex-A72", "0xd0b": "Cortex-A76", "0xd0c": "Neoverse-N1", "0xd40": "Neoverse-V1",
	"0xd49": "Neoverse-N2", "0xd4f": "Neoverse-V2", "0xd84": "Neoverse-V3", "0xd8e": "Neoverse-N3",
}

func readCPUInfo(t Tree) cpuInfo {
	info := cpuInfo{flags: map[string]bool{}}
	part := ""
	for line := range strings.Lines(t.Text("proc/cpuinfo")) {
		key, value, _ := strings.Cut(line, ":")
		key, value = strings.TrimSpace(key), strings.TrimSpace(value)
		if key == "processor" {
			info.processors++
		}
		if info.processors > 1 {
			continue // the rest repeats
		}
		switch key {
		case "vendor_id":
			info.vendor, info.x86 = value, true
		case "CPU implementer":
			info.vendor = cmp.Or(armImplementers[value], value)
		case "model name":
			info.model = value
		case "CPU part":
			part = value
		case "flags", "Features":
			for flag := range strings.FieldsSeq(value) {
				info.flags[flag] = true
			}
		}
	}
	if info.model == "" && part != "" {
		info.model = part
		if name := armParts[part]; name != "" && info.vendor == "ARM" {
			info.model = name
		}
	}
	return info
}

const cpuDir = "sys/devices/system/cpu"

func readCPU(t Tree, info cpuInfo) result.CPU {
	ranges := t.Text(cpuDir + "/online")
	online := ParseCPUList(ranges)
	c := result.CPU{
		Vendor:  info.vendor,
		Model:   info.model,
		Threads: cmp.Or(len(online), info.processors, runtime.NumCPU()),
		Online:  ranges,
	}
	for line := range strings.Lines(t.Text("proc/self/status")) {
		if list, ok := strings.CutPrefix(line, "Cpus_allowed_list:"); ok {
			c.Allowed = strings.TrimSpace(list)
		}
	}
	sockets := map[string]bool{}
	for _, cpu := range online {
		dir := path.Join(cpuDir, "cpu"+strconv.Itoa(cpu), "topology")
		if id := t.Text(dir + "/physical_package_id"); id != "" {
			sockets[id] = true
		}
		// core_cpus_list is the name since Linux 5.3. The older name stays.
		siblings := cmp.Or(t.Text(dir+"/core_cpus_list"), t.Text(dir+"/thread_siblings_list"))
		if list := ParseCPUList(siblings); len(list) > 0 && list[0] == cpu {
			c.Cores++
		}
	}
	c.Sockets = len(sockets)
	policies := policies(t)
	c.Frequency = merge(policies)
	c.Boost = readBoost(t, policies)
	return c
}

type policy struct {
	Dir string
	result.FrequencyPolicy
}

func policies(t Tree) []policy {
	var policies []policy
	for _, name := range t.Names(cpuDir + "/cpufreq") {
		if !strings.HasPrefix(name, "policy") {
			continue
		}
		dir := path.Join(cpuDir, "cpufreq", name)
		p := policy{dir, result.FrequencyPolicy{
			Governor:      t.Text(dir + "/scaling_governor"),
			MinHz:         t.Hertz(dir + "/scaling_min_freq"),
			MaxHz:         t.Hertz(dir + "/scaling_max_freq"),
			HardwareMaxHz: t.Hertz(dir + "/cpuinfo_max_freq"),
			BaseHz:        t.Hertz(dir + "/base_frequency"), // intel_pstate
		}}
		// affected_cpus separates with blanks.
		cpus := ParseCPUList(strings.Join(strings.Fields(t.Text(dir+"/affected_cpus")), ","))
		if len(cpus) == 0 {
			continue // all of its CPUs are offline
		}
		p.CPUs = FormatCPUList(cpus)
		if p.BaseHz == 0 {
			// AMD and Arm report the nominal frequency through ACPI, in MHz.
			mhz, _ := t.Number(path.Join(cpuDir, "cpu"+strconv.Itoa(cpus[0]), "acpi_cppc/nominal_freq"))
			p.BaseHz = mhz * 1e6
		}
		policies = append(policies, p)
	}
	slices.SortFunc(policies, func(a, b policy) int { return ParseCPUList(a.CPUs)[0] - ParseCPUList(b.CPUs)[0] })
	return policies
}

// merge joins the policies that differ only in their CPUs. Most machines have
// one per core.
func merge(policies []policy) []result.FrequencyPolicy {
	var merged []result.FrequencyPolicy
	for _, p := range policies {
		i := slices.IndexFunc(merged, func(m result.FrequencyPolicy) bool {
			m.CPUs = p.CPUs
			return m == p.FrequencyPolicy
		})
		if i < 0 {
			merged = append(merged, p.FrequencyPolicy)
			continue
		}
		merged[i].CPUs = FormatCPUList(append(ParseCPUList(merged[i].CPUs), ParseCPUList(p.CPUs)...))
	}
	return merged
}

// readBoost reads the switch of the driver: intel_pstate has no_turbo (1 is
// off), acpi-cpufreq and amd-pstate have boost (1 is on), for the machine or
// for each policy. A CPU whose highest frequency is its base frequency has
// nothing to boost.
func readBoost(t Tree, policies []policy) *bool {
	if v, ok := t.Number(cpuDir + "/intel_pstate/no_turbo"); ok {
		return new(v == 0)
	}
	if v, ok := t.Number(cpuDir + "/cpufreq/boost"); ok {
		return new(v != 0)
	}
	seen := false
	for _, p := range policies {
		v, ok := t.Number(p.Dir + "/boost")
		if ok && v != 0 {
			return new(true)
		}
		seen = seen || ok
	}
	flat := len(policies) > 0
	for _, p := range policies {
		flat = flat && p.BaseHz > 0 && p.BaseHz >= p.HardwareMaxHz
	}
	if seen || flat {
		return new(false)
	}
	return nil
}
