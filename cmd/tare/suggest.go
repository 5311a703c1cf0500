package main

import (
	"flag"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/tarebench/tare/cmd/tare/internal/words"
)

func (c *command) unknownVerb(typed string) error {
	var names []string
	for _, v := range c.verbs {
		names = append(names, v.name)
	}
	return fmt.Errorf("unknown verb %q%s; see %s -help", typed, words.Hint(typed, names, c.path()+" "), c.path())
}

// invalidValue is the error of package flag for a value: the value, the flag and
// the cause.
var invalidValue = regexp.MustCompile(`^invalid (?:boolean )?value (".*") for (?:flag )?-(\S+): (.*)$`)

// explainFlag names the flag of a value that cannot be read. It adds to the
// error of an unknown flag the verbs that have it, or the likely flag.
func (c *command) explainFlag(err error) error {
	if m := invalidValue.FindStringSubmatch(err.Error()); m != nil {
		value, name, cause := m[1], m[2], m[3]
		switch c.set.Lookup(name).Value.(flag.Getter).Get().(type) {
		case bool:
			cause = value + " is neither true nor false"
		case int, uint64:
			cause = value + " is not a whole number in range"
		case time.Duration:
			cause = value + " is not a duration such as 10s"
		}
		return fmt.Errorf("flag -%s: %s", name, cause)
	}
	_, typed, ok := strings.Cut(err.Error(), "flag provided but not defined: -")
	if !ok {
		return err
	}
	typed = strings.TrimLeft(typed, "-")
	if verbs := verbsWith(c.root(), typed); len(verbs) > 0 {
		has := "has it"
		if len(verbs) > 1 {
			has = "have it"
		}
		return fmt.Errorf("unknown flag -%s: %s %s, %s does not; see %s -help", typed, strings.Join(verbs, ", "), has, c.path(), c.path())
	}
	switch name, _, _ := strings.Cut(typed, "="); name {
	case "short", "parallel":
		return fmt.Errorf("unknown flag -%s: it is for the tests themselves: add -- -test.%s at the end", typed, typed)
	case "confidence":
		return fmt.Errorf("unknown flag -confidence: -alpha sets the intervals of changes (0.05: of 95%%). Those of medians are always of 95%%")
	case "failfast", "shuffle", "vet", "race", "run", "cover", "p", "fuzz":
		return fmt.Errorf("unknown flag -%s: go test has it for tests, and it does nothing for a benchmark here: leave it out", typed)
	}
	var names []string
	for _, f := range c.flags {
		names = append(names, f.name)
	}
	return fmt.Errorf("unknown flag -%s%s; see %s -help", typed, words.Hint(typed, names, "-"), c.path())
}

// mostVerbs is the most verbs that the error of a flag names. Nobody mistakes a
// flag of more verbs for the flag of another one.
const mostVerbs = 3

func verbsWith(root *command, name string) (verbs []string) {
	for _, c := range root.verbs {
		if slices.ContainsFunc(c.flags, func(o *option) bool { return o.name == name }) {
			verbs = append(verbs, root.name+" "+c.name)
		}
	}
	if len(verbs) > mostVerbs {
		return nil
	}
	return verbs
}
