//go:build !portable

package instrument

import (
	"encoding/binary"
	"io/fs"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"golang.org/x/sys/unix"

	"github.com/tarebench/tare/internal/finding"
)

// fakeKernel opens the requested events and reads recorded values.
type fakeKernel struct {
	refuse func(attr *unix.PerfEventAttr) error
	opened []unix.PerfEventAttr
	groups []int
	tids   []int
	// enabled are the leaders that were started, each with the number of
	// counters that were open then.
	enabled [][2]int
	closed  []int
	value   Value
}

func (k *fakeKernel) open(attr *unix.PerfEventAttr, tid, group int) (int, error) {
	if k.refuse != nil {
		if err := k.refuse(attr); err != nil {
			return -1, err
		}
	}
	k.opened = append(k.opened, *attr)
	k.groups, k.tids = append(k.groups, group), append(k.tids, tid)
	return 100 + len(k.opened), nil
}

func (k *fakeKernel) read(_ int, b []byte) (int, error) {
	binary.NativeEndian.PutUint64(b, k.value.Count)
	binary.NativeEndian.PutUint64(b[8:], k.value.Enabled)
	binary.NativeEndian.PutUint64(b[16:], k.value.Running)
	return 24, nil
}

func (k *fakeKernel) enable(leader int) error {
	k.enabled = append(k.enabled, [2]int{leader, len(k.opened)})
	return nil
}

func (k *fakeKernel) close(fd int) error { k.closed = append(k.closed, fd); return nil }

func proc(paranoid string) fs.FS {
	return fstest.MapFS{
		"sys/kernel/perf_event_paranoid": {Data: []byte(paranoid + "\n")},
		"7/task/7/stat":                  {},
		"7/task/9/stat":                  {},
	}
}

func TestOpenCounters(t *testing.T) {
	k := &fakeKernel{value: Value{100, 50, 25}}
	c, findings, err := openCounters(k, proc("1"), 7)
	if err != nil || len(findings) != 0 {
		t.Fatal(findings, err)
	}
	if len(k.opened) != 2*(len(hardware)+len(software)) {
		t.Errorf("%d counters opened for two threads", len(k.opened))
	}
	// The events of one thread are one group, led by the first.
	if k.groups[0] != -1 || !slices.Equal(k.groups[1:len(hardware)], []int{101, 101, 101, 101}) {
		t.Errorf("groups %v", k.groups)
	}
	// A group starts when it is complete, and a member cannot start it.
	if want := [][2]int{{101, 5}, {106, 9}, {110, 14}, {115, 18}}; !slices.Equal(k.enabled, want) {
		t.Errorf("leaders started %v, want %v", k.enabled, want)
	}
	for i, a := range k.opened {
		if waits := a.Bits&unix.PerfBitDisabled != 0; waits != (k.groups[i] == -1) {
			t.Errorf("counter %d of group %d waits to be started: %t", i, k.groups[i], waits)
		}
		if a.Bits&unix.PerfBitInherit == 0 {
			t.Errorf("counter %d is not inherited by new threads", i)
		}
	}
	r, err := c.Read()
	if err != nil || r[Cycles] != (Value{200, 100, 50}) {
		t.Errorf("Read = %v, %v, want the sum of two threads", r, err)
	}
	if err := c.Close(); err != nil || len(k.closed) != len(k.opened) {
		t.Errorf("closed %d of %d: %v", len(k.closed), len(k.opened), err)
	}
}

func TestOpenCountersFindings(t *testing.T) {
	hardwareOnly := func(err error) func(*unix.PerfEventAttr) error {
		return func(a *unix.PerfEventAttr) error {
			if a.Type == unix.PERF_TYPE_HARDWARE {
				return err
			}
			return nil
		}
	}
	always := func(err error) func(*unix.PerfEventAttr) error {
		return func(*unix.PerfEventAttr) error { return err }
	}
	kernelOnly := func(a *unix.PerfEventAttr) error {
		if a.Bits&unix.PerfBitExcludeKernel == 0 {
			return unix.EACCES
		}
		return nil
	}
	tests := []struct {
		name   string
		refuse func(*unix.PerfEventAttr) error
		id     string
		action string
		events int
	}{
		{"no PMU", hardwareOnly(unix.ENOENT), "no-pmu", "-units time,instructions", len(software)},
		{"paranoid", hardwareOnly(unix.EACCES), "counters-forbidden", "sudo sysctl kernel.perf_event_paranoid=1", len(software)},
		{"paranoid 3", always(unix.EACCES), "counters-forbidden", "sudo sysctl kernel.perf_event_paranoid=1", 0},
		{"container", always(unix.EPERM), "counters-filtered", "--cap-add PERFMON", 0},
		{"something else", always(unix.EMFILE), "counters-failed", "-units time,instructions", 0},
		{"user space alone", kernelOnly, "", "", len(hardware) + 2},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			k := &fakeKernel{refuse: tt.refuse}
			c, findings, err := openCounters(k, proc("3"), 7)
			if err != nil {
				t.Fatal(err)
			}
			if tt.id == "" && len(findings) != 0 {
				t.Errorf("findings %v", findings)
			}
			if tt.id != "" && (len(findings) != 1 || findings[0].ID != tt.id || !strings.Contains(findings[0].Action, tt.action) || findings[0].Severity != finding.Info) {
				t.Errorf("findings %v, want %s", findings, tt.id)
			}
			if r, err := c.Read(); err != nil || len(r) != tt.events {
				t.Errorf("%d events, want %d (%v)", len(r), tt.events, err)
			}
		})
	}
	if _, _, err := openCounters(&fakeKernel{}, proc("1"), 8); err == nil {
		t.Error("counters of a process that is gone")
	}
}

// TestLiveSoftwareEvents needs no PMU: it counts this process.
func TestLiveSoftwareEvents(t *testing.T) {
	c, findings, err := OpenCounters(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	before, err := c.Read()
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := before[TaskClock]; !ok {
		t.Skipf("no software events here: %v", findings)
	}
	pages := make([]byte, 8<<20)
	for i := 0; i < len(pages); i += 4096 {
		pages[i] = 1
	}
	// The new thread counts too: it is inherited, or existed before.
	done := make(chan bool)
	go func() {
		runtime.LockOSThread()
		for begin := time.Now(); time.Since(begin) < 20*time.Millisecond; {
		}
		done <- true
	}()
	<-done
	runtime.KeepAlive(pages)
	after, err := c.Read()
	if err != nil {
		t.Fatal(err)
	}
	counts := after.Since(before)
	perOp := counts.PerOp(1)
	if perOp["cpu-sec/op"] <= 0 || perOp["cpu-sec/op"] > 60 {
		t.Errorf("CPU time %v s", perOp["cpu-sec/op"])
	}
	if perOp["page-faults/op"] < 1 {
		t.Errorf("%v page faults after 2,048 new pages", perOp["page-faults/op"])
	}
	if counts.Share != 1 {
		t.Errorf("software events ran %v of the time", counts.Share)
	}
}
