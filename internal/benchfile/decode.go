package benchfile

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sort"
	"strings"
	"unicode/utf8"

	"github.com/klauspost/compress/zstd"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

// unpack undoes compression and turns text of any Unicode encoding into UTF-8
// without a byte order mark.
func unpack(r *bufio.Reader) (*bufio.Reader, error) {
	for range 3 { // a packed file inside a packed file is still somebody's file
		head, err := r.Peek(4)
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, err
		}
		switch {
		case bytes.HasPrefix(head, []byte{0x1f, 0x8b}):
			z, err := gzip.NewReader(r)
			if err != nil {
				return nil, fmt.Errorf("unpack gzip: %w", err)
			}
			r = bufio.NewReaderSize(z, 1<<16)
		case bytes.Equal(head, []byte{0x28, 0xb5, 0x2f, 0xfd}):
			z, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(64<<20))
			if err != nil {
				return nil, fmt.Errorf("unpack zstd: %w", err)
			}
			r = bufio.NewReaderSize(z, 1<<16)
		default:
			return toUTF8(r, head), nil
		}
	}
	return nil, errors.New("unpack: packed more than three times")
}

// toUTF8 knows UTF-16 by its byte order mark, as PowerShell writes it, or by
// the zero byte with an ASCII first letter.
func toUTF8(r *bufio.Reader, head []byte) *bufio.Reader {
	var t transform.Transformer
	switch {
	case bytes.HasPrefix(head, []byte{0xef, 0xbb, 0xbf}):
		r.Discard(3)
		return r
	case bytes.HasPrefix(head, []byte{0xff, 0xfe}), bytes.HasPrefix(head, []byte{0xfe, 0xff}):
		t = unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewDecoder()
	case len(head) >= 2 && head[0] != 0 && head[1] == 0:
		t = unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM).NewDecoder()
	case len(head) >= 2 && head[0] == 0 && head[1] != 0:
		t = unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM).NewDecoder()
	default:
		return r
	}
	return bufio.NewReaderSize(transform.NewReader(r, t), 1<<16)
}

// isEvents recognizes the output of go test -json by an event among its first
// lines: go's own words ("go: downloading …") may stand before it.
func isEvents(head []byte) bool {
	for line := range bytes.Lines(head) {
		if line[0] == '{' && bytes.Contains(line, []byte(`"Action":`)) {
			return true
		}
	}
	return false
}

// eventReader turns the events of go test -json into the lines that the
// packages printed. One line can be split over several events, and the events
// of packages tested side by side are mixed: lines are put together by
// package, and a "pkg:" line stands wherever the package changes.
type eventReader struct {
	in    *bufio.Reader
	line  int // number of the event line last read
	open  map[string]*openLine
	last  string
	out   bytes.Buffer
	lines []int // lines[i] is where output line i+1 began in the file
	err   error
}

// openLine is the beginning of a line whose end has not come yet.
type openLine struct {
	text  []byte
	begun int
}

func newEventReader(in *bufio.Reader) *eventReader {
	return &eventReader{in: in, open: make(map[string]*openLine)}
}

func (e *eventReader) Read(p []byte) (int, error) {
	for e.out.Len() == 0 {
		if e.err != nil {
			return 0, e.err
		}
		e.next()
	}
	return e.out.Read(p)
}

// next reads one event.
func (e *eventReader) next() {
	text, err := e.in.ReadBytes('\n')
	if len(text) > 0 {
		e.line++
		var event struct{ Action, Package, Output string }
		switch {
		case text[0] != '{' || json.Unmarshal(text, &event) != nil:
			e.emit("", bytes.TrimRight(text, "\r\n"), e.line) // go's own words between the events
		case event.Action == "output" || event.Action == "build-output":
			e.add(event.Package, event.Output)
		}
	}
	if err != nil {
		packages := make([]string, 0, len(e.open))
		for pkg := range e.open {
			packages = append(packages, pkg)
		}
		sort.Strings(packages)
		for _, pkg := range packages {
			if l := e.open[pkg]; len(l.text) > 0 {
				e.emit(pkg, l.text, l.begun)
			}
		}
		e.err = err
	}
}

func (e *eventReader) add(pkg, output string) {
	l := e.open[pkg]
	if l == nil {
		l = new(openLine)
		e.open[pkg] = l
	}
	for output != "" {
		if len(l.text) == 0 {
			l.begun = e.line
		}
		head, tail, whole := strings.Cut(output, "\n")
		l.text = append(l.text, head...)
		if !whole {
			return
		}
		e.emit(pkg, l.text, l.begun)
		l.text, output = l.text[:0], tail
	}
}

