package machine

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"
)

// Command starts cmd on the CPUs that were set apart: in the shield where
// there is one, else by affinity, which children inherit.
func (t *Tuning) Command(cmd *exec.Cmd) error {
	if t.CPUs == "" {
		return cmd.Start()
	}
	started := make(chan error, 1)
	go func() {
		// A child inherits the affinity of the thread that starts it. The
		// thread ends with this goroutine, which stays locked to it.
		runtime.LockOSThread()
		if t.shielded {
			group, err := os.Open(filepath.Join(t.dir, shieldDir))
			if err != nil {
				started <- fmt.Errorf("open the shield: %w", err)
				return
			}
			defer group.Close()
			if cmd.SysProcAttr == nil {
				cmd.SysProcAttr = &syscall.SysProcAttr{}
			}
			cmd.SysProcAttr.UseCgroupFD, cmd.SysProcAttr.CgroupFD = true, int(group.Fd())
			started <- cmd.Start()
			return
		}
		var set unix.CPUSet
		for _, cpu := range ParseCPUList(t.CPUs) {
			set.Set(cpu)
		}
		if err := unix.SchedSetaffinity(0, &set); err != nil {
			started <- fmt.Errorf("keep to CPUs %s: %w", t.CPUs, err)
			return
		}
		started <- cmd.Start()
	}()
	return <-started
}
