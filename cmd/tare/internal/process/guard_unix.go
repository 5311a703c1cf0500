//go:build unix

package process

import (
	"fmt"
	"os"
	"os/exec"
	"sync"
	"syscall"
)

// Guard runs a command with run, which starts it with start. If tare is killed
// meanwhile (kill -9), the command dies with all processes that it started,
// unless they left its group.
//
// A shell waits for the end of tare and then kills the groups in a file. So
// nothing wakes while the command runs.
func Guard(cmd *exec.Cmd, run func(start func() error) error) error {
	g, err := guardian()
	if err != nil {
		return err
	}
	slot := <-g.free
	defer func() { g.free <- slot }()
	defer g.note(slot, 0)
	return run(func() error {
		err := cmd.Start()
		if err == nil {
			g.note(slot, cmd.Process.Pid)
		}
		return err
	})
}

type guard struct {
	shell  *exec.Cmd
	closes *os.File // with this process
	file   *os.File
	free   chan int // lines of the file
}

// Each group has a line of fixed length.
const (
	guardLine   = "%10d\n"
	guardLength = 11
	guardLines  = 8
	guarding    = `read end; while read group; do [ "$group" -gt 0 ] && kill -9 -"$group"; done <&3`
)

func (g *guard) note(slot, group int) {
	g.file.WriteAt(fmt.Appendf(nil, guardLine, group), int64(slot*guardLength))
}

var guardian = sync.OnceValues(func() (g *guard, err error) {
	failed := func(err error) (*guard, error) { return nil, fmt.Errorf("guard processes: %w", err) }
	g = &guard{shell: exec.Command("sh", "-c", guarding), free: make(chan int, guardLines)}
	if g.file, err = os.CreateTemp("", "tare-groups-"); err != nil {
		return failed(err)
	}
	if err := os.Remove(g.file.Name()); err != nil {
		return failed(err)
	}
	for slot := range guardLines {
		g.note(slot, 0)
		g.free <- slot
	}
	ends, closes, err := os.Pipe()
	if err != nil {
		return failed(err)
	}
	defer ends.Close()
	g.closes, g.shell.Stdin, g.shell.ExtraFiles = closes, ends, []*os.File{g.file}
	g.shell.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := g.shell.Start(); err != nil {
		return failed(err)
	}
	return g, nil
})
