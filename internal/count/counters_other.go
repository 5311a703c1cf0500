//go:build !linux

package count

import (
	"runtime"

	"github.com/tarebench/tare/finding"
)

// Counters count events of a process; here they count nothing.
type Counters struct{}

// OpenCounters says that events are counted on Linux alone.
func OpenCounters(int) (*Counters, []finding.Finding, error) {
	return &Counters{}, []finding.Finding{{
		ID: "counters-linux-only", Severity: finding.Info, Subject: "hardware and software counters",
		Message: "not counted: they need perf_event_open, which " + runtime.GOOS + " does not have",
		Action:  "measure time alone, or count on Linux",
	}}, nil
}

// Leaders are none.
func (*Counters) Leaders(func(tid, fd int)) (on, off uint) { return 0, 0 }

// Read reads nothing.
func (*Counters) Read() (Reading, error) { return Reading{}, nil }

// Close does nothing.
func (*Counters) Close() error { return nil }
