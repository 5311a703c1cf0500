//go:build unix

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
	turns turns
	// sides and expected are those of the board, which a worker may write.
	sides, expected uint32
}

// Create makes an empty board for a number of variants.
func Create(sides int) (*Memory, error) {
	const size = int(unsafe.Sizeof(Board{}))
	f, err := inMemory(int64(size))
	if err != nil {
		f, err = unnamed(size)
	}
	if err != nil {
		return nil, fmt.Errorf("create board: %w: %w", errUnsupported, err)
	}
	bytes, err := unix.Mmap(int(f.Fd()), 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("create board: %w: %w", errUnsupported, err)
	}
	m := &Memory{Board: (*Board)(unsafe.Pointer(&bytes[0])), bytes: bytes, file: f, sides: uint32(sides)}
	m.Magic, m.Version, m.Sides = tareBoardMagic, tareBoardVersion, uint32(sides)
	if m.turns, err = newTurns(sides); err != nil {
		m.Close()
		return nil, fmt.Errorf("create board: %w: %w", errUnsupported, err)
	}
	return m, nil
}

// unnamed returns a file without a name. Workers close it before code of the
// benchmark could shrink it, and it has all its blocks: a write to a mapped file
// that lacks one ends the process.
func unnamed(size int) (*os.File, error) {
	f, err := os.CreateTemp("", "tare-board-")
	if err != nil {
		return nil, err
	}
	if err = os.Remove(f.Name()); err == nil {
		_, err = f.Write(make([]byte, size))
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// Files returns the files of the worker of a side, which it needs as descriptors
// that follow each other: the board, and what the workers pass the turn through.
func (m *Memory) Files(side int) []*os.File {
	return append([]*os.File{m.file}, m.turns.files(side)...)
}

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
		m.wake(int(side))
	}
}

// Close unmaps the board.
func (m *Memory) Close() error {
	m.Board = nil
	m.turns.close()
	if err := unix.Munmap(m.bytes); err != nil {
		return fmt.Errorf("unmap board: %w", err)
	}
	return m.file.Close()
}
