package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/tarebench/tare/cmd/tare/internal/pattern"
)

// unknownVerb is the error of a word that is no verb of a command.
func unknownVerb(c *cli.Command, typed string) error {
	if err := removedError(c.Name + " " + typed); err != nil {
		return err
	}
	var names []string
	for _, v := range c.Commands {
		names = append(names, v.Names()...)
	}
	return fmt.Errorf("unknown verb %q%s; see %s -help", typed, pattern.Hint(typed, names, c.FullName()+" "), c.FullName())
}

// unknownFlag adds to the error of a flag that a command does not have the verbs
// that have it, or the flag that is meant.
func unknownFlag(c *cli.Command, err error) error {
	_, typed, ok := strings.Cut(err.Error(), "flag provided but not defined: -")
	if !ok {
		return err
	}
	typed = strings.TrimLeft(typed, "-")
	verb := strings.TrimPrefix(c.FullName(), c.Root().Name+" ")
	if err := cmp.Or(removedError(verb+" -"+typed), removedError("-"+typed)); err != nil {
		return err
	}
	if verbs := verbsWith(c.Root(), typed); len(verbs) > 0 {
		has := "has it"
		if len(verbs) > 1 {
			has = "have it"
		}
		return fmt.Errorf("unknown flag -%s: %s %s, %s does not; see %s -help", typed, strings.Join(verbs, ", "), has, c.FullName(), c.FullName())
	}
	var names []string
	for _, f := range c.Flags {
		names = append(names, f.Names()...)
	}
	return fmt.Errorf("unknown flag -%s%s; see %s -help", typed, pattern.Hint(typed, names, "-"), c.FullName())
}

// mostVerbs is how many verbs are named for a flag: what more of them have is
// no flag that one mistakes for that of another verb.
const mostVerbs = 3

// verbsWith lists the verbs that have a flag; none where many have.
func verbsWith(root *cli.Command, name string) (verbs []string) {
	for _, c := range root.Commands {
		for _, f := range c.Flags {
			if slices.Contains(f.Names(), name) {
				verbs = append(verbs, c.FullName())
				break
			}
		}
	}
	if len(verbs) > mostVerbs {
		return nil
	}
	return verbs
}
