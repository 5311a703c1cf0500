package benchtab

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"
)

const plain = `goos: linux
goarch: amd64
pkg: example.com/a
cpu: AMD EPYC
BenchmarkX-8   	     100	      1234 ns/op	      16 B/op	       2 allocs/op
BenchmarkY/n=1 	     200	         0 ns/op	       7.5 widgets
BenchmarkX-8   	     100	      1240 ns/op	      16 B/op	       2 allocs/op
PASS
ok  	example.com/a	1.2s
`

// shown renders a file's series for comparison.
func shown(f *File) string {
	var b strings.Builder
	for _, s := range f.Series {
		for _, c := range s.Config {
			fmt.Fprintf(&b, "%s=%s ", c.Key, c.Value)
		}
		fmt.Fprintf(&b, "| %s", s.Name)
		for i, u := range s.Units {
			fmt.Fprintf(&b, " | %s(%s)", u.Base, u.Printed)
			for _, v := range s.Values[i] {
				fmt.Fprintf(&b, " %.6g", v)
			}
		}
		fmt.Fprintf(&b, " | at %v\n", s.Places)
	}
	return b.String()
}

func readText(t *testing.T, text []byte) *File {
	t.Helper()
	f, err := read(bytes.NewReader(text), Input{"label", "file.txt"})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

const plainShown = `goos=linux goarch=amd64 pkg=example.com/a cpu=AMD EPYC | X-8 | sec/op(ns/op) 1.234e-06 1.24e-06 | B/op() 16 16 | allocs/op() 2 2 | at [0 2]
goos=linux goarch=amd64 pkg=example.com/a cpu=AMD EPYC | Y/n=1 | sec/op(ns/op) 0 | widgets() 7.5 | at [1]
`

// TestEncodings reads one file in every encoding that a tool may use.
func TestEncodings(t *testing.T) {
	encode := func(order binary.AppendByteOrder, mark, s string) (b []byte) {
		for _, u := range utf16.Encode([]rune(mark + s)) {
			b = order.AppendUint16(b, u)
		}
		return b
	}
	crlf := strings.ReplaceAll(plain, "\n", "\r\n")
	for name, b := range map[string][]byte{
		"plain":              []byte(plain),
		"no last newline":    []byte(strings.TrimSuffix(plain, "\n")),
		"crlf":               []byte(crlf),
		"utf-8 bom":          []byte("\xef\xbb\xbf" + plain),
		"utf-16 le bom crlf": encode(binary.LittleEndian, "\ufeff", crlf),
		"utf-16 be bom":      encode(binary.BigEndian, "\ufeff", plain),
		"utf-16 le":          encode(binary.LittleEndian, "", plain),
		"utf-16 be":          encode(binary.BigEndian, "", plain),
	} {
		f := readText(t, b)
		if d := cmp.Diff(plainShown, shown(f)); d != "" {
			t.Errorf("%s:\n%s", name, d)
		}
		if len(f.Findings) != 0 || f.Results != 3 {
			t.Errorf("%s: %d results, findings %v", name, f.Results, f.Findings)
		}
	}
}

// TestEvents reads go test -json, in which a result line comes in two parts and
// packages are mixed.
func TestEvents(t *testing.T) {
	text := `go: downloading example.com/x v1.0.0
{"Time":"2026-01-01T00:00:00Z","Action":"start","Package":"example.com/a"}
{"Action":"start","Package":"example.com/b"}
{"Action":"output","Package":"example.com/a","Output":"goos: linux\n"}
{"Action":"output","Package":"example.com/a","Output":"pkg: example.com/a\n"}
{"Action":"run","Package":"example.com/a","Test":"BenchmarkX"}
{"Action":"output","Package":"example.com/a","Test":"BenchmarkX","Output":"=== RUN   BenchmarkX\n"}
{"Action":"output","Package":"example.com/a","Test":"BenchmarkX","Output":"BenchmarkX\n"}
{"Action":"output","Package":"example.com/a","Test":"BenchmarkX","Output":"BenchmarkX-8 \t"}
{"Action":"output","Package":"example.com/b","Output":"goos: linux\n"}
{"Action":"output","Package":"example.com/b","Output":"pkg: example.com/b\n"}
{"Action":"output","Package":"example.com/b","Test":"BenchmarkZ","Output":"BenchmarkZ-8 \t"}
{"Action":"output","Package":"example.com/a","Test":"BenchmarkX","Output":"     100\t      1234 ns/op\n"}
{"Action":"output","Package":"example.com/b","Test":"BenchmarkZ","Output":"     100\t      oops ns/op\n"}
{"Action":"output","Package":"example.com/b","Test":"BenchmarkZ","Output":"BenchmarkZ-8 \t     100\t      77 ns/op"}
`
	f := readText(t, []byte(text))
	want := `goos=linux pkg=example.com/a | X-8 | sec/op(ns/op) 1.234e-06 | at [0]
goos=linux pkg=example.com/b | Z-8 | sec/op(ns/op) 7.7e-08 | at [1]
`
	if d := cmp.Diff(want, shown(f)); d != "" {
		t.Error(d)
	}
	if len(f.Findings) != 1 || f.Findings[0].Subject != "file.txt:12" {
		t.Errorf("findings %v, want one at the line where the bad result began (12)", f.Findings)
	}
}

func TestMalformedLinesAreFindings(t *testing.T) {
	text := "BenchmarkA 10 5 ns/op\nBenchmarkB 10 x ns/op\nBenchmarking is fun\nBenchmarkC 1 NaN ns/op\nBenchmarkA 10 6 ns/op\nUnit ns/op better\n"
	f := readText(t, []byte(text))
	if f.Results != 2 {
		t.Errorf("%d results, want 2", f.Results)
	}
	var at []string
	for _, m := range f.Findings {
		at = append(at, m.Subject)
	}
	if d := cmp.Diff([]string{"file.txt:2", "file.txt:4", "file.txt:6"}, at); d != "" {
		t.Error(d)
	}
	text = "BenchmarkA 1 5 ns/op\n"
	for i := range 30 {
		text += fmt.Sprintf("BenchmarkB%d x\nBenchmarkB%d y\n", i, i)
	}
	many := readText(t, []byte(text))
	if n := len(many.Findings); n != mostMalformed+1 || !strings.Contains(many.Findings[0].Message, "in 1 line more") || !strings.Contains(many.Findings[n-1].Message, "20 lines more") {
		t.Errorf("%d findings: %v", n, many.Findings)
	}
}

// TestSplitLines reads results that the output of their benchmark split from
// their names. What cannot be joined is reported by name.
func TestSplitLines(t *testing.T) {
	const result = "    1000\t       100.0 ns/op\t       3 B/op\n"
	for _, c := range []struct{ name, text, lost string }{
		{"a line", "BenchmarkX-8   \tlisten :8080\n" + result, ""},
		{"several lines", "BenchmarkX-8   \tlisten :8080\n12 of 13\n\tdone\n" + result, ""},
		{"an empty line first", "BenchmarkX-8   \t\n" + result, ""},
		{"an empty line first, then an editor", "BenchmarkX-8\n" + result, ""},
		{"no end of line", "BenchmarkX-8   \tready" + result, ""},
		{"no end of the last line", "BenchmarkX-8   \ta\nready" + result, ""},
		{"numbers", "BenchmarkX-8   \t80 5 ms 7\n3 4 5" + result, ""},
		{"a configuration line", "BenchmarkX-8   \tstart\nport: 8081\n" + result, ""},
		{"blanks for tabs", "BenchmarkX-8       start\n    1000         100.0 ns/op           3 B/op\n", ""},
		{"verbose", "BenchmarkX\nready\nport: 80\nBenchmarkX-8   \t" + result, ""},
		{"verbose, no end of line", "BenchmarkX\nreadyBenchmarkX-8   \t" + result, ""},
		{"carriage returns", "BenchmarkX-8   \tready\r\n    1000\t       100.0 ns/op\t       3 B/op\r\n", ""},
		{"a name in the output", "BenchmarkX-8   \tBenchmarking starts\n" + result, ""},
		{"skipped", "BenchmarkY-8   \t--- SKIP: BenchmarkY-8\nBenchmarkX-8   \t" + result, ""},
		{"output ends in a digit", "BenchmarkY-8   \tport 80801000000000\t 0.5 ns/op\nBenchmarkX-8   \t" + result, ""},
		{"a comma", "BenchmarkY-8 1,500\t1,200 ns/op\nBenchmarkX-8   \t" + result, "Y-8"},
		{"no result", "BenchmarkY-8   \tlisten\nPASS\nBenchmarkX-8   \t" + result, "Y-8"},
		{"no result at the end", "BenchmarkX-8   \t" + result + "BenchmarkY-8   \tlisten", "Y-8"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := readText(t, []byte("pkg: p\n"+c.text))
			if !strings.Contains(shown(f), "pkg=p | X-8 | sec/op(ns/op) 1e-07 | B/op() 3 |") {
				t.Error(shown(f))
			}
			var lost string
			for _, m := range f.Findings {
				lost += m.Values["name"].(string)
			}
			if lost != c.lost {
				t.Errorf("lost %q, want %q: %v", lost, c.lost, f.Findings)
			}
		})
	}
}

