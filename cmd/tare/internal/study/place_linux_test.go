package study

import (
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/tarebench/tare/cmd/tare/internal/machine"
	"github.com/tarebench/tare/cmd/tare/internal/process"
)

// TestStepAside: what this process starts stays off the processor of the
// workers until it is taken back.
func TestStepAside(t *testing.T) {
	home, err := process.Processors()
	if err != nil {
		t.Fatal(err)
	}
	if len(home) < 2 {
		t.Skip("one processor")
	}
	r := &runner{processes: realProcesses{}, lanes: newLinkLimiter(2)}
	defer r.restorePlacement()
	if err := r.place(); err != nil {
		t.Fatal(err)
	}
	child := func() []int {
		out, err := exec.Command("grep", "Cpus_allowed_list", "/proc/self/status").Output()
		if err != nil {
			t.Fatal(err)
		}
		_, list, _ := strings.Cut(string(out), ":")
		return machine.ParseCPUList(strings.TrimSpace(list))
	}
	if len(r.cpu) != 1 || slices.Contains(child(), r.cpu[0]) {
		t.Errorf("workers on %v, a child on %v of %v", r.cpu, child(), home)
	}
	r.restorePlacement()
	if got := child(); !slices.Equal(got, home) {
		t.Errorf("afterwards a child is on %v, want %v", got, home)
	}
}
