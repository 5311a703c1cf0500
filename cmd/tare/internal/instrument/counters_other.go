//go:build !linux || portable

package instrument

import (
	"runtime"

	"github.com/tarebench/tare/cmd/tare/internal/catalog"
	"github.com/tarebench/tare/internal/finding"
)

// Counters count nothing on this system.
type Counters struct{}

// OpenCounters reports that events are counted only on Linux.
func OpenCounters(int) (*Counters, []finding.Finding, error) {
	return &Counters{}, []finding.Finding{catalog.CountersLinuxOnly.Of("hardware and software counters", finding.Text("system", runtime.GOOS))}, nil
}

// Leaders yields nothing.
func (*Counters) Leaders(func(tid, fd int)) (on, off uint) { return 0, 0 }

// Read reads nothing.
func (*Counters) Read() (Reading, error) { return Reading{}, nil }

// Close does nothing.
func (*Counters) Close() error { return nil }
