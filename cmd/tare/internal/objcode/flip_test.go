package objcode

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"github.com/tarebench/tare/cmd/tare/internal/lab"
	"github.com/tarebench/tare/cmd/tare/internal/test/objects"
)

// TestFlippedBit changes single bits in the objects that the linker is given:
// of code, data, types, stack maps and unwinding tables. What a benchmark
// reaches must then differ, and what only another one reaches must not. Bits of
// package runtime are in every benchmark.
func TestFlippedBit(t *testing.T) {
	base, err := txtar.ParseFile("testdata/module.txtar")
	if err != nil {
		t.Fatal(err)
	}
	var reader Reader
	dir, args := objects.Compile(t, unpack(t, base.Files), "./a")
	open := func() *Program {
		p, err := reader.Open(dir, args)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	old := open()
	c := Compare(old, open())
	common := append([]int32(nil), c.match.partner...)
	r, times := rand.New(rand.NewPCG(1, 2)), 1
	if lab.Long {
		times = 25
	}
	for _, name := range []string{"BenchmarkShape", "BenchmarkReflect"} {
		if v := c.Benchmark(name); !v.Same {
			t.Fatalf("%s differs from itself: %s", name, v.Why)
		}
		m := c.match
		m.pair(c.benchmarks[name], c.others[name], 0)
		m.run()
		kinds := make(map[string][]location)
		for x, partner := range m.partner {
			at := old.symbols[x]
			if partner == 0 || at.object == nil || len(at.object.data(at.index)) == 0 || old.sizes[int32(x)] != 0 {
				continue
			}
			symbol := at.object.name(at.index)
			if testTables[symbol] || strings.HasPrefix(symbol, "go:cuinfo.") || strings.HasPrefix(symbol, "go:info.") {
				continue
			}
			what := "own "
			if common[x] != 0 {
				what = "common "
			}
			if at.object.pkg == "runtime" {
				what += "runtime "
			}
			what += kindName(at)
			kinds[what] = append(kinds[what], at)
		}
		m.undo(c.base)
		for what, list := range kinds {
			for range min(times, len(list)) {
				at := list[r.IntN(len(list))]
				data := at.object.data(at.index)
				offset := r.IntN(len(data))
				flip := data[offset : offset+1 : offset+1]
				bit := byte(1) << r.IntN(8)
				flipped := withFlipped(t, &reader, dir, args, at, flip, bit)
				d := Compare(old, flipped)
				all := d.Why != ""
				v := d.Benchmark(name)
				symbol := at.object.name(at.index)
				if v.Same {
					t.Errorf("%s: same code with bit %#x of byte %d of %s (%s) flipped", name, bit, offset, symbol, what)
				}
				if strings.HasPrefix(what, "common runtime text") && !all {
					t.Errorf("a bit in %s, which the runtime can call, is not in every benchmark", symbol)
				}
				if own := strings.HasPrefix(what, "own text") && at.object.pkg == "example.com/m/a"; own {
					if v := d.Benchmark("BenchmarkPlain"); !v.Same {
						t.Errorf("BenchmarkPlain: %s, with a bit of %s flipped, which it does not reach", v.Why, symbol)
					}
				}
			}
		}
		for _, want := range []string{"common runtime text", "own text", "own type", "common tables"} {
			if len(kinds[want]) == 0 {
				t.Errorf("%s: nothing of kind %q was tried", name, want)
			}
		}
	}
}

// kindName sorts symbols for the test.
func kindName(at location) string {
	s := at.object.symbol(at.index)
	switch name := at.object.name(at.index); {
	case s.kind() == kindText:
		return "text"
	case s.flag()&flagGoType != 0:
		return "type"
	case strings.HasPrefix(name, "gcargs·") || strings.HasPrefix(name, "gclocals·") || name == "" && at.hashed():
		return "tables"
	case s.flag2()&flag2Itab != 0:
		return "itab"
	case name == "":
		return "unnamed"
	}
	return fmt.Sprintf("data of kind %d", s.kind())
}

// withFlipped is the program with one bit of an archive flipped, in a copy.
func withFlipped(t *testing.T, reader *Reader, dir string, args []string, at location, where []byte, bit byte) *Program {
	t.Helper()
	config, err := os.ReadFile(filepath.Join(dir, "importcfg"))
	if err != nil {
		t.Fatal(err)
	}
	line := "packagefile " + at.object.pkg + "="
	_, rest, ok := strings.Cut("\n"+string(config), "\n"+line)
	path, _, _ := strings.Cut(rest, "\n")
	if at.object.pkg == "main" {
		path, ok = args[len(args)-1], true
	}
	if !ok {
		t.Fatalf("no archive of %s", at.object.pkg)
	}
	where[0] ^= bit // in the memory of the reader, which has the whole archive
	whole := at.object.b[:len(at.object.b):len(at.object.b)]
	original, err := os.ReadFile(path)
	if err == nil {
		where[0] ^= bit
		i := bytes.Index(original, whole)
		where[0] ^= bit
		if i < 0 {
			t.Fatalf("%s does not hold its object", path)
		}
		copy(original[i:], whole)
	}
	where[0] ^= bit
	if err != nil {
		t.Fatal(err)
	}
	flipped := t.TempDir()
	archive := filepath.Join(flipped, "flipped.a")
	changed := strings.Replace("\n"+string(config), "\n"+line+path, "\n"+line+archive, 1)
	args = append([]string(nil), args...)
	if at.object.pkg == "main" {
		args[len(args)-1] = archive
	}
	for name, content := range map[string][]byte{"importcfg": []byte(changed), "flipped.a": original} {
		if err := os.WriteFile(filepath.Join(flipped, name), content, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	p, err := reader.Open(flipped, args)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestTestingCounts checks that another package testing makes all measured.
func TestTestingCounts(t *testing.T) {
	base, err := txtar.ParseFile("testdata/module.txtar")
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(goroot(t), "src", "testing", "benchmark.go")
	source, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	const head = "func (b *B) runN(n int) {"
	if !bytes.Contains(source, []byte(head)) {
		t.Fatalf("%s has no %s", file, head)
	}
	replaced := filepath.Join(t.TempDir(), "benchmark.go")
	if err := os.WriteFile(replaced, bytes.Replace(source, []byte(head), []byte(head+"\n\tif n < 0 {\n\t\tprintln(n)\n\t}"), 1), 0o666); err != nil {
		t.Fatal(err)
	}
	overlay := filepath.Join(t.TempDir(), "overlay.json")
	if err := os.WriteFile(overlay, fmt.Appendf(nil, `{"Replace":{%q:%q}}`, file, replaced), 0o666); err != nil {
		t.Fatal(err)
	}
	var reader Reader
	dir := unpack(t, base.Files)
	c := Compare(compile(t, &reader, dir, "./a"), compile(t, &reader, dir, "./a", "-overlay="+overlay))
	for _, name := range c.Benchmarks() {
		if v := c.Benchmark(name); v.Same || !strings.Contains(v.Symbol, "testing.(*B).runN") {
			t.Errorf("%s: same %t, %s", name, v.Same, v.Why)
		}
	}
}

// TestTouchedArchive checks that an archive whose time changed is still the
// same.
func TestTouchedArchive(t *testing.T) {
	dir, args := objects.Compile(t, "../../../..", "./internal/unit")
	last := args[len(args)-1]
	data, err := os.ReadFile(last)
	if err != nil {
		t.Fatal(err)
	}
	copied := filepath.Join(t.TempDir(), "main.a")
	args = append(append([]string(nil), args[:len(args)-1]...), copied)
	var reader Reader
	var programs [2]*Program
	for i := range programs {
		if err := os.WriteFile(copied, data, 0o666); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(copied, time.Time{}, time.Unix(int64(1e9+i), 0)); err != nil {
			t.Fatal(err)
		}
		if programs[i], err = reader.Open(dir, args); err != nil {
			t.Fatal(err)
		}
	}
	if a, b := programs[0].packages[0].archive, programs[1].packages[0].archive; a != b {
		t.Error("a touched archive is another one")
	}
}
