package machine

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/tarebench/tare/cmd/tare/internal/result"
)

type controller struct {
	version int
	// dirs are the directories from the group up to the mount. A parent's limit
	// binds the child, and a parent's throttling stalls it.
	dirs []string
}

// findController combines /proc/self/cgroup (the group) with
// /proc/self/mountinfo (the place of its mount). On a hybrid system a
// controller is either in the version 1 hierarchy or in the version 2
// hierarchy: see cgroups(7).
func findController(t Tree, name string) controller {
	var v1, v2 *string
	for line := range strings.Lines(t.Text("proc/self/cgroup")) {
		f := strings.SplitN(strings.TrimSpace(line), ":", 3) // id:controllers:path
		if len(f) != 3 {
			continue
		}
		if f[1] == "" {
			v2 = &f[2]
		}
		for c := range strings.SplitSeq(f[1], ",") {
			if c == name {
				v1 = &f[2]
			}
		}
	}
	switch {
	case v1 != nil:
		return controller{1, groupDirs(t, *v1, func(kind, options string) bool {
			return kind == "cgroup" && slices.Contains(strings.Split(options, ","), name)
		})}
	case v2 != nil:
		return controller{2, groupDirs(t, *v2, func(kind, _ string) bool { return kind == "cgroup2" })}
	}
	return controller{}
}

// groupDirs lists the directories of group and its parents below the wanted
// mount, group first.
func groupDirs(t Tree, group string, wanted func(kind, superOptions string) bool) []string {
	for line := range strings.Lines(t.Text("proc/self/mountinfo")) {
		// 36 35 98:0 /root /mount/point options optional… - kind source superoptions
		before, after, ok := strings.Cut(line, " - ")
		f, g := strings.Fields(before), strings.Fields(after)
		if !ok || len(f) < 5 || len(g) < 3 || !wanted(g[0], g[2]) {
			continue
		}
		root, mount := f[3], strings.TrimPrefix(f[4], "/")
		// In a container without a separate cgroup namespace, the root of the
		// mount is the container's group. The path below it is the difference.
		rel := strings.TrimPrefix(group, strings.TrimSuffix(root, "/"))
		if strings.HasPrefix(rel, "/..") || !t.Exists(path.Join(mount, rel)) {
			rel = "/"
		}
		var dirs []string
		for rel = path.Clean("/" + rel); ; rel = path.Dir(rel) {
			dirs = append(dirs, path.Join(mount, rel))
			if rel == "/" {
				return dirs
			}
		}
	}
	return nil
}

func readCgroup(t Tree) result.Cgroup {
	cpu := findController(t, "cpu")
	cg := result.Cgroup{Version: cpu.version}
	for _, dir := range cpu.dirs {
		quota, period := readQuota(t, dir, cpu.version)
		if quota > 0 && (cg.QuotaCPUs == 0 || quota < cg.QuotaCPUs) {
			cg.QuotaCPUs, cg.QuotaPeriodSeconds = quota, period
		}
	}
	memory, file := findController(t, "memory"), "memory.max"
	if memory.version == 1 {
		file = "memory.limit_in_bytes"
	}
	for _, dir := range memory.dirs {
		limit, ok := t.Number(path.Join(dir, file))
		// Version 1 writes "no limit" as the largest page-aligned int64.
		if ok && limit > 0 && limit < 1<<62 && (cg.MemoryBytes == 0 || uint64(limit) < cg.MemoryBytes) {
			cg.MemoryBytes = uint64(limit)
		}
	}
	return cg
}

// readQuota returns the quota in CPUs, or 0 without a quota, and the period
// in seconds.
func readQuota(t Tree, dir string, version int) (cpus, period float64) {
	var quota, us float64
	if version == 1 {
		quota, _ = t.Number(path.Join(dir, "cpu.cfs_quota_us")) // -1: none
		us, _ = t.Number(path.Join(dir, "cpu.cfs_period_us"))
	} else if f := strings.Fields(t.Text(path.Join(dir, "cpu.max"))); len(f) == 2 {
		quota, _ = strconv.ParseFloat(f[0], 64) // "max" is no number: none
		us, _ = strconv.ParseFloat(f[1], 64)
	}
	if quota <= 0 || us <= 0 {
		return 0, 0
	}
	return quota / us, us / 1e6
}

// readThrottled sums the throttling by the CPU controller since the groups were
// made: how often, and for how many seconds.
func readThrottled(t Tree) (times, seconds float64) {
	cpu := findController(t, "cpu")
	for _, dir := range cpu.dirs {
		stat := t.Fields(path.Join(dir, "cpu.stat"))
		times += stat["nr_throttled"]
		seconds += stat["throttled_usec"]/1e6 + stat["throttled_time"]/1e9 // version 2, version 1
	}
	return times, seconds
}