func (e *eventReader) emit(pkg string, text []byte, line int) {
	if pkg != "" && pkg != e.last {
		if e.last != "" {
			e.out.WriteString("pkg: " + pkg + "\n")
			e.lines = append(e.lines, line)
		}
		e.last = pkg
	}
	e.out.Write(text)
	e.out.WriteByte('\n')
	e.lines = append(e.lines, line)
}

func (e *eventReader) lineOf(n int) int {
	if n < 1 || n > len(e.lines) {
		return n
	}
	return e.lines[n-1]
}

// longestLine is what the line scanner of benchfmt can hold, with room to
// spare. Longer lines are logs, not results, and are cut.
const longestLine = 48 << 10

// watcher passes text on, cuts lines that are too long, and remembers what a
// reader of the file would be misled if nothing else is found in it.
type watcher struct {
	r       io.Reader
	current int // length of the line so far
	head    []byte
	tail    []byte // the end of the last chunk, for marks that are split
	failed  string
}

func (w *watcher) Read(p []byte) (int, error) {
	for {
		n, err := w.r.Read(p)
		chunk := p[:n]
		if room := 512 - len(w.head); room > 0 {
			w.head = append(w.head, chunk[:min(room, n)]...)
		}
		w.look(chunk)
		// The scanner gives up after many empty reads, which an endless line
		// would be.
		if kept := w.cut(chunk); kept > 0 || err != nil || len(p) == 0 {
			return kept, err
		}
	}
}

var failureMarks = [][]byte{[]byte("\n--- FAIL"), []byte("\nFAIL\t"), []byte("\npanic: ")}

func (w *watcher) look(chunk []byte) {
	if w.failed != "" {
		return
	}
	const most = 10 // more than the longest mark
	if w.tail == nil {
		w.tail = []byte{'\n'}
	}
	joint := append(w.tail, chunk[:min(len(chunk), most)]...)
	for _, text := range [][]byte{joint, chunk} {
		for _, mark := range failureMarks {
			if i := bytes.Index(text, mark); i >= 0 {
				line, _, _ := bytes.Cut(text[i+1:], []byte("\n"))
				w.failed = strings.ToValidUTF8(string(line[:min(len(line), 80)]), "?")
				return
			}
		}
	}
	if len(chunk) >= most {
		w.tail = append(w.tail[:0], chunk[len(chunk)-most:]...)
	} else {
		w.tail = joint[max(0, len(joint)-most):]
	}
}

// cut removes from chunk, in place, what goes beyond the longest line.
func (w *watcher) cut(chunk []byte) int {
	if w.current+len(chunk) <= longestLine {
		if i := bytes.LastIndexByte(chunk, '\n'); i >= 0 {
			w.current = len(chunk) - i - 1
		} else {
			w.current += len(chunk)
		}
		return len(chunk)
	}
	kept := chunk[:0]
	for len(chunk) > 0 {
		end := bytes.IndexByte(chunk, '\n')
		part := chunk
		if end >= 0 {
			part = chunk[:end]
		}
		keep := max(0, min(len(part), longestLine-w.current))
		w.current += len(part)
		kept = append(kept, part[:keep]...)
		if end < 0 {
			break
		}
		kept = append(kept, '\n')
		w.current = 0
		chunk = chunk[end+1:]
	}
	return len(kept)
}

func (w *watcher) failure() string { return w.failed }

// holds says what a file without results holds instead.
func (w *watcher) holds() string {
	head := string(w.head)
	first, _, _ := strings.Cut(strings.TrimSpace(head), "\n")
	first = strings.TrimSpace(first)
	if !utf8.ValidString(first) && len(first) < 500 || strings.ContainsRune(head, 0) {
		return "it is binary data"
	}
	const most = 60
	if r := []rune(first); len(r) > most {
		first = string(r[:most]) + "…"
	}
	lower := strings.ToLower(first)
	switch {
	case first == "":
		return "it holds blank lines only"
	case w.failed != "":
		return fmt.Sprintf("it holds a failed run: %q", w.failed)
	case strings.HasPrefix(lower, "<!doctype") || strings.HasPrefix(lower, "<html"):
		return "it is a web page"
	case strings.HasPrefix(first, "{") || strings.HasPrefix(first, "["):
		return fmt.Sprintf("it is JSON, but neither go test -json nor a result.jsonl of tare: %q", first)
	case strings.HasPrefix(head, "ok ") || strings.HasPrefix(head, "PASS") || strings.HasPrefix(head, "goos:") || strings.HasPrefix(head, "=== RUN") || strings.Contains(head, "\nok  \t") || strings.Contains(head, "no test files"):
		return fmt.Sprintf("it is go test output in which no benchmark ran (was -bench given?): %q", first)
	}
	return fmt.Sprintf("it begins with %q", first)
}
