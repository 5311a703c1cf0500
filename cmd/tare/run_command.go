package main

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/urfave/cli/v3"

	"github.com/tarebench/tare/cmd/tare/internal/build"
	"github.com/tarebench/tare/cmd/tare/internal/lintdriver"
	"github.com/tarebench/tare/cmd/tare/internal/session"
	"github.com/tarebench/tare/cmd/tare/internal/words"
)

// Exit codes: a contract that scripts rely on.
const (
	exitDone      = 0
	exitFailed    = 1
	exitUsage     = 2
	exitFound     = 3
	exitUndecided = 4
)

// exitError ends the command with a code. Err may be nil when the output has
// said all there is to say.
type exitError struct {
	code int
	err  error
}

func (e *exitError) Error() string {
	if e.err == nil {
		return fmt.Sprintf("exit %d", e.code)
	}
	return e.err.Error()
}

func (e *exitError) Unwrap() error { return e.err }

func usagef(format string, args ...any) error {
	return &exitError{exitUsage, fmt.Errorf(format, args...)}
}

// asUsage makes an error one of usage.
func asUsage(err error) error {
	if err == nil {
		return nil
	}
	return &exitError{exitUsage, err}
}

// streams are what a verb reads and writes: data to out, progress to err.
type streams struct {
	in       io.Reader
	out, err io.Writer
	// host is the machine to measure on.
	host session.Host
	// typed is the command line, for the reader who wants the result again.
	typed []string
}

// helpTexts are the texts of the verbs: see [describe].
//
//go:embed help/*.txt
var helpTexts embed.FS

func helpText(name string) string {
	text, _ := helpTexts.ReadFile("help/" + name + ".txt") // empty for a verb that describes itself
	return string(text)
}

// verbs lists the subcommands in the order of the help, by group.
func verbs(s streams) (all []*cli.Command) {
	group := func(heading string, verbs ...*cli.Command) {
		for _, v := range verbs {
			v.Category = heading
		}
		all = append(all, verbs...)
	}
	group("Measure", compareCommand(s), runVerb(s), tryCommand(s), doctorCommand(s), lockCommand(s))
	group("Read what was measured", showCommand(s), statCommand(s))
	group("Find the cause", explainCommand(s), bisectCommand(s), historyCommand(s))
	group("Check the benchmarks, and tare", lintCommand(s), selftestCommand(s))
	group("More", versionCommand(s))
	return all
}

// verb is a subcommand. A flag that is repeated is not split at commas, which a
// variant may hold.
func verb(s streams, name string, run func(context.Context, streams, *cli.Command) error, flags []cli.Flag) *cli.Command {
	v := &cli.Command{
		Name: name, Flags: flags, DisableSliceFlagSeparator: true,
		Action: func(ctx context.Context, c *cli.Command) error { return run(ctx, s, c) },
	}
	if text := helpText(name); text != "" {
		describe(v, text)
	}
	return v
}

// run is the whole program: main adds the process around it.
func run(ctx context.Context, host session.Host, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	lintdriver.AnswerVet(args)
	return streams{in: stdin, out: stdout, err: stderr, host: host, typed: args}.run(ctx)
}

// run runs the command line that was typed.
func (s streams) run(ctx context.Context) int {
	err := s.gone()
	if err == nil {
		err = s.runVerbs(ctx)
	}
	return s.exit(err)
}

// command is the command line to record, without the values of secrets.
func (s streams) command() []string {
	var words []string
	for _, word := range s.typed {
		words = append(words, build.HideSecrets(word))
	}
	return words
}

// gone is the error of a verb that was removed.
func (s streams) gone() error {
	if len(s.typed) < 2 {
		return nil
	}
	return removedError(s.typed[1])
}

func (s streams) runVerbs(ctx context.Context) error {
	root := &cli.Command{
		Name:                  "tare",
		Version:               version(),
		EnableShellCompletion: true,
		Reader:                s.in,
		Writer:                s.out,
		ErrWriter:             s.err,
		Commands:              append(verbs(s), workerCommand(s)),
		ExitErrHandler:        func(context.Context, *cli.Command, error) {},
		Action: func(_ context.Context, c *cli.Command) error {
			if c.Args().Present() {
				return asUsage(unknownVerb(c, c.Args().First()))
			}
			return cli.ShowAppHelp(c)
		},
	}
	describe(root, helpText("tare"))
	typed, all := helpAll(s.typed)
	installHelp(root, all, asUsage)
	var unknown error
	root.CommandNotFound = func(_ context.Context, c *cli.Command, name string) { unknown = asUsage(unknownVerb(c, name)) }
	return errors.Join(root.Run(ctx, typed), unknown)
}

// helpAll takes -all out of a command line that asks for the help.
func helpAll(typed []string) (rest []string, all bool) {
	isHelp := func(word string) bool { return slices.Contains([]string{"-help", "--help", "-h"}, word) }
	isAll := func(word string) bool { return word == "-all" || word == "--all" }
	if !slices.ContainsFunc(typed, isHelp) || !slices.ContainsFunc(typed, isAll) {
		return typed, false
	}
	return slices.DeleteFunc(slices.Clone(typed), isAll), true
}

// exit reports an error and returns its exit code.
func (s streams) exit(err error) int {
	var exit *exitError
	if !errors.As(err, &exit) && err != nil {
		exit = &exitError{exitFailed, err}
	}
	if exit != nil && exit.err != nil {
		fmt.Fprintf(s.err, "tare: %s\n", words.PrintableLines(exit.err.Error()))
	}
	return codeOf(err)
}

// codeOf is the exit code of an error.
func codeOf(err error) int {
	var exit *exitError
	switch {
	case err == nil:
		return exitDone
	case errors.As(err, &exit):
		return exit.code
	}
	return exitFailed
}
