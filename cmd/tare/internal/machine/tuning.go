package machine

import (
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/tarebench/tare/cmd/tare/internal/result"
)

// TuningChange is one setting that tuning writes: the file, below the root, and
// what it holds before and after.
type TuningChange struct {
	Path string `json:"path"`
	From string `json:"from"`
	To   string `json:"to"`
	// Made is true when the change makes the file or folder; To is empty for
	// a folder.
	Made bool `json:"made,omitempty"`
	// Undo is what to write to go back, where that is not From.
	Undo string `json:"undo,omitempty"`
	// What says it in words.
	What string `json:"what"`
}

func (c TuningChange) String() string {
	switch {
	case c.Made && c.To == "":
		return c.What
	case c.From == "":
		return fmt.Sprintf("%s: %s", c.What, c.To)
	}
	return fmt.Sprintf("%s: %s → %s", c.What, c.From, c.To)
}

// TuningPlan is what tuning would do here, in the order in which it is done, and
// what it cannot do and why.
type TuningPlan struct {
	Changes  []TuningChange
	Refusals []string
	// CPUs is the list that measured commands are kept on; empty for all.
	CPUs string
}

// shieldDir is the control group that keeps the measured CPUs to itself.
const shieldDir = "sys/fs/cgroup/tare"

// PlanTuning reads what can be tuned. It changes nothing.
//
// Boost comes last, so that it is the first to be restored: while it is off
// some drivers clamp a frequency limit that is written.
func PlanTuning(root fs.FS) TuningPlan {
	t := Tree{FS: root}
	m := Facts(root)
	var p TuningPlan
	policies := Policies(root)
	if len(policies) == 0 {
		p.refuse("frequency: this machine does not let its clock be set (no /%s/cpufreq/policy*)", cpuDir)
	}
	p.planGovernors(t, policies)
	p.planLimits(t, policies)
	p.planBoost(t, policies, m.CPU.Boost)
	p.planShield(t, m)
	return p
}

func (p *TuningPlan) refuse(format string, args ...any) {
	p.Refusals = append(p.Refusals, fmt.Sprintf(format, args...))
}

// set plans to write a file that exists, unless it already says so.
func (p *TuningPlan) set(t Tree, file, to, what string) {
	if from := t.Text(file); from != to {
		p.Changes = append(p.Changes, TuningChange{Path: file, From: from, To: to, What: what})
	}
}

func (p *TuningPlan) planGovernors(t Tree, policies []Policy) {
	for _, f := range policies {
		what := "governor of " + path.Base(f.Dir)
		if !slices.Contains(strings.Fields(t.Text(f.Dir+"/scaling_available_governors")), "performance") {
			p.refuse("%s: the driver %s offers no governor performance", what, f.Driver)
			continue
		}
		p.set(t, f.Dir+"/scaling_governor", "performance", what)
	}
}

// planLimits pins each policy to its base frequency, which it can hold
// whatever the temperature. The order of the two limits keeps the lower one
// below the upper one at every moment, or the kernel refuses.
func (p *TuningPlan) planLimits(t Tree, policies []Policy) {
	for _, f := range policies {
		what := path.Base(f.Dir)
		if f.BaseHz == 0 {
			p.refuse("frequency of %s: its base frequency is not known here, so the limit stays", what)
			continue
		}
		khz := strconv.FormatFloat(max(f.HardwareMinHz, min(f.BaseHz, f.HardwareMaxHz))/1e3, 'f', 0, 64)
		limits := []string{"/scaling_max_freq", "/scaling_min_freq"}
		if f.MinHz > f.BaseHz {
			slices.Reverse(limits)
		}
		for _, limit := range limits {
			p.set(t, f.Dir+limit, khz, what+limit+" (kHz)")
		}
	}
}

func (p *TuningPlan) planBoost(t Tree, policies []Policy, boost *bool) {
	switch {
	case boost == nil:
		if len(policies) > 0 {
			p.refuse("boost: no switch for it here")
		}
	case !*boost:
	case t.Exists(cpuDir + "/intel_pstate/no_turbo"):
		p.set(t, cpuDir+"/intel_pstate/no_turbo", "1", "boost off (no_turbo)")
	case t.Exists(cpuDir + "/cpufreq/boost"):
		p.set(t, cpuDir+"/cpufreq/boost", "0", "boost off (boost)")
	default:
		for _, f := range policies {
			p.set(t, f.Dir+"/boost", "0", "boost off for "+path.Base(f.Dir))
		}
	}
}

// leastCores is how many cores it takes before one of them can be left to the
// rest of the machine.
const leastCores = 4

// planShield keeps a command on one thread of each core but the first, where
// most interrupts go, and, where control groups of version 2 have the cpuset
// controller, keeps everybody else off them.
//
// The partition is "root", not "isolated": an isolated one is not balanced,
// and the threads of a Go program would all stay on one CPU.
func (p *TuningPlan) planShield(t Tree, m result.Machine) {
	cpus := onePerCore(m)
	if len(cpus) < leastCores {
		p.refuse("shielding: %d usable cores are too few to set some apart", len(cpus))
		return
	}
	p.CPUs = FormatCPUList(cpus[1:])
	// Siblings share a core: nobody else may have them either.
	var whole []int
	for _, cpu := range cpus[1:] {
		whole = append(whole, siblingsOf(m, cpu)...)
	}
	const top = "sys/fs/cgroup"
	if !slices.Contains(strings.Fields(t.Text(top+"/cgroup.controllers")), "cpuset") {
		p.refuse("shielding: no cpuset controller in a control group of version 2: commands are pinned to CPUs %s, but others may run there", p.CPUs)
		return
	}
	if t.Exists(shieldDir) {
		p.refuse("shielding: /%s exists and is not ours", shieldDir)
		return
	}
	if control := t.Text(top + "/cgroup.subtree_control"); !slices.Contains(strings.Fields(control), "cpuset") {
		p.Changes = append(p.Changes, TuningChange{Path: top + "/cgroup.subtree_control", From: control, To: "+cpuset", Undo: "-cpuset", What: "controllers of control groups"})
	}
	p.Changes = append(p.Changes,
		TuningChange{Path: shieldDir, Made: true, What: "make control group /" + shieldDir},
		TuningChange{Path: shieldDir + "/cpuset.cpus", To: FormatCPUList(whole), Made: true, What: "CPUs of the shield"},
		TuningChange{Path: shieldDir + "/cpuset.cpus.partition", To: "root", Made: true, What: "shield (others are kept off)"},
	)
}

// onePerCore lists the first allowed thread of each core.
func onePerCore(m result.Machine) []int {
	var cpus []int
	for _, cpu := range ParseCPUList(m.CPU.Allowed) {
		first := true
		for _, other := range siblingsOf(m, cpu) {
			first = first && (other >= cpu || !slices.Contains(cpus, other))
		}
		if first {
			cpus = append(cpus, cpu)
		}
	}
	return cpus
}

func siblingsOf(m result.Machine, cpu int) []int {
	for _, list := range m.CPU.Siblings {
		if cpus := ParseCPUList(list); slices.Contains(cpus, cpu) {
			return cpus
		}
	}
	return []int{cpu}
}
