package machine

import (
	"os"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

// TestTrees: on every tree all that is wanted is found, and nothing else.
func TestTrees(t *testing.T) {
	for _, name := range treeNames(t) {
		t.Run(name, func(t *testing.T) {
			root, want := openTree(t, name)
			o := Observe(root, root.pass)
			var got strings.Builder
			for _, f := range Findings(&o) {
				got.WriteString(string(f.Severity) + " " + f.ID + " " + f.Subject + "\n")
				if f.Message == "" || f.Action == "" {
					t.Errorf("%s has no message or no next action: %+v", f.ID, f)
				}
			}
			if diff := cmp.Diff(want, got.String()); diff != "" {
				t.Errorf("findings (-want +got):\n%s", diff)
			}
		})
	}
}

// TestEmptyTree: where nothing can be read, nothing is claimed.
func TestEmptyTree(t *testing.T) {
	root := os.DirFS(t.TempDir())
	o := Observe(root, func() {})
	if runtime.GOOS != "linux" {
		o.Machine.Virtual = "" // the CPU or the system says so, not the tree
	}
	if got := Findings(&o); len(got) != 0 {
		t.Errorf("an empty tree has findings: %v", got)
	}
	if o.Machine.Virtual != "" || o.Machine.CPU.Boost != nil || o.Machine.Cgroup.Version != 0 {
		t.Errorf("an empty tree has facts: %+v", o.Machine)
	}
}

// FuzzTree: whatever the kernel's files hold, reading them does not panic,
// and unreadable numbers give no findings of severity.
func FuzzTree(f *testing.F) {
	f.Add([]byte("cpu0 1 2 3 4 5 6 7 8"), []byte("4:cpu:/a"), []byte("1 2 0:3 / /m rw - cgroup c rw,cpu"), []byte("1 (a b) R 1"))
	f.Add([]byte("cpu0 x"), []byte("0::/../.."), []byte(" - "), []byte(")("))
	f.Fuzz(func(t *testing.T, stat, groups, mounts, process []byte) {
		root := fstest.MapFS{
			"proc/stat":           {Data: stat},
			"proc/self/cgroup":    {Data: groups},
			"proc/self/mountinfo": {Data: mounts},
			"proc/7/stat":         {Data: process},
			"proc/cpuinfo":        {Data: stat},
			"proc/self/status":    {Data: groups},
			"proc/loadavg":        {Data: process},
			"m/cpu.max":           {Data: stat},
		}
		o := Observe(root, func() {})
		Findings(&o)
	})
}
