package main

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"testing"
	"time"
)

// helpProgram is a small program with verbs in groups, one with verbs, and flags
// of every kind.
func helpProgram() *command {
	return &command{
		name: "prog", summary: "does things", description: "More of it.",
		verbs: []*command{
			{
				name: "one", summary: "the first", heading: "Do", arguments: "FILE",
				description: "Does {{one}}.\n\nExample:\n\n   prog one -n 3 .file",
				flags: []*option{
					{name: "name", value: "x", text: "call it `NAME`"},
					{name: "n", value: 0, text: "the number"},
					{name: "v", value: false, text: "report"},
					{name: "wait", value: time.Minute, text: "a long text that does not fit on one line of eighty columns next to the name of the flag"},
					{name: "list", value: []string(nil)},
					{name: "opt", value: false},
					{name: "secret", value: false, hidden: true},
				},
			},
			{name: "two", summary: "the second", heading: "Do", flags: []*option{{name: "store", value: "git"}}, verbs: []*command{{name: "part", summary: "of it"}}},
			{name: "hidden", hidden: true},
		},
	}
}

func TestHelp(t *testing.T) {
	for typed, want := range map[string]string{
		"-help": `prog: does things

usage: prog VERB [flags] [arguments]

Do:
  one               the first
  two               the second

More of it.
`,
		"one -help": `prog one: the first

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
  -list LIST
  -opt
`,
		"help two": "prog two: the second\n\nusage: prog two [flags]\n\nVerbs:\n  part              of it\n\nFlags:\n  -store STORE      (default: git)\n",
	} {
		var out bytes.Buffer
		if err := helpProgram().execute(context.Background(), strings.Fields(typed), &out); err != nil {
			t.Fatal(err)
		}
		if out.String() != want {
			t.Errorf("prog %s:\n%s\nwant\n%s", typed, out.String(), want)
		}
	}
}

// TestFlagsStandAnywhere parses every kind of flag before, between and after
// arguments, and leaves what follows "--" alone.
func TestFlagsStandAnywhere(t *testing.T) {
	root := helpProgram()
	c, words := root.find(strings.Fields("one --n 3 a -list x,y -v b -list=z -opt c -name=q -wait 5s - -- -n d -- e"))
	if err := c.parse(words); err != nil {
		t.Fatal(err)
	}
	args, after := c.split()
	if !slices.Equal(args, []string{"a", "b", "c", "-"}) || !slices.Equal(after, []string{"-n", "d", "--", "e"}) {
		t.Errorf("arguments %q, after -- %q", args, after)
	}
	if c.number("n") != 3 || !slices.Equal(c.texts("list"), []string{"x,y", "z"}) || !c.is("v") || !c.is("opt") || c.text("name") != "q" || c.duration("wait") != 5*time.Second {
		t.Errorf("flags: %d, %q, %t, %t, %q, %v", c.number("n"), c.texts("list"), c.is("v"), c.is("opt"), c.text("name"), c.duration("wait"))
	}
	if got := c.given(); !slices.Equal(got, []string{"list", "n", "name", "opt", "v", "wait"}) || c.isGiven("secret") {
		t.Errorf("given: %q", got)
	}
	part, words := root.find(strings.Fields("two part -store x y"))
	if err := part.parse(words); err != nil || part.path() != "prog two part" || part.text("store") != "x" || !slices.Equal(part.args, []string{"y"}) {
		t.Errorf("%s: %v, store %q, arguments %q", part.path(), err, part.text("store"), part.args)
	}
}

func TestComplete(t *testing.T) {
	for typed, want := range map[string]string{
		"":           "one two",
		"on":         "one two",
		"one -":      "-name -n -v -wait -list -opt -help",
		"one x -n":   "-name -n",
		"one --w":    "-wait",
		"two ":       "part",
		"two part -": "-help",
		"one ":       "",
	} {
		var out bytes.Buffer
		if err := helpProgram().execute(context.Background(), append(strings.Split(typed, " "), completionMark), &out); err != nil {
			t.Fatal(err)
		}
		var got []string
		for line := range strings.Lines(out.String()) {
			name, _, _ := strings.Cut(strings.TrimSpace(line), ":")
			got = append(got, name)
		}
		if have := strings.Join(got, " "); have != want {
			t.Errorf("%q completes to %q, want %q", typed, have, want)
		}
	}
}
