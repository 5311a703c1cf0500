package html

import (
	"fmt"
	escape "html"
	"strings"
)

// markup is HTML that this package made. Every other string is text.
type markup string

// sheet is the body of a page as it is written.
type sheet struct{ strings.Builder }

// put writes HTML. Strings among the arguments are escaped, so that they stay
// text between elements and in quoted attributes, whoever named them.
func (s *sheet) put(format string, args ...any) {
	for i, a := range args {
		if text, ok := a.(string); ok {
			args[i] = escape.EscapeString(text)
		}
	}
	fmt.Fprintf(s, format, args...)
}

// given writes HTML with a text, unless the text is empty.
func (s *sheet) given(format, text string) {
	if text != "" {
		s.put(format, text)
	}
}
