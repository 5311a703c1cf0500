package benchtab

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"unicode/utf16"

	"github.com/tarebench/tare/cmd/tare/internal/result"
)

const (
	// largestUTF16 is the maximum size of a file in UTF-16, in bytes: it is
	// read at once.
	largestUTF16 = 256 << 20
	// largestEvent is the maximum length of a line of go test -json, which
	// splits output after 4 KiB.
	largestEvent = 1 << 20
)

// plainText turns text of any Unicode encoding into UTF-8 without a byte order
// mark. It refuses packed files.
func plainText(r *bufio.Reader) (*bufio.Reader, error) {
	head, err := r.Peek(4)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	for magic, tool := range map[string]string{"\x1f\x8b": "gzip", "\x28\xb5\x2f\xfd": "zstd"} {
		if bytes.HasPrefix(head, []byte(magic)) {
			return nil, fmt.Errorf("it is packed by %s: use %s -dc FILE | tare stat -", tool, tool)
		}
	}
	return toUTF8(r, head)
}

// toUTF8 recognizes UTF-16 by its byte order mark, which PowerShell writes, or
// by the zero byte with an ASCII first letter.
func toUTF8(r *bufio.Reader, head []byte) (*bufio.Reader, error) {
	var order binary.ByteOrder
	switch {
	case bytes.HasPrefix(head, []byte{0xef, 0xbb, 0xbf}):
		r.Discard(3)
		return r, nil
	case bytes.HasPrefix(head, []byte{0xff, 0xfe}), len(head) >= 2 && head[0] != 0 && head[1] == 0:
		order = binary.LittleEndian
	case bytes.HasPrefix(head, []byte{0xfe, 0xff}), len(head) >= 2 && head[0] == 0 && head[1] != 0:
		order = binary.BigEndian
	default:
		return r, nil
	}
	text, err := io.ReadAll(io.LimitReader(r, largestUTF16+1))
	if err != nil {
		return nil, err
	}
	if len(text) > largestUTF16 {
		return nil, fmt.Errorf("it is UTF-16 of more than %d MiB: convert it with iconv -f utf-16 -t utf-8", largestUTF16>>20)
	}
	units := make([]uint16, len(text)/2)
	for i := range units {
		units[i] = order.Uint16(text[2*i:])
	}
	if len(units) > 0 && units[0] == 0xfeff {
		units = units[1:]
	}
	return bufio.NewReader(strings.NewReader(string(utf16.Decode(units)))), nil
}

// isEvents recognizes the output of go test -json by an event among its first
// lines. Messages of the go command ("go: downloading …") may come before it.
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
// of packages tested in parallel are mixed. Lines are joined by package, and a
// "pkg:" line marks each change of the package.
type eventReader struct {
	in    *bufio.Reader
	line  int // number of the event line last read
	open  map[string]*openLine
	last  string
	out   bytes.Buffer
	lines []int // lines[i] is where output line i+1 began in the file
	err   error
}

type openLine struct {
	text  []byte
	begun int
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

func (e *eventReader) next() {
	text, err := result.ReadLine(e.in, largestEvent)
	if errors.Is(err, bufio.ErrBufferFull) {
		e.err = fmt.Errorf("line %d: an event has more than %d bytes", e.line+1, largestEvent)
		return
	}
	if len(text) > 0 {
		e.line++
		var event struct{ Action, Package, Output string }
		switch {
		case text[0] != '{' || json.Unmarshal(text, &event) != nil:
			e.emit("", bytes.TrimRight(text, "\r\n"), e.line) // messages of the go command between the events
		case event.Action == "output" || event.Action == "build-output":
			e.add(event.Package, event.Output)
		}
	}
	if err != nil {
		for _, pkg := range slices.Sorted(maps.Keys(e.open)) {
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
		if len(l.text) <= longestLine { // the reader of lines cuts longer ones
			l.text = append(l.text, head...)
		}
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

// lineOf is the line of the file at output line n, which is the same without events.
func (e *eventReader) lineOf(n int) int {
	if e == nil || n < 1 || n > len(e.lines) {
		return n
	}
	return e.lines[n-1]
}
