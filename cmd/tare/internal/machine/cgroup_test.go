package machine

import (
	"testing"
	"testing/fstest"
)

// TestCgroups: where the group of a process is found, under every way of
// mounting, and which limit binds.
func TestCgroups(t *testing.T) {
	const v2 = "34 23 0:29 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw,nsdelegate\n"
	for _, tt := range []struct {
		name   string
		files  map[string]string
		quota  float64
		memory uint64
	}{
		{"version 2, the group's own quota", map[string]string{
			"proc/self/cgroup": "0::/a/b\n", "proc/self/mountinfo": v2,
			"sys/fs/cgroup/a/b/cpu.max": "150000 100000\n", "sys/fs/cgroup/a/cpu.max": "max 100000\n",
		}, 1.5, 0},
		{"version 2, a parent's is tighter", map[string]string{
			"proc/self/cgroup": "0::/a/b\n", "proc/self/mountinfo": v2,
			"sys/fs/cgroup/a/b/cpu.max": "400000 100000\n", "sys/fs/cgroup/a/cpu.max": "25000 50000\n",
			"sys/fs/cgroup/a/b/memory.max": "max\n", "sys/fs/cgroup/a/memory.max": "1048576\n",
		}, 0.5, 1 << 20},
		{"version 2, outside the namespace", map[string]string{
			"proc/self/cgroup": "0::/../../other\n", "proc/self/mountinfo": v2,
			"sys/fs/cgroup/cpu.max": "50000 100000\n",
		}, 0.5, 0},
		{"version 1, a group below the container's mount", map[string]string{
			"proc/self/cgroup":                   "4:cpu,cpuacct:/docker/1234/child\n2:memory:/docker/1234/child\n",
			"proc/self/mountinfo":                "41 40 0:30 /docker/1234 /cg/cpu rw - cgroup cgroup rw,cpu,cpuacct\n42 40 0:31 /docker/1234 /cg/mem rw - cgroup cgroup rw,memory\n",
			"cg/cpu/cpu.cfs_quota_us":            "-1\n",
			"cg/cpu/cpu.cfs_period_us":           "100000\n",
			"cg/cpu/child/cpu.cfs_quota_us":      "75000\n",
			"cg/cpu/child/cpu.cfs_period_us":     "100000\n",
			"cg/mem/memory.limit_in_bytes":       "9223372036854771712\n",
			"cg/mem/child/memory.limit_in_bytes": "2097152\n",
			"cg/cpu/docker/1234/child/cpu.max":   "1 1\n",
		}, 0.75, 2 << 20},
		{"hybrid: cpu in version 1, nothing in version 2", map[string]string{
			"proc/self/cgroup":           "1:cpu:/x\n0::/\n",
			"proc/self/mountinfo":        "41 40 0:30 / /cg/cpu rw - cgroup cgroup rw,cpu\n" + v2,
			"cg/cpu/x/cpu.cfs_quota_us":  "200000\n",
			"cg/cpu/x/cpu.cfs_period_us": "100000\n",
			"sys/fs/cgroup/cpu.max":      "1000 100000\n",
		}, 2, 0},
		{"broken files", map[string]string{
			"proc/self/cgroup": "0::/a\nnonsense\n", "proc/self/mountinfo": "short\n" + v2,
			"sys/fs/cgroup/a/cpu.max": "-5 0\n", "sys/fs/cgroup/a/memory.max": "-1\n",
		}, 0, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			root := fstest.MapFS{}
			for name, text := range tt.files {
				root[name] = &fstest.MapFile{Data: []byte(text)}
			}
			got := readCgroup(Tree{root})
			if got.QuotaCPUs != tt.quota || got.MemoryBytes != tt.memory {
				t.Errorf("quota %v, memory %v; want %v, %v", got.QuotaCPUs, got.MemoryBytes, tt.quota, tt.memory)
			}
		})
	}
}
