//go:build !portable

package board

import (
	"fmt"
	"math/bits"
	"os"
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Memory is a mapped board.
type Memory struct {
	*Board
	bytes []byte
	file  *os.File
	// sides and expected are those of the board, which a worker may write.
	sides, expected uint32
}

// Create makes an empty board for a number of variants.
func Create(sides int) (*Memory, error) {
	fd, err := unix.MemfdCreate("tare board", unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING)
	if err != nil {
		return nil, fmt.Errorf("create board: %w: %w", ErrUnsupported, err)
	}
	f := os.NewFile(uintptr(fd), "board")
	size := int(unsafe.Sizeof(Board{}))
	if err := f.Truncate(int64(size)); err != nil {
		f.Close()
		return nil, fmt.Errorf("create board: %w", err)
	}
	// A worker that shrinks the file would end this process with SIGBUS.
	if _, err := unix.FcntlInt(f.Fd(), unix.F_ADD_SEALS, unix.F_SEAL_SHRINK|unix.F_SEAL_GROW|unix.F_SEAL_SEAL); err != nil {
		f.Close()
		return nil, fmt.Errorf("create board: %w: %w", ErrUnsupported, err)
	}
	bytes, err := unix.Mmap(fd, 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("create board: %w: %w", ErrUnsupported, err)
	}
	m := &Memory{(*Board)(unsafe.Pointer(&bytes[0])), bytes, f, uint32(sides), 0}
	m.Magic, m.Version, m.Sides = tareBoardMagic, tareBoardVersion, uint32(sides)
	return m, nil
}

// File returns the file that a worker maps.
func (m *Memory) File() *os.File { return m.file }

// Plan writes the slots of a batch, at most [MostSlots]. No worker may be in a
// batch.
func (m *Memory) Plan(slots []Slot) {
	m.expected = 0
	for _, s := range slots {
		m.expected |= 1 << s.Side
	}
	m.Expected = m.expected
	for side := range m.sides {
		m.Side[side].Turn = 0
		m.Side[side].Use = Use{}
	}
	copy(m.Slot[:], slots)
	clear(m.Result[:len(slots)])
	m.Slots, m.Arrived, m.Cancel, m.Running = uint32(len(slots)), 0, 0, 0
}

// Progress returns the index of the running slot.
func (m *Memory) Progress() int { return int(min(atomic.LoadUint32(&m.Running), tareMostSlots)) }

// Absent returns a side whose worker has not come to the batch, if there is one.
func (m *Memory) Absent() (side int, ok bool) {
	missing := m.expected &^ atomic.LoadUint32(&m.Arrived)
	return bits.TrailingZeros32(missing), missing != 0
}

// Stop ends a batch. Workers that wait for their turn leave it at once. A
// worker that measures leaves it after its slice.
func (m *Memory) Stop() {
	atomic.StoreUint32(&m.Cancel, 1)
	for side := range m.sides {
		// A changed word also stops a worker that is about to wait.
		word := &m.Side[side].Turn
		atomic.StoreUint32(word, ^uint32(0))
		const wake, all = 1, 1 << 30
		unix.Syscall6(unix.SYS_FUTEX, uintptr(unsafe.Pointer(word)), wake, all, 0, 0, 0)
	}
}

// Close unmaps the board.
func (m *Memory) Close() error {
	m.Board = nil
	if err := unix.Munmap(m.bytes); err != nil {
		return fmt.Errorf("unmap board: %w", err)
	}
	return m.file.Close()
}
