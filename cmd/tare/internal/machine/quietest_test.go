package machine

import (
	"testing"
	"testing/fstest"
)

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
