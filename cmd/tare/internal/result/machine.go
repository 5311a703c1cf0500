package result

// Machine describes the machine when it measured. A zero value (empty, 0, nil)
// means "not known here": no field is ever guessed.
type Machine struct {
	// Name distinguishes the machines of one study: the part that it measured, or
	// the command that reaches it. It is empty if the study has one machine.
	Name string `json:"name,omitempty"`
	// OS and Arch are GOOS and GOARCH of the measuring program.
	OS   string `json:"os"`
	Arch string `json:"arch"`
	// Kernel is the kernel's release, Distribution the system's own name.
	Kernel       string `json:"kernel,omitempty"`
	Distribution string `json:"distribution,omitempty"`
	// Product is the machine's name in its firmware.
	Product string `json:"product,omitempty"`
	CPU     CPU    `json:"cpu"`
	// ClockSource is the kernel's clock ("tsc", "kvm-clock", "hpet"). If it is not
	// the counter itself, a read may cost a system call.
	ClockSource string `json:"clock_source,omitempty"`
	// Virtual is "none" on bare metal, else the hypervisor ("kvm", "xen"), or
	// "unknown hypervisor".
	Virtual string `json:"virtual,omitempty"`
	// Container is the kind of container ("docker", "podman", "kubernetes"),
	// empty for none that shows itself.
	Container string `json:"container,omitempty"`
	Cgroup    Cgroup `json:"cgroup"`
	// MemoryBytes is the installed memory, not the free one.
	MemoryBytes uint64 `json:"memory_bytes,omitempty"`
	// Go has the settings of the go command that change the build or the run:
	// GOVERSION, GOAMD64 (or GOARM64), GOEXPERIMENT, GOFLAGS, and GOMAXPROCS, GOGC,
	// GOMEMLIMIT, GODEBUG from the environment.
	Go map[string]string `json:"go,omitempty"`
}

// CPU is the CPU as the operating system shows it. CPU lists are in the kernel's
// notation: "0-3,8".
type CPU struct {
	Vendor string `json:"vendor,omitempty"`
	Model  string `json:"model,omitempty"`
	// Sockets, Cores and Threads count the online ones. Threads are the kernel's
	// CPUs.
	Sockets int `json:"sockets,omitempty"`
	Cores   int `json:"cores,omitempty"`
	Threads int `json:"threads"`
	// Online and Allowed (this process's affinity) are CPU lists.
	Online  string `json:"online,omitempty"`
	Allowed string `json:"allowed,omitempty"`
	// Kinds are the kinds of cores, if there are several ("4 performance, 4
	// efficiency"). Translated is true if Rosetta runs this program, LowPower if the
	// system saves power.
	Kinds      string `json:"kinds,omitempty"`
	Translated bool   `json:"translated,omitempty"`
	LowPower   bool   `json:"low_power,omitempty"`
	// Boost is true when the CPU may run above its base frequency.
	Boost *bool `json:"boost,omitempty"`
	// Frequency has one element per setting that differs. It is empty if the
	// machine hides its clock.
	Frequency []FrequencyPolicy `json:"frequency,omitempty"`
	// CounterHz is the rate of the cycle counter (amd64 only), which equals the
	// rate of the base clock: with boost a core runs faster.
	CounterHz float64 `json:"counter_hz,omitempty"`
}

// FrequencyPolicy is the clock policy of a set of CPUs (Linux: the cpufreq
// policies, those with equal settings joined). Frequencies are in hertz.
type FrequencyPolicy struct {
	// CPUs is a CPU list.
	CPUs     string `json:"cpus"`
	Governor string `json:"governor,omitempty"`
	// MinHz and MaxHz are the current limits, HardwareMaxHz is the limit of the
	// CPU. BaseHz is its sustained frequency without boost.
	MinHz         float64 `json:"min_hz,omitempty"`
	MaxHz         float64 `json:"max_hz,omitempty"`
	HardwareMaxHz float64 `json:"hardware_max_hz,omitempty"`
	BaseHz        float64 `json:"base_hz,omitempty"`
}

// Cgroup has the limits that a control group sets for the process.
type Cgroup struct {
	// Version is 1 or 2, or 0 without a control group.
	Version int `json:"version,omitempty"`
	// QuotaCPUs is the CPU time allowed per second of wall time, the tightest of
	// the group and its parents. 0 is no quota. QuotaPeriodSeconds is the period of
	// the quota.
	QuotaCPUs          float64 `json:"quota_cpus,omitempty"`
	QuotaPeriodSeconds float64 `json:"quota_period_seconds,omitempty"`
	// MemoryBytes is the memory limit. 0 is none.
	MemoryBytes uint64 `json:"memory_bytes,omitempty"`
}
