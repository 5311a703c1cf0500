//go:build !linux

package count

import (
	"runtime"

	"github.com/tarebench/tare/cmd/tare/internal/kind"
	"github.com/tarebench/tare/internal/finding"
)

// Counters count events of a process; here they count nothing.
type Counters struct{}

// OpenCounters says that events are counted on Linux alone.
func OpenCounters(int) (*Counters, []finding.Finding, error) {
	return &Counters{}, []finding.Finding{kind.CountersLinuxOnly.Of("hardware and software counters", finding.Text("system", runtime.GOOS))}, nil
}

// Leaders are none.
func (*Counters) Leaders(func(tid, fd int)) (on, off uint) { return 0, 0 }

// Read reads nothing.
func (*Counters) Read() (Reading, error) { return Reading{}, nil }

// Close does nothing.
func (*Counters) Close() error { return nil }
