//go:build !portable

package instrument

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strconv"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/tarebench/tare/internal/finding"
)

// Counters count events of a process and its threads. They are not safe for
// concurrent use.
type Counters struct {
	kernel kernel
	open   []counter
}

type counter struct {
	event Event
	fd    int
}

// kernel abstracts the system calls for tests.
type kernel interface {
	open(attr *unix.PerfEventAttr, tid, group int) (fd int, err error)
	read(fd int, b []byte) (int, error)
	enable(leader int) error
	close(fd int) error
}

type linuxKernel struct{}

func (linuxKernel) open(attr *unix.PerfEventAttr, tid, group int) (int, error) {
	return unix.PerfEventOpen(attr, tid, -1, group, unix.PERF_FLAG_FD_CLOEXEC)
}
func (linuxKernel) read(fd int, b []byte) (int, error) { return unix.Read(fd, b) }
func (linuxKernel) close(fd int) error                 { return unix.Close(fd) }
func (linuxKernel) enable(leader int) error {
	return unix.IoctlSetInt(leader, unix.PERF_EVENT_IOC_ENABLE, 0)
}

// codes are the kernel's numbers of the events (perf_event_open(2)).
var codes = map[Event]struct {
	kind   uint32
	config uint64
}{
	Cycles:            {unix.PERF_TYPE_HARDWARE, unix.PERF_COUNT_HW_CPU_CYCLES},
	InstructionEvents: {unix.PERF_TYPE_HARDWARE, unix.PERF_COUNT_HW_INSTRUCTIONS},
	Branches:          {unix.PERF_TYPE_HARDWARE, unix.PERF_COUNT_HW_BRANCH_INSTRUCTIONS},
	BranchMisses:      {unix.PERF_TYPE_HARDWARE, unix.PERF_COUNT_HW_BRANCH_MISSES},
	CacheMisses:       {unix.PERF_TYPE_HARDWARE, unix.PERF_COUNT_HW_CACHE_MISSES},
	TaskClock:         {unix.PERF_TYPE_SOFTWARE, unix.PERF_COUNT_SW_TASK_CLOCK},
	ContextSwitches:   {unix.PERF_TYPE_SOFTWARE, unix.PERF_COUNT_SW_CONTEXT_SWITCHES},
	PageFaults:        {unix.PERF_TYPE_SOFTWARE, unix.PERF_COUNT_SW_PAGE_FAULTS},
	Migrations:        {unix.PERF_TYPE_SOFTWARE, unix.PERF_COUNT_SW_CPU_MIGRATIONS},
}

// OpenCounters counts the process pid, all its threads and all threads they
// start (inherit), from now on. Counters are read from outside, so read them
// while the process waits. Findings report events that cannot be counted here
// and the setting to change. The error is for a process that has ended.
func OpenCounters(pid int) (*Counters, []finding.Finding, error) {
	return openCounters(linuxKernel{}, os.DirFS("/proc"), pid)
}

func openCounters(k kernel, proc fs.FS, pid int) (*Counters, []finding.Finding, error) {
	paranoid := "unknown"
	if b, err := fs.ReadFile(proc, "sys/kernel/perf_event_paranoid"); err == nil {
		paranoid = strings.TrimSpace(string(b))
	}
	c := &Counters{kernel: k}
	var hardwareErr, softwareErr error
	// A thread that starts later is inherited from its parent, and opening it
	// too would count it twice. A thread that starts during this loop from a
	// thread not yet opened is missed. Open the counters while the process
	// waits.
	threads, err := listThreads(proc, pid)
	if err != nil {
		return nil, nil, err
	}
	for _, tid := range threads {
		if hardwareErr == nil {
			hardwareErr = c.openGroup(tid, hardware)
		}
		if err := c.openGroup(tid, software); err != nil && softwareErr == nil {
			softwareErr = err
		}
	}
	var findings []finding.Finding
	switch {
	case softwareErr != nil && len(c.open) == 0:
		findings = append(findings, openFinding(softwareErr, paranoid, true))
	case hardwareErr != nil:
		findings = append(findings, openFinding(hardwareErr, paranoid, false))
	}
	if hardwareErr != nil {
		// With some threads missing from the group, the count would mean
		// nothing.
		c.drop(hardware)
	}
	return c, findings, nil
}

