package main

import (
	"fmt"
	"path/filepath"
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
	return usagef("unknown verb %q%s; see %s -help", typed, didYouMean(typed, names, c.FullName()+" "), c.FullName())
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
	return &exitError{exitUsage, fmt.Errorf("unknown flag -%s%s; see %s -help", typed, didYouMean(typed, names, "-"), c.FullName())}
}

// unknownEnding refuses a file whose name asks for an unknown format: its
// content would not be what the name says.
func unknownEnding(file string, known []string) error {
	ending := strings.ToLower(filepath.Ext(file))
	return usagef("flag -o: no format is known by the ending %s%s; known are %s, or name one with -format", ending, didYouMean(ending, known, ""), strings.Join(known, " "))
}
