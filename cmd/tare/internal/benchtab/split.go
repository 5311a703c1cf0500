package benchtab

import (
	"bytes"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The name of a benchmark is printed before it runs and its result after it, so
// that a benchmark that prints splits its line: its output is between the two,
// with or without an end of line. joiner puts the name before the result. A
// name without a result is lost, and is reported by name, because a reader who
// is not told believes that the benchmark is as it was.

var resultTail = regexp.MustCompile(`(?:^|[^\d.,:+-])([1-9]\d*(?:(?: *\t *|  +)(?:[-+]?\d[\d.]*(?:[eE][-+]?\d+)?|NaN|[-+]?Inf) \S+)+)\s*$`)

// nameBefore is a name at the end of a line of which the result was cut off.
var nameBefore = regexp.MustCompile(`(Benchmark\S*)[ \t]+$`)

type joiner struct {
	line int // number of the line last read
	// open is the name that waits for its result, with its line. Whole is set if
	// it was alone on its line, as go test -v prints it before the full line.
	open  lostResult
	whole bool
	lost  []lostResult
}

// lostResult is a line of a benchmark from which no result was read.
type lostResult struct {
	line       int
	name, text string
}

func (j *joiner) next(line []byte) []byte {
	j.line++
	name, rest := benchmarkName(line)
	switch {
	case name != "" && isResult(rest):
		j.close()
		return line
	case name != "":
		j.close()
		j.open, j.whole = lostResult{j.line, name, string(line[:min(len(line), 60)])}, len(rest) == 0
	case j.open.name == "":
		if !bytes.Contains(line, []byte("/op")) {
			return line
		}
	case isHead(line):
		j.close()
		return line
	}
	if name != "" && bytes.HasPrefix(bytes.TrimSpace(rest), []byte("--- ")) { // failed or skipped
		j.open = lostResult{}
		return []byte(string(bytes.TrimSpace(rest)) + "\n")
	}
	at := resultTail.FindSubmatchIndex(line)
	if at == nil {
		if j.open.name == "" {
			return line
		}
		return []byte("\n") // output is no configuration
	}
	result := line[at[2]:at[3]]
	if before := nameBefore.FindSubmatch(line[:at[2]]); before != nil {
		j.open.name = string(before[1])
	}
	if j.open.name == "" {
		j.lost = append(j.lost, lostResult{line: j.line, text: string(line[:min(len(line), 60)])})
		return []byte("\n")
	}
	joined := append([]byte(j.open.name+" "), result...)
	j.open = lostResult{}
	return append(joined, '\n')
}

func (j *joiner) close() {
	if j.open.name != "" && !j.whole {
		j.lost = append(j.lost, j.open)
	}
	j.open = lostResult{}
}

// isHead reports whether a line is of the go command, and ends the output of a
// benchmark.
func isHead(line []byte) bool {
	heads := []string{"goos: ", "goarch: ", "pkg: ", "cpu: ", "PASS", "FAIL", "ok  ", "--- ", "panic: "}
	return slices.ContainsFunc(heads, func(head string) bool { return bytes.HasPrefix(line, []byte(head)) })
}

// benchmarkName splits a line after the name of a benchmark. The name is empty
// for any other line.
func benchmarkName(line []byte) (name string, rest []byte) {
	const prefix = "Benchmark"
	if !bytes.HasPrefix(line, []byte(prefix)) {
		return "", nil
	}
	if r, _ := utf8.DecodeRune(line[len(prefix):]); unicode.IsLower(r) {
		return "", nil
	}
	line = bytes.TrimRight(line, "\r\n")
	i := bytes.IndexAny(line, " \t")
	if i < 0 {
		i = len(line)
	}
	return string(line[:i]), line[i:]
}

func isResult(rest []byte) bool {
	f := strings.Fields(string(rest))
	if len(f) < 3 || len(f)%2 == 0 {
		return false
	}
	if _, err := strconv.Atoi(f[0]); err != nil {
		return false
	}
	for i := 1; i < len(f); i += 2 {
		if _, err := strconv.ParseFloat(f[i], 64); err != nil {
			return false
		}
	}
	return true
}
