package overlay

import (
	"errors"
	"fmt"
	"go/ast"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
)

// Counting writes the rewrite for a build that is counted under callgrind, with
// the toolchain in goroot, into dir. The build also needs [CountingTag].
//
// Counting wraps StartTimer, StopTimer and ResetTimer of package testing.
// Callgrind then zeroes its counters when a timed interval begins, and dumps
// them when it ends. Package runtime gets a monitor thread that rarely wakes,
// and a heap that begins at the same address in every process.
//
// The error is a *[ShapeError] if that Go version is not understood. The caller
// must then not count.
func Counting(goroot, dir string) (*Overlay, error) {
	w := newWriter(goroot, dir)
	if _, err := os.Stat(filepath.Join(w.source, "runtime", "valgrind.go")); err != nil {
		return nil, &ShapeError{w.overlay.GoVersion, "its runtime does not support valgrind: counting needs Go 1.25 or newer"}
	}
	for _, r := range []struct {
		name    string
		rewrite func(src []byte) ([]byte, error)
	}{
		{"testing/benchmark.go", renameTimers},
		{"runtime/proc.go", quietScheduler},
		{"runtime/malloc.go", fixHeap},
	} {
		src, err := w.stock(r.name)
		if err != nil {
			return nil, err
		}
		out, err := r.rewrite(src)
		if err != nil {
			return nil, &ShapeError{w.overlay.GoVersion, r.name + ": " + err.Error()}
		}
		if err := w.write(r.name, out); err != nil {
			return nil, err
		}
	}
	return w.done("region")
}

// CountingTag is the build tag that a counting build needs. It enables the
// client requests of Go's runtime (1.25 and newer, linux/amd64 and
// linux/arm64).
const CountingTag = "valgrind"

// CountingHeap is the size in bytes to which the heap of a counting build grows
// before it counts. An interval that allocates more grows it further, and its
// counts repeat less well.
const CountingHeap = 256 << 20

// CountingLabel marks callgrind's dumps of timed intervals. The iteration count
// follows it.
const CountingLabel = "tare-"

var timers = map[string]string{"B.StartTimer": "func()", "B.StopTimer": "func()", "B.ResetTimer": "func()"}

// renameTimers gives the timer methods of B the names that region.go calls. The
// callers inside package testing then reach the wrappers.
func renameTimers(source []byte) ([]byte, error) {
	file, err := parse("benchmark.go", source)
	if err != nil {
		return nil, err
	}
	edits, err := file.rename(timers, "region", shapeOf(file.File))
	if err != nil {
		return nil, err
	}
	return splice(source, edits), nil
}

var timeSlice = regexp.MustCompile(`(?m)^const forcePreemptNS = [^\n]*$`)

// quietScheduler keeps the wall clock out of the count. Callgrind runs at a
// fiftieth of the speed, so sysmon's time slice of 10 ms and its polling every
// 20 µs would add scheduling to the count. Goroutines are preempted after a
// minute. Sysmon polls after a second, or after up to eight seconds while it
// finds nothing to do. Each poll costs about 1,000 instructions.
func quietScheduler(src []byte) ([]byte, error) {
	slice := timeSlice.FindAllIndex(src, -1)
	if len(slice) != 1 {
		return nil, errors.New("no constant forcePreemptNS")
	}
	file, err := parse("proc.go", src)
	if err != nil {
		return nil, err
	}
	var sleeps []*ast.CallExpr
	idle := false // sysmon counts the polls that found nothing
	if f := file.function("", "sysmon"); f != nil && f.Body != nil {
		for n := range ast.Preorder(f.Body) {
			if a, ok := n.(*ast.AssignStmt); ok && a.Tok == token.DEFINE && source(a.Lhs[0]) == "idle" {
				idle = true
			}
			if call, ok := n.(*ast.CallExpr); ok && len(call.Args) == 1 && source(call.Fun) == "usleep" {
				sleeps = append(sleeps, call)
			}
		}
	}
	if len(sleeps) != 1 || !idle {
		return nil, fmt.Errorf("function sysmon has %d calls of usleep, want 1, and a variable idle: %t", len(sleeps), idle)
	}
	return splice(src, []edit{
		{slice[0][0], slice[0][1], "const forcePreemptNS = 60 * 1000 * 1000 * 1000"},
		file.edit(sleeps[0].Args[0], "max(delay, 1000*1000<<min(uint(idle), 3))"),
		{len(src), len(src), openRequests},
	}), nil
}

// openRequests lets package testing call the runtime's client requests. Since
// Go 1.27 the linker needs a directive in the runtime for this.
const openRequests = "\n//go:linkname valgrindClientRequest\n"

var heapBase = regexp.MustCompile(`(?m)^\trandomizeHeapBase = `)

// fixHeap lets the heap begin at its address before Go 1.26, which draws the
// address at random. The search of the page allocator depends on the address.
// Older sources have no such constant and stay unchanged.
func fixHeap(src []byte) ([]byte, error) {
	return heapBase.ReplaceAll(src, []byte("\trandomizeHeapBase = false && ")), nil
}
