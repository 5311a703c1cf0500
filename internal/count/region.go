package count

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/tarebench/tare/internal/overlay"
)

// Tag is the build tag of a counting build: it opens the client requests of
// Go's runtime (1.25 and newer, linux/amd64 and linux/arm64).
const Tag = "valgrind"

// Overlay writes the rewrite for a counting build with the toolchain in goroot
// into dir. The build needs [Tag] too, and debug information for file:line.
//
// Package testing gets its StartTimer, StopTimer and ResetTimer wrapped so
// that callgrind zeroes its counters when a timed interval begins and dumps
// them when it ends. Package runtime gets a monitor thread that rarely wakes,
// and a heap that begins at the same address in every process.
//
// The error is an *overlay.ShapeError where that Go version is not understood;
// the count must then be refused.
func Overlay(goroot, dir string) (*overlay.Overlay, error) {
	version := "this Go version"
	if b, err := os.ReadFile(filepath.Join(goroot, "VERSION")); err == nil {
		version, _, _ = strings.Cut(string(b), "\n")
	}
	source := filepath.Join(goroot, "src")
	if _, err := os.Stat(filepath.Join(source, "runtime", "valgrind.go")); err != nil {
		return nil, &overlay.ShapeError{GoVersion: version, What: "its runtime does not know valgrind: counting needs Go 1.25 or newer"}
	}
	o := &overlay.Overlay{Replace: map[string]string{}, GoVersion: version}
	sum := sha256.New()
	add := func(name string, content []byte) error {
		sum.Write(content)
		path := filepath.Join(dir, filepath.Base(name))
		if err := os.WriteFile(path, content, 0o666); err != nil {
			return fmt.Errorf("write overlay: %w", err)
		}
		o.Replace[filepath.Join(source, filepath.FromSlash(name))] = path
		return nil
	}
	for _, r := range []struct {
		name    string
		rewrite func(src []byte) ([]byte, error)
	}{
		{"testing/benchmark.go", renameTimers},
		{"runtime/proc.go", quietScheduler},
		{"runtime/malloc.go", fixHeap},
	} {
		src, err := os.ReadFile(filepath.Join(source, filepath.FromSlash(r.name)))
		if err != nil {
			return nil, fmt.Errorf("prepare counting build: %w", err)
		}
		out, err := r.rewrite(src)
		if err != nil {
			return nil, &overlay.ShapeError{GoVersion: version, What: r.name + ": " + err.Error()}
		}
		if err := add(r.name, out); err != nil {
			return nil, err
		}
	}
	if err := add("testing/tare_region.go", []byte(regionSource)); err != nil {
		return nil, err
	}
	o.Key = hex.EncodeToString(sum.Sum(nil))[:16]
	return o, nil
}

// renameTimers gives the timer methods of B the names that regionSource
// calls; the callers inside package testing then reach the wrappers.
func renameTimers(src []byte) ([]byte, error) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "benchmark.go", src, parser.ParseComments)
	if err != nil {
		return nil, err
	}
	wanted := map[string]string{
		"StartTimer": "tareStartTimer",
		"StopTimer":  "tareStopTimer",
		"ResetTimer": "tareResetTimer",
	}
	for _, d := range file.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || f.Recv == nil || wanted[f.Name.Name] == "" || receiver(f) != "B" {
			continue
		}
		name := wanted[f.Name.Name]
		delete(wanted, f.Name.Name)
		f.Name.Name = name
	}
	for name := range wanted {
		return nil, fmt.Errorf("no method B.%s", name)
	}
	var out bytes.Buffer
	if err := format.Node(&out, fset, file); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

func receiver(f *ast.FuncDecl) string {
	t := f.Recv.List[0].Type
	if s, ok := t.(*ast.StarExpr); ok {
		t = s.X
	}
	if id, ok := t.(*ast.Ident); ok {
		return id.Name
	}
	return ""
}

var timeSlice = regexp.MustCompile(`(?m)^const forcePreemptNS = [^\n]*$`)