func listThreads(proc fs.FS, pid int) ([]int, error) {
	entries, err := fs.ReadDir(proc, path.Join(strconv.Itoa(pid), "task"))
	if err != nil {
		return nil, fmt.Errorf("open counters of process %d: %w", pid, err)
	}
	var tids []int
	for _, e := range entries {
		if tid, err := strconv.Atoi(e.Name()); err == nil {
			tids = append(tids, tid)
		}
	}
	return tids, nil
}

// openGroup opens the events of one thread as a group. It omits missing events,
// but needs the first. The group starts when it is complete: an event that
// joins a running event does not count until the thread is scheduled again.
func (c *Counters) openGroup(tid int, events []Event) error {
	leader := -1
	for _, e := range events {
		fd, err := c.openEvent(tid, e, leader)
		switch {
		case err == nil:
			if leader < 0 {
				leader = fd
			}
		case errors.Is(err, unix.ESRCH):
			return nil // the thread has ended
		case leader < 0:
			return err
		}
	}
	if leader < 0 {
		return nil
	}
	return c.kernel.enable(leader)
}

func (c *Counters) openEvent(tid int, e Event, group int) (int, error) {
	code := codes[e]
	attr := unix.PerfEventAttr{
		Type: code.kind, Config: code.config,
		Size:        uint32(unsafe.Sizeof(unix.PerfEventAttr{})),
		Read_format: unix.PERF_FORMAT_TOTAL_TIME_ENABLED | unix.PERF_FORMAT_TOTAL_TIME_RUNNING,
		Bits:        unix.PerfBitInherit,
	}
	if group < 0 {
		attr.Bits |= unix.PerfBitDisabled
	}
	if code.kind == unix.PERF_TYPE_HARDWARE {
		// perf_event_paranoid 2, the default, allows only user space.
		attr.Bits |= unix.PerfBitExcludeKernel | unix.PerfBitExcludeHv
	}
	fd, err := c.kernel.open(&attr, tid, group)
	if err != nil && code.kind == unix.PERF_TYPE_SOFTWARE && (errors.Is(err, unix.EACCES) || errors.Is(err, unix.EPERM)) {
		// Events that user space causes, such as page faults, still count.
		if e == ContextSwitches || e == Migrations {
			return -1, nil // they occur in the kernel: always zero
		}
		attr.Bits |= unix.PerfBitExcludeKernel
		fd, err = c.kernel.open(&attr, tid, group)
	}
	if err != nil {
		return -1, why(err)
	}
	c.open = append(c.open, counter{e, fd})
	return fd, nil
}

// why distinguishes the three reasons that a user can remove.
func why(err error) error {
	switch {
	case errors.Is(err, unix.ENOENT), errors.Is(err, unix.ENODEV), errors.Is(err, unix.EOPNOTSUPP), errors.Is(err, unix.ENXIO):
		return fmt.Errorf("%w: %w", errNoPMU, err)
	case errors.Is(err, unix.EACCES):
		return fmt.Errorf("%w: %w", errForbidden, err)
	case errors.Is(err, unix.EPERM), errors.Is(err, unix.ENOSYS):
		return fmt.Errorf("%w: %w", errFiltered, err)
	}
	return err
}

func (c *Counters) drop(events []Event) {
	var kept []counter
	for _, o := range c.open {
		gone := false
		for _, e := range events {
			gone = gone || o.event == e
		}
		if gone {
			c.kernel.close(o.fd)
			continue
		}
		kept = append(kept, o)
	}
	c.open = kept
}

// Read reads all counters, added up over the threads.
func (c *Counters) Read() (Reading, error) {
	r := Reading{}
	var b [24]byte
	for _, o := range c.open {
		n, err := c.kernel.read(o.fd, b[:])
		if err != nil {
			return nil, fmt.Errorf("read counter %s: %w", o.event, err)
		}
		v, err := decodeValue(b[:n])
		if err != nil {
			return nil, fmt.Errorf("read counter %s: %w", o.event, err)
		}
		r[o.event] = r[o.event].add(v)
	}
	return r, nil
}

// Close stops counting.
func (c *Counters) Close() error {
	var first error
	for _, o := range c.open {
		if err := c.kernel.close(o.fd); err != nil && first == nil {
			first = fmt.Errorf("close counter %s: %w", o.event, err)
		}
	}
	c.open = nil
	return first
}
