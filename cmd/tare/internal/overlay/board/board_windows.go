package board

import "os"

// Memory is a mapped board. This system has none.
type Memory struct{ *Board }

// Create always fails with [errUnsupported].
func Create(sides int) (*Memory, error) { return nil, errUnsupported }

// The other methods are never reached.

func (m *Memory) Files(side int) []*os.File { return nil }
func (m *Memory) Plan(slots []Slot)         {}
func (m *Memory) Progress() int             { return 0 }
func (m *Memory) Absent() (int, bool)       { return 0, false }
func (m *Memory) Stop()                     {}
func (m *Memory) Close() error              { return nil }