func TestUnitsConfigAndTuples(t *testing.T) {
	f := readText(t, []byte(`Unit widgets better=higher assume=exact
a: 1
BenchmarkA 1 5 ns/op
a: 2
BenchmarkA 1 6 ns/op
a: 1
BenchmarkA 1 7 ns/op
BenchmarkA 1 8 ns/op 3 widgets
`))
	want := `a=1 | A | sec/op(ns/op) 5e-09 7e-09 | at [0 2]
a=2 | A | sec/op(ns/op) 6e-09 | at [1]
a=1 | A | sec/op(ns/op) 8e-09 | widgets() 3 | at [3]
`
	if d := cmp.Diff(want, shown(f)); d != "" {
		t.Error(d)
	}
	if f.Units.GetBetter("widgets") != 1 {
		t.Error("better=higher is lost")
	}
}

func TestLongLinesDoNotHideResults(t *testing.T) {
	for _, n := range []int{longestLine - 1, 64 << 10, 300 << 10, 20 << 20} {
		text := "BenchmarkA 1 5 ns/op\n" + strings.Repeat("x", n) + "\nBenchmarkA 1 6 ns/op\n"
		f, err := read(iotestReader{strings.NewReader(text)}, Input{"l", "p"})
		if err != nil || f.Results != 2 {
			t.Errorf("line of %d bytes: %v, %v", n, f, err)
		}
	}
}

