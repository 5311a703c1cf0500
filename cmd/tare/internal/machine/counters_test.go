package machine

import (
	"slices"
	"testing"
	"testing/fstest"

	"github.com/tarebench/tare/internal/finding"
)

func ids(findings []finding.Finding) []string {
	var all []string
	for _, f := range findings {
		all = append(all, f.ID)
	}
	return all
}

// TestSince: disturbances are reported, not the grain of the counters, and only
// a suspended machine makes a block unreadable.
func TestSince(t *testing.T) {
	before := Counters{CPU: map[int]CPUTime{0: {Busy: 10, Idle: 10, Steal: 1}, 1: {Busy: 10, Idle: 10, Steal: 1}}}
	after := func(change func(*Counters)) Counters {
		c := Counters{CPU: map[int]CPUTime{0: {Busy: 10.5, Idle: 10.5, Steal: 1}, 1: {Busy: 10.5, Idle: 10.5, Steal: 1}}}
		change(&c)
		return c
	}
	for _, tt := range []struct {
		name      string
		change    func(*Counters)
		disturbed string
		ids       []string
	}{
		{"nothing", func(*Counters) {}, "", nil},
		{"quota", func(c *Counters) { c.Throttles, c.ThrottledSeconds = 2, 0.08 }, "", []string{"cgroup-throttled"}},
		{"heat", func(c *Counters) { c.HotEvents = 1 }, "", []string{"thermal-throttled"}},
		{"a few pages", func(c *Counters) { c.SwappedPages = swappedPages }, "", nil},
		{"many pages", func(c *Counters) { c.SwappedPages = swappedPages + 1 }, "", []string{"swapped"}},
		{"one tick stolen", func(c *Counters) { c.CPU[0] = CPUTime{10.5, 10.49, 1.01} }, "", nil},
		{"ten ticks stolen, as on any shared host", func(c *Counters) { c.CPU[0] = CPUTime{10.5, 10.4, 1.1} }, "", []string{"stolen"}},
		{"thirty ticks stolen", func(c *Counters) { c.CPU[0] = CPUTime{10.5, 10.2, 1.3} }, "", []string{"stolen"}},
		{"clocks not read at one instant", func(c *Counters) { c.SuspendedSeconds = 0.001 }, "", nil},
		{"slept", func(c *Counters) { c.SuspendedSeconds = 30 }, "suspended", []string{"suspended"}},
		{"slept and hot", func(c *Counters) { c.Suspends, c.HotEvents = 1, 3 }, "suspended", []string{"suspended", "thermal-throttled"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			disturbed, findings := after(tt.change).Since(before)
			if disturbed != tt.disturbed || !slices.Equal(ids(findings), tt.ids) {
				t.Errorf("disturbed %q, findings %v; want %q, %v", disturbed, ids(findings), tt.disturbed, tt.ids)
			}
		})
	}
}

func TestQuietest(t *testing.T) {
	file := func(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }
	before := Snapshot(fstest.MapFS{
		"proc/stat": file("cpu  0 0 0 0 0 0 0 0\ncpu0 0 0 0 0 0 0 0 0\ncpu1 0 0 0 0 0 0 0 0\ncpu2 0 0 0 0 0 0 0 0\ncpu3 0 0 0 0 0 0 0 0\nintr 5\n"),
	})
	tree := fstest.MapFS{
		"proc/stat": file("cpu  0 0 0 0 0 0 0 0\ncpu0 9 0 0 1 0 0 0 0\ncpu1 0 0 0 10 0 0 0 0\ncpu2 0 0 0 9 1 0 0 0\ncpu3 0 0 0 10 0 0 0 0\nintr 5\n"),
	}
	all := []int{0, 1, 2, 3}
	if got := Quietest(tree, all, before, Snapshot(tree)); got != 3 {
		t.Errorf("picked %d, want 3: idle, and the last", got)
	}
	if got := Quietest(tree, []int{0, 1}, before, Snapshot(tree)); got != 1 {
		t.Errorf("picked %d, want 1: the other is busy", got)
	}
	for cpu, khz := range map[string]string{"0": "3000000", "1": "3000000", "2": "2000000", "3": "2000000"} {
		tree[cpuDir+"/cpu"+cpu+"/cpufreq/cpuinfo_max_freq"] = file(khz + "\n")
	}
	if got := Quietest(tree, all, before, Snapshot(tree)); got != 1 {
		t.Errorf("picked %d, want 1 of the faster class", got)
	}
	tree[cpuDir+"/isolated"] = file("2\n")
	if got := Quietest(tree, all, before, Snapshot(tree)); got != 2 {
		t.Errorf("picked %d, want 2, which is isolated", got)
	}
	if got := Quietest(fstest.MapFS{}, all, Counters{}, Counters{}); got != 3 {
		t.Errorf("picked %d of what is not known, want the last", got)
	}
}
