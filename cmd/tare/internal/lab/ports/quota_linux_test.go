//go:build lab

package ports

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestQuota: in a control group with half a CPU, tare reports the quota and measures.
func TestQuota(t *testing.T) {
	dir := t.TempDir()
	tare := filepath.Join(dir, "tare")
	build := exec.Command("go", "build", "-o", tare, ".")
	build.Dir = filepath.Join(repository(t), "cmd/tare")
	run(t, build)
	sample := copySample(t, dir)
	for name, control := range map[string]struct{ dir, file, limit string }{
		"version 1": {"/sys/fs/cgroup/cpu", "cpu.cfs_quota_us", "50000"},
		"version 2": {"/sys/fs/cgroup", "cpu.max", "50000 100000"},
	} {
		t.Run(name, func(t *testing.T) {
			if control.file == "cpu.max" {
				if has, err := os.ReadFile(filepath.Join(control.dir, "cgroup.subtree_control")); !strings.Contains(string(has), "cpu ") {
					t.Skipf("groups of version 2 have no CPU controller here: %q %v", has, err)
				}
			}
			group, err := os.MkdirTemp(control.dir, "tare-test-")
			if err != nil {
				t.Skip(err)
			}
			t.Cleanup(func() { _ = os.Remove(group) }) // its files are the kernel's
			file, err := os.OpenFile(filepath.Join(group, control.file), os.O_WRONLY, 0)
			if err != nil {
				t.Skip(err)
			}
			defer file.Close()
			if _, err := file.WriteString(control.limit); err != nil {
				t.Skip(err)
			}
			for _, args := range [][]string{{"doctor"}, {"run", "-budget", "500ms"}} {
				cmd := exec.Command("sh", append([]string{"-c", `echo $$ >"$0"/cgroup.procs && exec "$@"`, group, tare}, args...)...)
				cmd.Dir, cmd.Env = sample, append(os.Environ(), "TARE_LOCK="+filepath.Join(dir, "lock"))
				if out := run(t, cmd); !strings.Contains(out, "[cgroup-quota]") {
					t.Errorf("tare %v:\n%s", args, out)
				}
			}
		})
	}
}
