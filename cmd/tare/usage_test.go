package main

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"

	"github.com/urfave/cli/v3"
)

// helpProgram is a small one with what there is: verbs in groups, one with verbs of
// its own, flags of every kind.
func helpProgram(out *bytes.Buffer) *cli.Command {
	return &cli.Command{
		Name: "prog", Usage: "does things", Writer: out, EnableShellCompletion: true,
		Description: "More of it.",
		Commands: []*cli.Command{
			{
				Name: "one", Usage: "the first", Category: "Do", ArgsUsage: "FILE",
				Description: "Does {{one}}.\n\nExample:\n\n   prog one -n 3 .file",
				Flags: []cli.Flag{
					&cli.StringFlag{Name: "name", Value: "x", Usage: "call it `NAME`"},
					&cli.IntFlag{Name: "n", Usage: "the number"},
					&cli.BoolFlag{Name: "v", Usage: "report"},
					&cli.DurationFlag{Name: "wait", Value: time.Minute, Usage: "a long text that does not fit on one line of eighty columns next to the name of the flag"},
					&cli.BoolFlag{Name: "secret", Hidden: true},
				},
			},
			{Name: "two", Usage: "the second", Commands: []*cli.Command{{Name: "part", Usage: "of it"}}},
			{Name: "hidden", Hidden: true},
		},
	}
}

func TestHelp(t *testing.T) {
	for _, test := range []struct {
		args []string
		want string
	}{
		{[]string{"-help"}, `prog: does things

usage: prog VERB [flags] [arguments]

Verbs:
  two               the second

Do:
  one               the first

More of it.
`},
		{[]string{"one", "-help"}, `prog one: the first

usage: prog one [flags] FILE

Does {{one}}.

Example:

   prog one -n 3 .file

Flags:
  -name NAME        call it NAME (default: x)
  -n N              the number
  -v                report
  -wait DURATION    a long text that does not fit on one line of eighty columns
                    next to the name of the flag (default: 1m0s)
`},
		{[]string{"help", "two"}, "prog two: the second\n\nusage: prog two\n\nVerbs:\n  part              of it\n"},
	} {
		var out bytes.Buffer
		root := helpProgram(&out)
		installHelp(root, false, func(err error) error { return err })
		if err := root.Run(context.Background(), append([]string{"prog"}, test.args...)); err != nil {
			t.Fatal(err)
		}
		if out.String() != test.want {
			t.Errorf("prog %s:\n%s\nwant\n%s", strings.Join(test.args, " "), out.String(), test.want)
		}
	}
}

func TestComplete(t *testing.T) {
	for typed, want := range map[string]string{
		"":        "two one help",
		"one -":   "-name -n -v -wait -help",
		"one -n":  "-name -n",
		"one --w": "-wait",
		"two":     "part help",
		"one":     "help",
	} {
		var out bytes.Buffer
		root := helpProgram(&out)
		installHelp(root, false, func(err error) error { return err })
		args := append(append([]string{"prog"}, strings.Fields(typed)...), "--generate-shell-completion")
		if err := root.Run(context.Background(), args); err != nil {
			t.Fatal(err)
		}
		var got []string
		for line := range strings.Lines(out.String()) {
			name, _, _ := strings.Cut(strings.TrimSpace(line), ":")
			got = append(got, name)
		}
		if have, want := strings.Fields(strings.Join(got, " ")), strings.Fields(want); !equalSets(have, want) {
			t.Errorf("%q completes to %q, want %q", typed, have, want)
		}
	}
}

func equalSets(a, b []string) bool {
	seen := make(map[string]int)
	for _, s := range a {
		seen[s]++
	}
	for _, s := range b {
		seen[s]--
	}
	for _, n := range seen {
		if n != 0 {
			return false
		}
	}
	return true
}
