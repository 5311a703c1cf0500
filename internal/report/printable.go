package report

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/width"
)

// printable makes an untrusted name safe for a terminal or a line of text:
// control characters, escape sequences, line breaks, invisible and
// direction-changing characters become visible Go escapes.
func printable(s string) string {
	clean := true
	for _, r := range s {
		if !unicode.IsPrint(r) || r == utf8.RuneError {
			clean = false
			break
		}
	}
	if clean {
		return s
	}
	var b strings.Builder
	for i, r := range s {
		switch {
		case r == utf8.RuneError:
			if _, n := utf8.DecodeRuneInString(s[i:]); n == 1 {
				const hex = "0123456789abcdef"
				b.WriteString(`\x`)
				b.WriteByte(hex[s[i]>>4])
				b.WriteByte(hex[s[i]&15])
				continue
			}
			b.WriteRune(r)
		case unicode.IsPrint(r):
			b.WriteRune(r)
		default:
			q := quoteRune(r)
			b.WriteString(q)
		}
	}
	return b.String()
}

func quoteRune(r rune) string {
	const hex = "0123456789abcdef"
	digits, prefix := 4, `\u`
	switch {
	case r < 0x80:
		digits, prefix = 2, `\x`
	case r > 0xffff:
		digits, prefix = 8, `\U`
	}
	out := []byte(prefix)
	for shift := 4 * (digits - 1); shift >= 0; shift -= 4 {
		out = append(out, hex[(r>>shift)&15])
	}
	return string(out)
}

// columns counts the terminal cells of printable text.
func columns(s string) int {
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
	if k := width.LookupRune(r).Kind(); k == width.EastAsianWide || k == width.EastAsianFullwidth {
		return 2
	}
	return 1
}

// shorten cuts printable text to at most n terminal cells, and marks the cut
// in the middle: benchmark names differ at both ends.
func shorten(s string, n int) string {
	if columns(s) <= n {
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
	tail, left := len(runes), n-1-columns(string(runes[:head]))
	for tail > head && left >= cells(runes[tail-1]) {
		left -= cells(runes[tail-1])
		tail--
	}
	return string(runes[:head]) + "…" + string(runes[tail:])
}
