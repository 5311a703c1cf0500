package worker

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tarebench/tare/cmd/tare/internal/result"
)

// TestStacksBeginAlike: what the kernel puts on the first stack of a worker is
// as long on both sides, whatever their paths and variables are, and as much
// longer as was asked for; the benchmark sees none of it.
func TestStacksBeginAlike(t *testing.T) {
	size := func(c Config, padding []string) (bytes, entries int) {
		c.Env = append(c.environment(), padding...)
		c.Procs = 0
		b, e := c.stack()
		return b, e
	}
	configs := []Config{
		{Path: "/a/very/long/path/to/old.test", Env: []string{"PATH=/bin", "HOME=/root", "X=1", "X=2"}, Bench: "^A$"},
		{Path: "/n.test", Env: []string{"PATH=/bin", "A=" + strings.Repeat("b", 100)}, Bench: "^A$", Plan: result.Plan{Args: []string{"-x"}}},
		{Path: "/n.test", Env: []string{"PATH=/bin"}, Bench: "^A$"},
	}
	first := 0
	for _, shift := range []int{0, 48} {
		padding := evenly(configs, shift)
		bytes, entries := size(configs[0], padding[0])
		for i, c := range configs[1:] {
			if b, e := size(c, padding[i+1]); b != bytes || e != entries {
				t.Errorf("side %d has %d bytes in %d entries, side 0 has %d in %d", i+1, b, e, bytes, entries)
			}
		}
		if shift == 0 {
			first = bytes
		} else if bytes != first+shift {
			t.Errorf("%d bytes with a shift of %d, %d without", bytes, shift, first)
		}
	}
}

// TestStacksOfLiveWorkers asks the kernel how long the arguments and the
// environment of two workers are, whose files have names of different length.
func TestStacksOfLiveWorkers(t *testing.T) {
	defer removeTemp(t)
	short := config(t, "local", "BenchmarkPlain")
	data, err := os.ReadFile(short.Path)
	if err != nil {
		t.Fatal(err)
	}
	long := short
	long.Path = filepath.Join(t.TempDir(), strings.Repeat("long", 20)+".test")
	long.Env = append(slices.Clone(short.Env), "ANOTHER=variable")
	if err := os.WriteFile(long.Path, data, 0o700); err != nil {
		t.Fatal(err)
	}
	g, err := StartGroup(t.Context(), []Config{short, long}, Options{Timeout: time.Minute, Shift: 64})
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	var bytes [2]int
	for side, c := range []Config{short, long} {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid(g, side)))
		if err != nil {
			t.Fatal(err)
		}
		_, rest, _ := strings.Cut(string(text), ") ") // fields from the third on
		fields := strings.Fields(rest)
		start, err1 := strconv.Atoi(fields[48-3])
		end, err2 := strconv.Atoi(fields[51-3])
		if err1 != nil || err2 != nil || start == 0 {
			t.Skipf("the kernel does not say where arguments lie: %s", text)
		}
		bytes[side] = end - start + len(c.Path) // the path stands once more after them
	}
	if bytes[0] != bytes[1] {
		t.Errorf("the first stacks begin with %d and %d bytes", bytes[0], bytes[1])
	}
}
