//go:build lab

package main

import (
	"strconv"
	"testing"

	"github.com/tarebench/tare/cmd/tare/internal/result"
)

// wholeProgram takes some 16 ms and 40 MiB. With -tags work it takes 1 ms more, with
// -tags memory 2 MiB.
var wholeProgram = map[string]string{
	"main.go": `package main

import "fmt"

func main() {
	b := make([]byte, memory<<20)
	for i := 0; i < len(b); i += 4096 {
		b[i] = 1
	}
	x := uint64(len(b))
	for range work * 1_000_000 {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
	}
	fmt.Println(x != 0)
}
`,
	"as_it_was.go": "//go:build !work && !memory\n\npackage main\n\nconst work, memory = 4, 36\n",
	"work.go":      "//go:build work\n\npackage main\n\nconst work, memory = 5, 36\n",
	"memory.go":    "//go:build memory\n\npackage main\n\nconst work, memory = 4, 38\n",
}

// TestProgramsLive compares programs of known truth by -exec, 20 times each.
func TestProgramsLive(t *testing.T) {
	compare := tareIn(t, wholeProgram)
	for _, c := range []struct {
		new, unit   string
		least, most int // calls of slower
	}{{".,tags=work", "sec/op", 19, 20}, {".,tags=memory", "peak-RSS-B", 20, 20}, {".", "", 0, 1}} {
		found := 0
		for i := range 20 {
			var out result.Comparison
			compare(&out, "compare", "-budget=5s", "-seed="+strconv.Itoa(i+1), "-json", "-exec", "$BIN", ".", c.new)
			called := false
			for _, row := range out.Benchmarks {
				different := row.Verdict == result.Slower || row.Verdict == result.Faster
				called = called || different && (c.unit == "" || row.Unit == c.unit)
			}
			if called {
				found++
			}
		}
		t.Logf("%s: %d of 20 called different in %q", c.new, found, c.unit)
		if found < c.least || found > c.most {
			t.Errorf("%s: %d of 20 called different in %q, want %d to %d", c.new, found, c.unit, c.least, c.most)
		}
	}
}