// iotestReader reads varying amounts.
type iotestReader struct{ r io.Reader }

func (r iotestReader) Read(p []byte) (int, error) { return r.r.Read(p[:min(len(p), 4999)]) }

func TestFailedRunIsAFinding(t *testing.T) {
	for _, mark := range []string{"--- FAIL: TestX (0.00s)", "FAIL\texample.com/a\t0.1s", "panic: boom"} {
		f := readText(t, []byte(plain+strings.Repeat("log\n", 20000)+mark+"\n"))
		if len(f.Findings) != 1 || f.Findings[0].ID != "failed-run" || !strings.Contains(f.Findings[0].Message, mark[:4]) {
			t.Errorf("%q: findings %v", mark, f.Findings)
		}
	}
}

// TestWhatIsNoBenchmarkFile: the error describes the actual content.
func TestWhatIsNoBenchmarkFile(t *testing.T) {
	dir := t.TempDir()
	for i, c := range []struct{ text, want string }{
		{"", "the file is empty"},
		{"\n\n  \n", `begins with ""`},
		{"\x7fELF\x02\x01\x01\x00\x00\x00", `begins with "\x7fELF`},
		{`{"a": 1}`, "not as go test -bench"},
		{"PASS\nok  \texample.com/a\t0.1s\n", `begins with "PASS"`},
		{"Dear diary,\n", `begins with "Dear diary,"`},
		{"panic: oops\n", "failed run"},
		{"BenchmarkX\nBenchmarkX-8 oops\n", ":2: no result in"},
		{"\x1f\x8b\x00\x00", "gzip -dc FILE | tare stat -"},
		{"\x28\xb5\x2f\xfd", "zstd -dc FILE | tare stat -"},
	} {
		path := filepath.Join(dir, fmt.Sprint(i))
		if err := os.WriteFile(path, []byte(c.text), 0o666); err != nil {
			t.Fatal(err)
		}
		_, err := ReadAll(Inputs([]string{path}), nil)
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), path) {
			t.Errorf("%q: error %v, want it to contain %q and the file", c.text, err, c.want)
		}
	}
	if _, err := ReadAll(Inputs([]string{filepath.Join(dir, "none")}), nil); err == nil || !strings.Contains(err.Error(), "none") {
		t.Errorf("missing file: %v", err)
	}
	if _, err := ReadAll(Inputs([]string{dir}), nil); err == nil || !strings.Contains(err.Error(), "directory") {
		t.Errorf("directory: %v", err)
	}
	if _, err := ReadAll(Inputs([]string{"-", "x=-"}), strings.NewReader(plain)); err == nil {
		t.Error("standard input twice: no error")
	}
}

