package main

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/tarebench/tare/internal/nearest"
)

// didYouMean proposes the word that a mistyped one stands for; empty for none.
func didYouMean(typed string, words []string, prefix string) string {
	if near := nearest.Word(typed, words); near != "" {
		return ": did you mean " + prefix + near + "?"
	}
	return ""
}

// unknownVerb is the error of a word that is no verb.
func unknownVerb(c *cli.Command, typed string) error {
	var names []string
	for _, v := range c.Commands {
		names = append(names, v.Names()...)
	}
	return usagef("unknown verb %q%s; see tare help", typed, didYouMean(typed, names, "tare "))
}

// unknownFlag adds to the error of a flag that a verb does not have the flag
// that is meant.
func unknownFlag(c *cli.Command, err error) error {
	_, typed, ok := strings.Cut(err.Error(), "flag provided but not defined: -")
	if !ok {
		return &exitError{exitUsage, err}
	}
	typed = strings.TrimLeft(typed, "-")
	var names []string
	for _, f := range c.Flags {
		names = append(names, f.Names()...)
	}
	return &exitError{exitUsage, fmt.Errorf("unknown flag -%s%s; see tare %s -help", typed, didYouMean(typed, names, "-"), c.Name)}
}

// unknownEnding refuses a file whose name asks for a format that there is none
// of: what would be in it is no such file.
func unknownEnding(file string) error {
	ending := strings.ToLower(filepath.Ext(file))
	if slices.Contains([]string{"", ".txt", ".text", ".log", ".out"}, ending) {
		return nil
	}
	var endings []string
	for e := range formatOfEnding {
		endings = append(endings, e)
	}
	slices.Sort(endings)
	return usagef("flag -o: no format is known by the ending %s%s; known are %s, or name one with -format", ending, didYouMean(ending, endings, ""), strings.Join(endings, " "))
}

func versionCommand(s streams) *cli.Command {
	return &cli.Command{
		Name:        "version",
		Usage:       "the version of tare",
		Description: "The version of the module that tare was built from.\n\nExample: for a report of a bug:\n\n   tare version",
		Action: func(_ context.Context, c *cli.Command) error {
			_, err := fmt.Fprintln(s.out, "tare version "+version())
			return err
		},
	}
}
