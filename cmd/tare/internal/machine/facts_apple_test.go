package machine

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/tarebench/tare/cmd/tare/internal/result"
)

// TestAppleFacts reads outputs of sysctl and pmset -g.
func TestAppleFacts(t *testing.T) {
	for name, want := range map[string]struct {
		cpu     result.CPU
		virtual string
		found   []string
	}{
		"m1":      {result.CPU{Model: "Apple M1", Sockets: 1, Cores: 8, Threads: 8, Kinds: "4 performance, 4 efficiency", LowPower: true}, "none", []string{"mixed-cores", "low-power"}},
		"rosetta": {result.CPU{Model: "VirtualApple @ 2.50GHz", Sockets: 1, Cores: 3, Threads: 3, Translated: true}, "unknown hypervisor", []string{"translated", "virtual"}},
		"intel":   {result.CPU{Model: "Intel(R) Core(TM) i7-8700B CPU @ 3.20GHz", Sockets: 1, Cores: 6, Threads: 12}, "none", nil},
	} {
		data, err := os.ReadFile(filepath.Join("testdata", "apple", name+".txt"))
		if err != nil {
			t.Fatal(err)
		}
		sysctls, power, _ := strings.Cut(string(data), "\n\n")
		values := make(map[string]string)
		for line := range strings.Lines(sysctls) {
			key, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
			values[key] = value
		}
		o := Observation{Machine: result.Machine{Arch: "amd64"}}
		m := &o.Machine
		appleFacts(m, func(name string) string { return values[name] }, func(name string) (uint64, bool) {
			n, err := strconv.ParseUint(values[name], 10, 64)
			return n, err == nil
		}, power)
		if m.CPU.Model != want.cpu.Model || m.CPU.Kinds != want.cpu.Kinds || m.CPU.Cores != want.cpu.Cores || m.CPU.Threads != want.cpu.Threads ||
			m.CPU.Sockets != want.cpu.Sockets || m.CPU.Translated != want.cpu.Translated || m.CPU.LowPower != want.cpu.LowPower || m.Virtual != want.virtual {
			t.Errorf("%s: %+v", name, m)
		}
		if !strings.HasPrefix(m.Distribution, "macOS 1") || m.MemoryBytes < 1<<32 || m.Kernel == "" || m.Product == "" {
			t.Errorf("%s: %+v", name, m)
		}
		var found []string
		for _, f := range Findings(&o) {
			found = append(found, f.ID)
		}
		if !slices.Equal(found, want.found) {
			t.Errorf("%s: findings %q, want %q", name, found, want.found)
		}
	}
}
