package main

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/tarebench/tare/cmd/tare/internal/build"
	"github.com/tarebench/tare/cmd/tare/internal/lintdriver"
	"github.com/tarebench/tare/cmd/tare/internal/session"
)

// Exit codes, on which scripts rely.
const (
	exitDone      = 0
	exitFailed    = 1
	exitUsage     = 2
	exitFound     = 3
	exitUndecided = 4
)

// exitError ends the command with a code. Err is nil if the output is enough.
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

func asUsage(err error) error {
	if err == nil {
		return nil
	}
	return &exitError{exitUsage, err}
}

// streams are the input and output of a verb: data to out, progress to err.
type streams struct {
	in       io.Reader
	out, err io.Writer
	// host is the machine to measure on.
	host session.Host
	// typed is the command line, for a reader who wants to repeat it.
	typed []string
}

// helpTexts has a text for each verb ([command.describe]). bare.txt is the text of
// tare without arguments.
//
//go:embed help/*.txt
var helpTexts embed.FS

func helpText(name string) string {
	text, _ := helpTexts.ReadFile("help/" + name + ".txt") // empty for a verb that describes itself
	return string(text)
}

func verbs(s streams) (all []*command) {
	group := func(heading string, verbs ...*command) {
		for _, v := range verbs {
			v.heading = heading
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

func verb(s streams, name string, run func(context.Context, streams, *command) error, flags []*option) *command {
	v := &command{name: name, flags: flags, run: func(ctx context.Context, c *command) error { return run(ctx, s, c) }}
	v.describe(helpText(name))
	return v
}

func run(ctx context.Context, host session.Host, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	lintdriver.AnswerVet(args)
	s := streams{in: stdin, out: stdout, err: stderr, host: host, typed: args}
	return s.exit(s.runVerbs(ctx))
}

// command is the command line to record, without the values of secrets.
func (s streams) command() []string {
	var words []string
	for _, word := range s.typed {
		words = append(words, build.HideSecrets(word))
	}
	return words
}

func (s streams) runVerbs(ctx context.Context) error {
	words := s.typed[min(1, len(s.typed)):]
	if len(words) > 0 && strings.TrimLeft(words[0], "-") == "version" {
		words = append([]string{"version"}, words[1:]...)
	}
	root := &command{name: "tare", verbs: append(verbs(s), workerCommand(s), completionCommand(s))}
	root.describe(helpText("tare"))
	root.run = func(context.Context, *command) error {
		_, err := io.WriteString(s.out, helpText("bare"))
		return err
	}
	return root.execute(ctx, words, s.out)
}

func (s streams) exit(err error) int {
	message := err
	if exit, ok := errors.AsType[*exitError](err); ok {
		message = exit.err
	}
	if message != nil {
		s.say("tare: %v", message)
	}
	return codeOf(err)
}

func codeOf(err error) int {
	if exit, ok := errors.AsType[*exitError](err); ok {
		return exit.code
	}
	if err != nil {
		return exitFailed
	}
	return exitDone
}
