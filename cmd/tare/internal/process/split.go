package process

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
)

// Split splits a command into words, without a shell, at blanks outside quotes
// of one kind. A backslash is an ordinary character, as in a path on Windows.
func Split(text string) ([]string, error) {
	var words []string
	var word strings.Builder
	inWord, quote := false, rune(0)
	for _, c := range text {
		switch {
		case c == quote && quote != 0:
			quote = 0
		case quote == 0 && (c == '\'' || c == '"'):
			quote, inWord = c, true
		case quote == 0 && unicode.IsSpace(c):
			if inWord {
				words = append(words, word.String())
			}
			word.Reset()
			inWord = false
		default:
			word.WriteRune(c)
			inWord = true
		}
	}
	if quote != 0 {
		return nil, fmt.Errorf("%s: a quote is not closed", text)
	}
	if inWord {
		words = append(words, word.String())
	}
	if len(words) == 0 {
		return nil, errors.New("no command given")
	}
	return words, nil
}
