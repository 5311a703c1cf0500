package benchtab

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
