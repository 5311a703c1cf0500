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
	group := ""
	for dir, limit := range map[string][2]string{
		"/sys/fs/cgroup/cpu": {"cpu.cfs_quota_us", "50000"},
		"/sys/fs/cgroup":     {"cpu.max", "50000 100000"},
	} {
		made, err := os.MkdirTemp(dir, "tare-test-")
		if err != nil {
			continue
		}
		t.Cleanup(func() { _ = os.Remove(made) }) // a control group; its files are the kernel's
		file, err := os.OpenFile(filepath.Join(made, limit[0]), os.O_WRONLY, 0)
		if err != nil {
			continue
		}
		if _, err := file.WriteString(limit[1]); err == nil {
			group = made
		}
		file.Close()
	}
	if group == "" {
		t.Skip("no control group with a quota can be made here")
	}
	dir := t.TempDir()
	tare := filepath.Join(dir, "tare")
	build := exec.Command("go", "build", "-o", tare, ".")
	build.Dir = filepath.Join(repository(t), "cmd/tare")
	run(t, build)
	sample := copySample(t, dir)
	for _, args := range [][]string{{"doctor"}, {"run", "-budget", "500ms"}} {
		cmd := exec.Command("sh", append([]string{"-c", `echo $$ >"$0"/cgroup.procs && exec "$@"`, group, tare}, args...)...)
		cmd.Dir, cmd.Env = sample, append(os.Environ(), "TARE_LOCK="+filepath.Join(dir, "lock"))
		if out := run(t, cmd); !strings.Contains(out, "[cgroup-quota]") {
			t.Errorf("tare %v:\n%s", args, out)
		}
	}
}
