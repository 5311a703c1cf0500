package benchfile

import (
	"bytes"

	"golang.org/x/perf/benchunit"
)

var benchmarkPrefix = []byte("Benchmark")

// printedUnit is a unit as the lines of a series have it, and the factor that
// makes its values those of the base unit.
type printedUnit struct {
	text   string
	factor float64
}

func asPrinted(u Unit) printedUnit {
	text := u.Base
	if u.Printed != "" {
		text = u.Printed
	}
	factor, _ := benchunit.Tidy(1, text)
	return printedUnit{text, factor}
}

// repeat takes a line that has another result of a known benchmark in the form
// that go test prints: an ASCII name, an iteration count, and plain decimals
// with the units of the benchmark. It reports whether it did; every other line
// is for benchfmt, to which a line that is taken means the same (FuzzRepeat).
func (g *gatherer) repeat(line []byte) bool {
	if !g.settled || !bytes.HasPrefix(line, benchmarkPrefix) {
		return false
	}
	line = line[len(benchmarkPrefix):]
	// Suites are repeated in one order, and so are the runs of a benchmark.
	s := g.last.next
	if s == nil || s.under != g.now || !s.begins(line) {
		n := 0
		for n < len(line) && line[n] > ' ' && line[n] < 0x7f {
			n++
		}
		s = g.now.byName[string(line[:n])]
	}
	if s == nil || s.other != nil {
		return false
	}
	line = skipBlanks(line[len(s.Name):])
	n := integerLen(line)
	if n == 0 {
		return false
	}
	line = line[n:]
	g.values = g.values[:0]
	var tail []byte
	for i, u := range s.printed {
		if i == 1 {
			if tail = line; len(tail) > 0 && bytes.Equal(tail, s.tail) {
				s.Values[0].appendOf(g.values[0], g.runs)
				for k := range s.Values[1:] {
					s.Values[k+1].repeatLast()
				}
				g.place(s)
				return true
			}
		}
		line = skipBlanks(line)
		v, n := decimal(line)
		if n == 0 {
			return false
		}
		line = skipBlanks(line[n:])
		if len(line) < len(u.text) || string(line[:len(u.text)]) != u.text {
			return false
		}
		line = line[len(u.text):]
		if len(line) > 0 && !blank(line[0]) {
			return false
		}
		g.values = append(g.values, v*u.factor)
	}
	if len(skipBlanks(line)) > 0 {
		return false
	}
	for i, v := range g.values {
		s.Values[i].appendOf(v, g.runs)
	}
	s.tail = append(s.tail[:0], tail...)
	g.place(s)
	return true
}

// begins reports whether a line, without "Benchmark", is one of s.
func (s *Series) begins(line []byte) bool {
	n := len(s.Name)
	return len(line) > n && blank(line[n]) && string(line[:n]) == s.Name
}

func blank(c byte) bool { return c == ' ' || c == '\t' || c == '\r' }

func skipBlanks(line []byte) []byte {
	for len(line) > 0 && blank(line[0]) {
		line = line[1:]
	}
	return line
}

// mostDigits is how many decimal digits a float64 always holds.
const mostDigits = 15

var powersOfTen = [mostDigits + 1]float64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15}

// decimal reads a number of at most 15 digits, with or without a point, and its
// length; 0 where line begins with anything else, or with more. Both the digits
// and the power of ten are exact, so that the quotient is rounded once.
func decimal(line []byte) (v float64, n int) {
	digits, decimals := uint64(0), -1
	count := 0
	for ; n < len(line); n++ {
		c := line[n] - '0'
		switch {
		case c <= 9:
			digits = digits*10 + uint64(c)
			count++
			if decimals >= 0 {
				decimals++
			}
			if count > mostDigits {
				return 0, 0
			}
		case line[n] == '.' && decimals < 0:
			decimals = 0
		case blank(line[n]) && count > 0:
			v = float64(digits)
			if decimals > 0 {
				v /= powersOfTen[decimals]
			}
			return v, n
		default:
			return 0, 0
		}
	}
	return 0, 0 // a unit has to follow
}

// integerLen is the length of the iteration count that line begins with; 0 where
// it does not begin with plain digits.
func integerLen(line []byte) int {
	n := 0
	for n < len(line) && line[n]-'0' <= 9 {
		n++
	}
	if n > mostDigits || n == len(line) || n > 0 && !blank(line[n]) {
		return 0
	}
	return n
}
