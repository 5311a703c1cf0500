package words

import (
	"fmt"
	"io"
	"reflect"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Printable makes an untrusted name safe for a terminal or a line of text:
// control characters, escape sequences, line breaks, invisible and
// direction-changing characters become visible Go escapes. So does the start of
// a command to GitHub Actions: :: at the start of a line, ##[ anywhere.
func Printable(s string) string {
	if rest := strings.TrimLeft(s, " \t"); strings.HasPrefix(rest, "::") {
		s = s[:len(s)-len(rest)] + `\x3a` + rest[1:]
	}
	s = strings.ReplaceAll(s, "##[", `#\x23[`)
	if !strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) || r == utf8.RuneError }) {
		return s
	}
	var b strings.Builder
	for i, r := range s {
		switch _, n := utf8.DecodeRuneInString(s[i:]); {
		case r == utf8.RuneError && n == 1: // no UTF-8
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case unicode.IsPrint(r):
			b.WriteRune(r)
		case r < utf8.RuneSelf:
			fmt.Fprintf(&b, `\x%02x`, r)
		default:
			b.WriteString(strings.Trim(strconv.QuoteRuneToASCII(r), "'"))
		}
	}
	return b.String()
}

// Fprintf is fmt.Fprintf for reports: texts among the arguments are made printable,
// whoever named them.
func Fprintf(w io.Writer, format string, args ...any) {
	for i, a := range args {
		switch a := a.(type) {
		case error:
			args[i] = Printable(a.Error())
		case fmt.Stringer:
			args[i] = Printable(a.String())
		default:
			if v := reflect.ValueOf(a); v.Kind() == reflect.String {
				args[i] = Printable(v.String())
			}
		}
	}
	fmt.Fprintf(w, format, args...)
}

// PrintableLines applies Printable to each line of the output of a compiler, a
// panic or another machine.
func PrintableLines(s string) string {
	lines := strings.Split(strings.TrimRight(s, "\r\n"), "\n")
	for i, line := range lines {
		lines[i] = Printable(strings.TrimRight(strings.ReplaceAll(line, "\t", "    "), " \r"))
	}
	return strings.Join(lines, "\n")
}

// Columns counts the terminal cells of printable text.
func Columns(s string) int {
	n := 0
	for _, r := range s {
		n += cells(r)
	}
	return n
}

func cells(r rune) int {
	if r < 0x300 {
		return 1
	}
	if unicode.Is(unicode.Mn, r) {
		return 0
	}
	if unicode.Is(wide, r) {
		return 2
	}
	return 1
}

// wide are the blocks of Unicode whose characters take two cells (UAX #11).
var wide = &unicode.RangeTable{
	R16: []unicode.Range16{{0x1100, 0x115f, 1}, {0x2e80, 0x303e, 1}, {0x3041, 0xa4cf, 1}, {0xa960, 0xa97c, 1}, {0xac00, 0xd7a3, 1}, {0xf900, 0xfaff, 1}, {0xfe30, 0xfe6f, 1}, {0xff00, 0xff60, 1}, {0xffe0, 0xffe6, 1}},
	R32: []unicode.Range32{{0x16fe0, 0x18d08, 1}, {0x1b000, 0x1b2fb, 1}, {0x1f300, 0x1f64f, 1}, {0x1f680, 0x1f6ff, 1}, {0x1f900, 0x1f9ff, 1}, {0x20000, 0x3fffd, 1}},
}

// Shorten cuts printable text to at most n terminal cells, and marks the cut
// in the middle: benchmark names differ at both ends.
func Shorten(s string, n int) string {
	if Columns(s) <= n {
		return s
	}
	if n < 3 {
		return strings.Repeat("…", min(n, 1))
	}
	runes := []rune(s)
	head, left := 0, (n-1)/2
	for head < len(runes) && left >= cells(runes[head]) {
		left -= cells(runes[head])
		head++
	}
	tail, left := len(runes), n-1-Columns(string(runes[:head]))
	for tail > head && left >= cells(runes[tail-1]) {
		left -= cells(runes[tail-1])
		tail--
	}
	return string(runes[:head]) + "…" + string(runes[tail:])
}

// FirstLine returns the first line of the output of a tool. If that is only
// "compile x:", it adds the next line. It omits lines of the go command that
// name a package.
func FirstLine(text string) string {
	var said []string
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "# ") {
			continue
		}
		if said = append(said, line); !strings.HasSuffix(line, ":") {
			break
		}
	}
	return Printable(strings.Join(said, " "))
}

// Symbol is the name of a symbol with the last element of its package's path. Type
// arguments remain, which have paths too.
func Symbol(name string) string {
	head, types, generic := strings.Cut(name, "[")
	head = head[strings.LastIndexByte(head, '/')+1:]
	if generic {
		return head + "[" + types
	}
	return head
}
