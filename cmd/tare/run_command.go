package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/debug"

	"github.com/urfave/cli/v3"

	"github.com/tarebench/tare/internal/session"
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

// streams are what a verb reads and writes: data to out, progress to err.
type streams struct {
	in       io.Reader
	out, err io.Writer
	// host is the machine to measure on.
	host session.Host
	// typed is the command line, for the reader who wants the result again.
	typed []string
}

// verbs lists the subcommands in the order of the help.
func verbs(s streams) []*cli.Command {
	return []*cli.Command{
		runVerb(s),
		compareCommand(s),
		doctorCommand(s),
		statCommand(s),
		showCommand(s),
		lintCommand(s),
		smokeCommand(s),
		lockCommand(s),
		bisectCommand(s),
		explainCommand(s),
		historyCommand(s),
		selftestCommand(s),
		versionCommand(s),
	}
}

// run is the whole program: main adds the process around it.
func run(ctx context.Context, host session.Host, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	asVetTool(args)
	return streams{in: stdin, out: stdout, err: stderr, host: host, typed: args}.run(ctx)
}

// run runs the command line that was typed.
func (s streams) run(ctx context.Context) int {
	root := &cli.Command{
		Name:                  "tare",
		Usage:                 "the benchmarking toolkit for Go: true answers, fast",
		Version:               version(),
		EnableShellCompletion: true,
		Reader:                s.in,
		Writer:                s.out,
		ErrWriter:             s.err,
		Commands:              verbs(s),
		ExitErrHandler:        func(context.Context, *cli.Command, error) {},
		OnUsageError:          func(_ context.Context, c *cli.Command, err error, _ bool) error { return unknownFlag(c, err) },
		Action: func(_ context.Context, c *cli.Command) error {
			if c.Args().Present() {
				return unknownVerb(c, c.Args().First())
			}
			return cli.ShowAppHelp(c)
		},
	}
	for _, c := range root.Commands {
		c.OnUsageError = root.OnUsageError
	}
	err := root.Run(ctx, s.typed)
	if err == nil {
		return exitDone
	}
	var exit *exitError
	if !errors.As(err, &exit) {
		exit = &exitError{exitFailed, err}
	}
	if exit.err != nil {
		fmt.Fprintf(s.err, "tare: %v\n", exit.err)
	}
	return exit.code
}

func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" {
		return "(devel)"
	}
	return info.Main.Version
}
