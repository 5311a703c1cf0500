//go:build !portable

package board

import (
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

func inMemory(size int64) (*os.File, error) {
	fd, err := unix.MemfdCreate("tare board", unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING)
	if err != nil {
		return nil, err
	}
	f := os.NewFile(uintptr(fd), "board")
	if err := f.Truncate(size); err != nil {
		f.Close()
		return nil, err
	}
	// A worker that shrinks the file would end this process with SIGBUS.
	if _, err := unix.FcntlInt(f.Fd(), unix.F_ADD_SEALS, unix.F_SEAL_SHRINK|unix.F_SEAL_GROW|unix.F_SEAL_SEAL); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

type turns struct{}

func newTurns(sides int) (turns, error) { return turns{}, nil }
func (turns) files(side int) []*os.File { return nil }
func (turns) close()                    {}

func (m *Memory) wake(side int) {
	const wake, all = 1, 1 << 30
	unix.Syscall6(unix.SYS_FUTEX, uintptr(unsafe.Pointer(&m.Side[side].Turn)), wake, all, 0, 0, 0)
}
