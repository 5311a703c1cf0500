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
	all := lint.Checks()
	chosen := make(map[string]bool)
	for i, word := range strings.Split(text, ",") {
		name, without := strings.CutPrefix(strings.TrimSpace(word), "-")
		known := name == "all"
		for _, c := range all {
			if i == 0 && without || name == "all" {
				chosen[c.Name] = true // -ID alone: all without it
			}
			if name == c.Name {
				chosen[c.Name], known = true, true
			}
		}
		if !known {
			return nil, unknownCheck(name)
		}
		if without {
			delete(chosen, name)
		}
	}
	return slices.DeleteFunc(all, func(c lint.Check) bool { return !chosen[c.Name] }), nil
}

func unknownCheck(name string) error {
	names := []string{"all"}
	for _, c := range lint.Checks() {
		names = append(names, c.Name)
	}
	return fmt.Errorf("no check is called %q%s: see tare lint -checks list", name, words.Hint(name, names, ""))
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
