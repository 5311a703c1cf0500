//go:build unix

package worker

import (
	"bytes"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/tarebench/tare/cmd/tare/internal/judge"
	"github.com/tarebench/tare/cmd/tare/internal/overlay/board"
	"github.com/tarebench/tare/cmd/tare/internal/result"
)

// TestAnotherVersion: a kept binary that has another version is refused in
// words. The first version had no hello.
func TestAnotherVersion(t *testing.T) {
	for first, want := range map[string]string{
		`leaf "BenchmarkX" n 1 1000 1 1 0 0 0 0 0 0 0 0 0 0 0 1.5 2.5`: "it has version 1, this tare has 2",
		"hello protocol=9":         "it has version 9, this tare has 2",
		"hello protocol=2 later=1": "",
	} {
		path := filepath.Join(t.TempDir(), "old.test")
		script := "#!/bin/bash\necho '" + first + "' >&61\nread -u 60\n"
		if err := os.WriteFile(path, []byte(script), 0o777); err != nil {
			t.Fatal(err)
		}
		c := Config{Path: path, Dir: t.TempDir(), Env: os.Environ(), Bench: "X", Name: "BenchmarkX"}
		w, err := Start(t.Context(), c)
		if err != nil {
			t.Skipf("no bash here: %v", err)
		}
		if want == "" {
			w.End()
			if err := w.Wait(patience); err != nil {
				t.Errorf("%q: %v", first, err)
			}
			w.Close()
			continue
		}
		if _, err := w.Next(patience); !errors.Is(err, errProtocol) || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "build the binary again") {
			t.Errorf("%q: %v", first, err)
		}
		w.Close()
		if _, err := StartGroup(t.Context(), []Config{c, c}, Options{Timeout: patience}); !errors.Is(err, errProtocol) {
			t.Errorf("group, %q: %v", first, err)
		}
	}
}

// A number that no slice can have is refused before it is recorded, since readers
// of the recording would refuse the whole file.
func TestForgedNumbers(t *testing.T) {
	t.Parallel()
	good := result.Slice{N: 1, Raw: 5, OverheadLo: 1, OverheadHi: 2}
	if err := good.Check(); err != nil {
		t.Error(err)
	}
	for name, forge := range map[string]func(*result.Slice){
		"negative": func(s *result.Slice) { s.Raw = -5 }, "NaN": func(s *result.Slice) { s.OverheadLo = math.NaN() },
		"Inf": func(s *result.Slice) { s.OverheadHi = math.Inf(1) }, "huge": func(s *result.Slice) { s.Mallocs = 1 << 60 },
		"N": func(s *result.Slice) { s.N = -1 },
	} {
		s := good
		if forge(&s); s.Check() == nil {
			t.Errorf("%s: %+v is accepted", name, s)
		}
	}
	for _, line := range []string{"done n=1 raw=-5", "done n=1 raw=9223372036854775807", "done n=1 lo=NaN raw=1", "done n=0 raw=1", "nothing", `leaf n=1 raw=1 loop=b.N`} {
		if m, err := parse(line); err == nil {
			t.Errorf("%q is %+v", line, m)
		}
	}
}