// quietScheduler keeps the wall clock out of the count: at a fiftieth of the
// speed, sysmon's time slice of 10 ms and its polling every 20 µs would put
// the scheduler into it. Goroutines are preempted after a minute, and sysmon
// looks around after a second, or after up to eight while it finds nothing to
// do: each look costs about 1,000 instructions.
func quietScheduler(src []byte) ([]byte, error) {
	if len(timeSlice.FindAll(src, -1)) != 1 {
		return nil, errors.New("no constant forcePreemptNS")
	}
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "proc.go", src, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	var sleeps []*ast.CallExpr
	idle := false // sysmon counts the looks that found nothing
	for _, d := range file.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || f.Name.Name != "sysmon" || f.Body == nil {
			continue
		}
		ast.Inspect(f.Body, func(n ast.Node) bool {
			if a, ok := n.(*ast.AssignStmt); ok && a.Tok == token.DEFINE {
				if id, ok := a.Lhs[0].(*ast.Ident); ok && id.Name == "idle" {
					idle = true
				}
			}
			if call, ok := n.(*ast.CallExpr); ok && len(call.Args) == 1 {
				if id, ok := call.Fun.(*ast.Ident); ok && id.Name == "usleep" {
					sleeps = append(sleeps, call)
				}
			}
			return true
		})
	}
	if len(sleeps) != 1 || !idle {
		return nil, fmt.Errorf("function sysmon has %d calls of usleep, want 1, and a variable idle: %t", len(sleeps), idle)
	}
	from, to := fset.Position(sleeps[0].Args[0].Pos()).Offset, fset.Position(sleeps[0].Args[0].End()).Offset
	var out bytes.Buffer
	out.Write(src[:from])
	out.WriteString("max(delay, 1000*1000<<min(uint(idle), 3))")
	out.Write(src[to:])
	quiet := timeSlice.ReplaceAll(out.Bytes(), []byte("const forcePreemptNS = 60 * 1000 * 1000 * 1000"))
	return append(quiet, openRequests...), nil
}

// openRequests lets package testing reach the runtime's client requests, which
// the linker refuses from Go 1.27 on unless the runtime says so itself.
const openRequests = "\n//go:linkname valgrindClientRequest\n"

var heapBase = regexp.MustCompile(`(?m)^\trandomizeHeapBase = `)

// fixHeap lets the heap begin where it began before Go 1.26, which draws the
// address by lot: how far the page allocator searches depends on it. Older
// sources have no such constant and stay as they are.
func fixHeap(src []byte) ([]byte, error) {
	return heapBase.ReplaceAll(src, []byte("\trandomizeHeapBase = false && ")), nil
}

// labelPrefix marks the dumps of timed intervals; the iteration count follows.
const labelPrefix = "tare-"

// regionSource joins package testing. The requests are callgrind's ZERO_STATS,
// DUMP_STATS_AT and START_INSTRUMENTATION (callgrind.h, tool base 'C','T'). Its
// functions are left out of the count by name, so the counting of an interval
// weighs nothing. What comes before the first interval is not instrumented: a
// third of a process's start.
//
// The heap is grown once, before anything is counted: growing it costs about
// 80,000 instructions at a moment that depends on the random heap base.
const regionSource = `package testing

import (
	"runtime"
	"unsafe"
)

//go:linkname tareClientRequest runtime.valgrindClientRequest
//go:noescape
func tareClientRequest(uintptr, uintptr, uintptr, uintptr, uintptr, uintptr) uintptr

const (
	tareCallgrind = 'C'<<24 | 'T'<<16
	tareHeap      = ` + heapBytesText + `
)

var tareLabel [32]byte

func init() {
	runtime.MemProfileRate = 0
	var ballast [][]byte
	for range 1 << 10 {
		ballast = append(ballast, make([]byte, 8<<10)) // fills the small holes
	}
	for range tareHeap >> 20 {
		ballast = append(ballast, make([]byte, 1<<20))
	}
	runtime.KeepAlive(ballast)
	ballast = nil
	runtime.GC()
}

var tareInstrumented bool

//go:noinline
func tareRegionStart() {
	if !tareInstrumented {
		tareInstrumented = true
		tareClientRequest(tareCallgrind+4, 0, 0, 0, 0, 0)
	}
	tareClientRequest(tareCallgrind+1, 0, 0, 0, 0, 0)
}

//go:noinline
func tareRegionStop(n uint64) {
	i := len(tareLabel) - 1
	for {
		i--
		tareLabel[i] = byte('0' + n%10)
		if n /= 10; n == 0 {
			break
		}
	}
	i -= 5
	tareLabel[i], tareLabel[i+1], tareLabel[i+2], tareLabel[i+3], tareLabel[i+4] = 't', 'a', 'r', 'e', '-'
	tareClientRequest(tareCallgrind+3, uintptr(unsafe.Pointer(&tareLabel[i])), 0, 0, 0, 0)
}

// StartTimer starts timing and counting.
func (b *B) StartTimer() {
	if b.timerOn {
		return
	}
	b.tareStartTimer()
	tareRegionStart()
}

// StopTimer stops counting and timing.
func (b *B) StopTimer() {
	if b.timerOn {
		n := b.loop.n
		if n == 0 {
			n = uint64(b.N)
		}
		tareRegionStop(n)
	}
	b.tareStopTimer()
}

// ResetTimer forgets what was timed and counted.
func (b *B) ResetTimer() {
	b.tareResetTimer()
	if b.timerOn {
		tareRegionStart()
	}
}
`

// heapBytes is how far the heap of a counting build is grown before it
// counts; an interval that allocates more grows it further, and repeats less
// well.
const (
	heapBytes     = 256 << 20
	heapBytesText = "256 << 20"
)
