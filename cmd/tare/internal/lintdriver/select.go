package lintdriver

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/tarebench/tare/cmd/tare/internal/words"
	"github.com/tarebench/tare/cmd/tare/lint"
)

// Select returns the checks of a list of words: all, or ids separated by
// commas. -ID excludes one.
func Select(text string) ([]lint.Check, error) {
	all, names := lint.Checks(), []string{"all"}
	for _, c := range all {
		names = append(names, c.Name)
	}
	chosen := make(map[string]bool)
	for i, word := range strings.Split(text, ",") {
		name, without := strings.CutPrefix(strings.TrimSpace(word), "-")
		if !slices.Contains(names, name) {
			return nil, fmt.Errorf("no check is called %q%s: see tare lint -checks list", name, words.Hint(name, names, ""))
		}
		for _, c := range all {
			if name == c.Name || name == "all" || i == 0 && without { // -ID alone: all without it
				chosen[c.Name] = true
			}
		}
		if without {
			delete(chosen, name)
		}
	}
	return slices.DeleteFunc(all, func(c lint.Check) bool { return !chosen[c.Name] }), nil
}

// List writes a line for each check, or their documentation.
func List(w io.Writer, checks []lint.Check, documented bool) error {
	for _, c := range checks {
		if documented {
			if _, err := io.WriteString(w, c.Help()); err != nil {
				return err
			}
			continue
		}
		if _, err := fmt.Fprintf(w, "%-16s %-8s %s\n", c.Name, c.Severity, c.Title()); err != nil {
			return err
		}
	}
	return nil
}