// TestLineWithoutEnd: whatever line a benchmark writes to the pipe takes bounded memory.
func TestLineWithoutEnd(t *testing.T) {
	for _, text := range []string{"head -c 100000000 /dev/zero", "printf 'hello protocol=2'; yes ' x' | tr -d '\n' | head -c 60000000"} {
		path := filepath.Join(t.TempDir(), "endless.test")
		if err := os.WriteFile(path, []byte("#!/bin/bash\n{ "+text+"; echo; } >&61\nread -u 60\n"), 0o777); err != nil {
			t.Fatal(err)
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		w, err := Start(t.Context(), Config{Path: path, Dir: t.TempDir(), Env: os.Environ(), Bench: "X", Name: "BenchmarkX"})
		if err != nil {
			t.Skipf("no bash here: %v", err)
		}
		defer w.Close()
		if _, err := w.Next(patience); !errors.Is(err, errForged) || !strings.Contains(err.Error(), "a line of more than 1 MiB") {
			t.Errorf("%s: %v", text, err)
		}
		runtime.ReadMemStats(&after)
		if used := after.TotalAlloc - before.TotalAlloc; used > 100<<20 {
			t.Errorf("%s: allocated %d MiB", text, used>>20)
		}
	}
}

// TestProgramDoesNotStart: a benchmark that removed its program, or forged a name that
// no command line can have, failed; the others are measured.
func TestProgramDoesNotStart(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []Config{
		{Path: filepath.Join(t.TempDir(), "gone"), Name: "BenchmarkX"},
		{Path: self, Name: "Benchmark\x00"},
		{Path: self, Name: "Benchmark" + strings.Repeat("x", 1<<22)},
	} {
		c.Dir, c.Bench = t.TempDir(), "^"+c.Name+"$"
		var of *SideError
		if _, err := StartGroup(t.Context(), []Config{c, c}, Options{Timeout: patience}); !errors.As(err, &of) {
			t.Errorf("%.40q: %v", c.Name, err)
		}
	}
}

// FuzzAnswer: whatever a worker writes to its pipe or to the shared memory, an answer
// that is taken can be recorded, read, and judged for a document.
func FuzzAnswer(f *testing.F) {
	for _, line := range []string{
		`leaf name="BenchmarkX" loop=b.Loop n=10 raw=1000 pauses=2 lo=1.5 hi=2.5 metric="ns/op" 1`, `over name="BenchmarkX" metric="x" 1`,
		"hello protocol=2 cpus=0,1", "done n=3 raw=5 span=7 maxdelay=0.5 busy=1 setbytes=4 flags=7", `fail name="BenchmarkX" words="a"`,
	} {
		f.Add(line, []byte{1, 0, 0, 0, 0, 0, 0, 0, 3}, []byte{1, 2, 3}, []byte{0, 0, 0, 0, 1, 0, 0, 0})
	}
	memory, err := board.Create(1)
	if err != nil {
		f.Skip(err)
	}
	f.Cleanup(func() { memory.Close() })
	g := &group{board: memory}
	bytesOf := func(at unsafe.Pointer, size uintptr) []byte { return unsafe.Slice((*byte)(at), size) }
	study := result.Line{Study: &result.Study{Schema: result.RecordingSchema, Variants: []result.Variant{{Label: "a"}}}}
	f.Fuzz(func(t *testing.T, line string, answer, use, units []byte) {
		var slices []result.Slice
		if m, err := parse(line); err == nil && m.Slice.N > 0 {
			slices = append(slices, m.Slice)
		}
		parts := [][]byte{
			bytesOf(unsafe.Pointer(&memory.Result[0]), unsafe.Sizeof(memory.Result[0])), bytesOf(unsafe.Pointer(&memory.Side[0].Use), unsafe.Sizeof(memory.Side[0].Use)),
			bytesOf(unsafe.Pointer(&memory.Side[0].Units), 4), bytesOf(unsafe.Pointer(&memory.Side[0].Unit), unsafe.Sizeof(memory.Side[0].Unit)),
		}
		for i, given := range [][]byte{answer, use, units, units[min(len(units), 4):]} {
			clear(parts[i])
			copy(parts[i], given)
		}
		if s := g.sliceOf(0); s.N > 0 && s.Check() == nil {
			slices = append(slices, s)
		}
		for _, s := range slices {
			rounds := []result.Round{{Order: []int{0}, Slices: []result.Slice{s}}}
			block := result.Block{Rounds: rounds, Counting: rounds, Long: rounds, Processes: []result.Process{useOf(memory.Side[0].Use)}}
			var out bytes.Buffer
			w := result.NewWriter(&out)
			for _, l := range []result.Line{study, {Benchmark: &result.Benchmark{Key: result.Key{Name: "X"}}}, {Block: &block}} {
				if err := w.Write(l); err != nil {
					t.Fatalf("%+v: %v", s, err)
				}
			}
			rec, err := result.Read(&out)
			if err == nil {
				c := judge.Compare(rec)
				err = result.WriteJSON(io.Discard, c.Document())
			}
			if err != nil {
				t.Fatalf("%+v: %v", s, err)
			}
		}
	})
}

// A process that writes answers and reads no command does not stop tare.
func TestNobodyReadsCommands(t *testing.T) {
	in, out, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	defer out.Close()
	if out.SetWriteDeadline(time.Time{}) != nil {
		t.Skip("pipes have no deadline here")
	}
	w := &Worker{commands: out}
	for err == nil {
		err = w.End()
	}
	if !errors.Is(err, errForged) {
		t.Error(err)
	}
}