// TestReadersHaveBounds: a small file does not become a large one in memory.
func TestReadersHaveBounds(t *testing.T) {
	event := `{"Action":"output","Package":"p","Output":"x"}` + "\n"
	for name, c := range map[string]struct {
		text, want string
	}{
		"event of 2 MiB":                  {event + `{"Action":"output","Output":"` + strings.Repeat("x", 2<<20) + "\"}\n", "line 2: an event has more than"},
		"event of 2 MiB without its end":  {event + `{"Action":"output","Output":"` + strings.Repeat("x", 2<<20), "line 2: an event has more than"},
		"line that many events are about": {strings.Repeat(event, 1<<17), "no benchmark result"},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := read(strings.NewReader(c.text), Input{"a", "in.txt"})
		runtime.ReadMemStats(&after)
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "in.txt") {
			t.Errorf("%s: error %v, want %q and the name", name, err, c.want)
		}
		if used := after.TotalAlloc - before.TotalAlloc; used > 256<<20 {
			t.Errorf("%s: allocated %d MiB", name, used>>20)
		}
	}
}

func TestInputs(t *testing.T) {
	got := Inputs([]string{"a.txt", "old=b.txt", "a.txt", "-", "x=y=z"})
	want := []Input{{"a.txt#0", "a.txt"}, {"old", "b.txt"}, {"a.txt#1", "a.txt"}, {"-", "-"}, {"x", "y=z"}}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(plain))
	f.Add([]byte("\xff\xfeB\x00e\x00"))
	f.Add([]byte(`{"Action":"output","Package":"p","Output":"BenchmarkX 1 2 ns/op\n"}` + "\n"))
	f.Add([]byte(`{"study":{"schema":2}}` + "\n"))
	f.Add([]byte("Unit ns/op better=higher\nBenchmarkX 1 NaN ns/op 0 MB/s\n"))
	f.Add([]byte("\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03"))
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := read(bytes.NewReader(data), Input{"l", "p"})
		if err != nil {
			return
		}
		again, err := read(iotestReader{bytes.NewReader(data)}, Input{"l", "p"})
		if err != nil {
			t.Fatalf("read once, then: %v", err)
		}
		if d := cmp.Diff(shown(file), shown(again)); d != "" {
			t.Fatalf("read in other pieces it differs:\n%s", d)
		}
		if file.Recording != nil {
			return
		}
		total := 0
		for _, s := range file.Series {
			total += len(s.Places)
			for i, values := range s.Values {
				if len(values) != len(s.Places) {
					t.Fatalf("%d values of %s at %d places", len(values), s.Units[i].Base, len(s.Places))
				}
				for _, v := range values {
					if math.IsNaN(v) || math.IsInf(v, 0) {
						t.Fatalf("value %v", v)
					}
				}
			}
		}
		if total != file.Results || total == 0 {
			t.Fatalf("%d results in series, %d counted", total, file.Results)
		}
	})
}
