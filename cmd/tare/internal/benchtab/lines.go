package benchtab

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
)

const (
	// longestLine fits into the line scanner of benchfmt. Longer lines are
	// logs, not results, and are cut.
	longestLine = 48 << 10
	// endlessLine is longer than any line of a log, in bytes.
	endlessLine = 64 << 20
	// headSize is the number of bytes that identify the content of a file.
	headSize = 512
)

// lineReader passes the lines of a file to benchfmt. It cuts lines that are too
// long, joins split ones, and remembers the line that reports a failed run.
type lineReader struct {
	in     *bufio.Reader
	head   []byte
	joiner joiner
	failed string // the first line of a failure
	rest   []byte // of the current line
	err    error
}

func newLineReader(in io.Reader) *lineReader {
	l := &lineReader{in: bufio.NewReaderSize(in, 1<<16)}
	head, _ := l.in.Peek(headSize)
	l.head = bytes.Clone(head)
	return l
}

// read returns as many whole lines as the buffer of the file has.
func (l *lineReader) Read(p []byte) (n int, err error) {
	for {
		if len(l.rest) == 0 && l.err == nil {
			l.next()
		}
		copied := copy(p[n:], l.rest)
		n, l.rest = n+copied, l.rest[copied:]
		if len(l.rest) > 0 || l.in.Buffered() == 0 {
			break
		}
	}
	if n == 0 {
		return 0, l.err
	}
	return n, nil
}

func (l *lineReader) next() {
	l.rest, l.err = l.in.ReadSlice('\n')
	if errors.Is(l.err, bufio.ErrBufferFull) {
		l.rest, l.err = l.cut(l.rest)
	}
	if len(l.rest) > longestLine {
		l.rest = append(l.rest[:longestLine], '\n')
	}
	if len(l.rest) > 0 {
		l.look(l.rest)
		l.rest = l.joiner.next(l.rest)
	}
	if l.err != nil {
		l.joiner.close()
	}
}

func (l *lineReader) cut(line []byte) ([]byte, error) {
	line = bytes.Clone(line[:longestLine])
	for n := 0; ; {
		more, err := l.in.ReadSlice('\n')
		if n += len(more); n > endlessLine {
			return nil, fmt.Errorf("a line has more than %d MiB", endlessLine>>20)
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		return append(line, '\n'), err
	}
}

var failureMarks = [][]byte{[]byte("--- FAIL"), []byte("FAIL\t"), []byte("panic: ")}

// look remembers the first line that reports a failed run.
func (l *lineReader) look(line []byte) {
	for _, mark := range failureMarks {
		if l.failed == "" && (bytes.HasPrefix(line, mark) || bytes.HasPrefix(line, []byte("Benchmark")) && bytes.Contains(line, failureMarks[0])) {
			line = bytes.TrimSuffix(line, []byte("\n"))
			l.failed = strings.ToValidUTF8(string(line[:min(len(line), 80)]), "?")
		}
	}
}

func (l *lineReader) content() string {
	if l.failed != "" {
		return fmt.Sprintf("it is a failed run: %q", l.failed)
	}
	first, _, _ := strings.Cut(strings.TrimSpace(string(l.head)), "\n")
	const most = 60
	if r := []rune(first); len(r) > most {
		first = string(r[:most]) + "…"
	}
	return fmt.Sprintf("it begins with %q, and not as go test -bench or result.jsonl of tare", strings.TrimSpace(first))
}
