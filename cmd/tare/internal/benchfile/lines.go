package benchfile

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

const (
	// longestLine is what the line scanner of benchfmt can hold, with room to
	// spare. Longer lines are logs, not results, and are cut.
	longestLine = 48 << 10
	// headSize is how much of a file says what it holds.
	headSize = 512
)

// lineReader is what benchfmt reads a file through. It hands lines on one by
// one, cuts those that are too long, and remembers what a reader of the file
// would be misled by if nothing else is found in it.
//
// The result lines that the gatherer takes itself ([gatherer.repeat]) are not
// handed on: an empty line stands for each, so that benchfmt counts the lines
// of the file.
type lineReader struct {
	in   *bufio.Reader
	g    *gatherer
	head []byte
	// failed is the first line that says that the run failed.
	failed string

	size  int64  // of the file in bytes, 0 where it is not known
	read  int64  // bytes of the lines so far
	taken int    // lines that the gatherer took since the last one handed on
	rest  []byte // of the line that is handed on
	err   error
}

func newLineReader(in io.Reader, g *gatherer) *lineReader {
	l := &lineReader{g: g}
	var ok bool
	if l.in, ok = in.(*bufio.Reader); !ok {
		l.in = bufio.NewReaderSize(in, 1<<16)
	}
	head, _ := l.in.Peek(headSize)
	l.head = bytes.Clone(head)
	return l
}

// Read gives at most one line that is not empty, at the end of what it gives:
// benchfmt has dealt with it when it reads on.
func (l *lineReader) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	if len(l.rest) == 0 && l.err == nil {
		l.next()
	}
	if l.taken > 0 && (len(l.rest) > 0 || l.err != io.EOF) {
		n := min(len(p), l.taken)
		for i := range p[:n] {
			p[i] = '\n'
		}
		l.taken -= n
		return n, nil
	}
	if len(l.rest) == 0 {
		return 0, l.err
	}
	n := copy(p, l.rest)
	l.rest = l.rest[n:]
	return n, nil
}

// next reads up to the next line that the gatherer does not take.
func (l *lineReader) next() {
	for {
		line, err := l.in.ReadSlice('\n')
		if errors.Is(err, bufio.ErrBufferFull) {
			line, err = l.cut(line)
		}
		l.read += int64(len(line))
		if err == nil && l.g.repeat(line[:len(line)-1]) {
			if l.taken++; l.g.runs == 0 {
				l.g.runs = l.expect()
			}
			continue
		}
		if len(line) > longestLine {
			line = append(line[:longestLine], '\n')
		}
		l.look(line)
		l.rest, l.err = line, err
		return
	}
}

const (
	// leastSuite is how many benchmarks a file begins with before one is
	// repeated, for the file to be a suite that is repeated as a whole.
	leastSuite = 8
	// mostExpected is for how many runs room is made in advance.
	mostExpected = 200
)

// expect is how many runs the file has where it is a suite that is repeated as a
// whole, seen from the first line that repeats one; otherwise 1, which makes room
// for none.
func (l *lineReader) expect() int {
	if len(l.g.series) < leastSuite {
		return 1
	}
	return int(min(max(1, l.size*51/50/l.read+1), mostExpected)) // lines differ a little
}

// cut keeps the beginning of a line that the buffer does not hold.
func (l *lineReader) cut(line []byte) ([]byte, error) {
	line = bytes.Clone(line[:longestLine])
	for {
		_, err := l.in.ReadSlice('\n')
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		return append(line, '\n'), err
	}
}

var failureMarks = [][]byte{[]byte("--- FAIL"), []byte("FAIL\t"), []byte("panic: ")}

// look remembers what a line that is handed on means to the lines after it.
func (l *lineReader) look(line []byte) {
	if bytes.HasPrefix(line, benchmarkPrefix) {
		return // it changes no configuration
	}
	l.g.settled = false
	if l.failed != "" {
		return
	}
	for _, mark := range failureMarks {
		if bytes.HasPrefix(line, mark) {
			line = bytes.TrimSuffix(line, []byte("\n"))
			l.failed = strings.ToValidUTF8(string(line[:min(len(line), 80)]), "?")
			return
		}
	}
}

// holds says what a file without results holds instead.
func (l *lineReader) holds() string {
	head := string(l.head)
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
	case l.failed != "":
		return fmt.Sprintf("it holds a failed run: %q", l.failed)
	case strings.HasPrefix(lower, "<!doctype") || strings.HasPrefix(lower, "<html"):
		return "it is a web page"
	case strings.HasPrefix(first, "{") || strings.HasPrefix(first, "["):
		return fmt.Sprintf("it is JSON, but neither go test -json nor a result.jsonl of tare: %q", first)
	case strings.HasPrefix(head, "ok ") || strings.HasPrefix(head, "PASS") || strings.HasPrefix(head, "goos:") || strings.HasPrefix(head, "=== RUN") || strings.Contains(head, "\nok  \t") || strings.Contains(head, "no test files"):
		return fmt.Sprintf("it is go test output in which no benchmark ran (was -bench given?): %q", first)
	}
	return fmt.Sprintf("it begins with %q", first)
}
