package session

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/tarebench/tare/cmd/tare/internal/result"
)

func TestSideFile(t *testing.T) {
	tests := []struct {
		name        string
		side, sides int
		want        string
	}{
		{"cpu.pprof", 0, 1, "cpu.pprof"},
		{"cpu.pprof", 0, 2, "cpu.old.pprof"},
		{"cpu.pprof", 1, 2, "cpu.new.pprof"},
		{"a.b/cpu", 2, 3, "a.b/cpu.new2"},
	}
	for _, tt := range tests {
		if got := sideFile(tt.name, tt.side, tt.sides); got != tt.want {
			t.Errorf("sideFile(%q, %d, %d) = %q, want %q", tt.name, tt.side, tt.sides, got, tt.want)
		}
	}
}

// TestTraceIsAFile: a benchmark can replace its trace by a link.
func TestTraceIsAFile(t *testing.T) {
	trace := filepath.Join(t.TempDir(), "trace")
	if err := os.Symlink(os.DevNull, trace); err != nil {
		t.Skip(err)
	}
	out := filepath.Join(t.TempDir(), "out")
	if err := copyFirst([]string{trace}, out); err == nil {
		t.Error("a device was copied")
	}
	if _, err := os.Lstat(out); err == nil {
		t.Error("a file was written")
	}
}

func TestFileName(t *testing.T) {
	got := fileName(result.Key{Pkg: "example.com/a/b", Name: "Sort/size=1k/../é", Procs: 2})
	if want := "example.com_a_b.Sort_size=1k_..__-2"; got != want {
		t.Errorf("fileName = %q, want %q", got, want)
	}
}

func TestProfileTime(t *testing.T) {
	for budget, want := range map[time.Duration]time.Duration{
		0: 2 * time.Second, 10 * time.Second: 2 * time.Second, 200 * time.Millisecond: 200 * time.Millisecond, time.Second: 400 * time.Millisecond,
	} {
		if got := profileTime(budget); got != want {
			t.Errorf("profileTime(%v) = %v, want %v", budget, got, want)
		}
	}
}
