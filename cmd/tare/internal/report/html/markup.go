package html

import (
	"fmt"
	escape "html"
	"strings"

	"github.com/tarebench/tare/cmd/tare/internal/words"
)

// markup is HTML that this package made. Everything else is text.
type markup string

func plain(s string) string { return escape.EscapeString(words.Printable(s)) }

type sheet struct{ strings.Builder }

// put writes HTML. Arguments that are neither numbers nor markup are escaped, so that
// they stay text between elements and in quoted attributes, whoever named them.
func (s *sheet) put(format string, args ...any) {
	for i, a := range args {
		switch a.(type) {
		case markup, int, float64:
		default:
			args[i] = plain(fmt.Sprint(a))
		}
	}
	fmt.Fprintf(s, format, args...)
}

// given writes HTML with a text, unless the text is empty.
func (s *sheet) given(format, given string) {
	if given != "" {
		s.put(format, given)
	}
}
