package remote

import (
	"fmt"
	"strings"
)

// Split splits a launcher as it is typed into a command and its arguments: at
// blanks, except between quotes of one kind, as go test -exec does.
func Split(text string) ([]string, error) {
	var words []string
	for rest := strings.TrimSpace(text); rest != ""; rest = strings.TrimSpace(rest) {
		if quote := rest[0]; quote == '\'' || quote == '"' {
			word, after, closed := strings.Cut(rest[1:], string(quote))
			if !closed {
				return nil, fmt.Errorf("%s: a quote is not closed", text)
			}
			words, rest = append(words, word), after
			continue
		}
		i := strings.IndexAny(rest, " \t\n")
		if i < 0 {
			i = len(rest)
		}
		words, rest = append(words, rest[:i]), rest[i:]
	}
	if len(words) == 0 {
		return nil, fmt.Errorf("a launcher is a command, such as 'ssh bench1'")
	}
	return words, nil
}
