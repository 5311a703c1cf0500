package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/tarebench/tare/cmd/tare/internal/words"
)

// width is that of the help, in columns.
const width = 80

// describe gives a command its text: a line that sums it up, a line of its
// arguments (which may be empty), an empty line, and the description.
func describe(c *cli.Command, text string) {
	summary, rest, _ := strings.Cut(text, "\n")
	arguments, description, _ := strings.Cut(rest, "\n")
	c.Usage, c.ArgsUsage, c.Description = summary, arguments, strings.TrimSpace(description)
}

// installHelp gives a program, its verbs and their verbs their help, their
// completion, and suggestions for unknown flags. With all, the help of a verb
// has every flag and example. The error of a command line passes through mark.
func installHelp(root *cli.Command, all bool, mark func(error) error) {
	root.CustomRootCommandHelpTemplate = helpTemplate
	asIs := *root // without what cli adds
	root.Metadata = map[string]any{"help": help(func() string { return rootHelp(&asIs) })}
	root.ShellComplete = complete
	root.OnUsageError = func(_ context.Context, c *cli.Command, err error, _ bool) error { return mark(unknownFlag(c, err)) }
	for _, verb := range root.Commands {
		installVerb(verb, root.Name, all, root.OnUsageError)
	}
}

func installVerb(c *cli.Command, parent string, all bool, onError cli.OnUsageErrorFunc) {
	name := parent + " " + c.Name
	c.CustomHelpTemplate = helpTemplate
	asIs := *c
	c.Metadata = map[string]any{"help": help(func() string { return verbHelp(&asIs, name, all) })}
	c.ShellComplete = complete
	c.OnUsageError = onError
	for _, verb := range c.Commands {
		installVerb(verb, name, all, onError)
	}
}

// helpTemplate writes the help of a command, which is made when it is asked for.
const helpTemplate = `{{index .Metadata "help"}}`

// help makes the help of a command.
type help func() string

func (h help) String() string { return h() }

// rootHelp is the help of a program: its verbs by group.
func rootHelp(c *cli.Command) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n\nusage: %s VERB [flags] [arguments]\n", c.Name, c.Usage, c.Name)
	for _, g := range groups(c.Commands, func(v *cli.Command) string { return v.Category }) {
		heading := g.heading
		if heading == "" {
			heading = "Verbs"
		}
		fmt.Fprintf(&b, "\n%s:\n", heading)
		writeVerbs(&b, g.items)
	}
	if c.Description != "" {
		fmt.Fprintf(&b, "\n%s\n", strings.TrimSpace(c.Description))
	}
	return b.String()
}

// shown is how many flags the help of a verb has.
const shown = 10

// verbHelp is the help of a verb: what it does, an example, and the flags that
// matter most; with all, everything.
func verbHelp(c *cli.Command, name string, all bool) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n\nusage: %s\n", name, c.Usage, synopsis(c, name))
	description, more := strings.TrimSpace(c.Description), 0
	if !all {
		description, more = oneExample(description)
	}
	if description != "" {
		fmt.Fprintf(&b, "\n%s\n", description)
	}
	if len(c.Commands) > 0 {
		b.WriteString("\nVerbs:\n")
		writeVerbs(&b, c.Commands)
	}
	listed, accepted := listedFlags(c)
	if len(listed) > 0 {
		b.WriteString("\nFlags:\n")
	}
	for i, f := range listed {
		if i >= shown && !all {
			break
		}
		writeItem(&b, f.head(), f.text)
	}
	switch rest := len(listed) - shown; {
	case !all && rest > 0:
		fmt.Fprintf(&b, "\n%s -help -all: %s, and more examples.\n", name, words.Plural(rest, "more flag"))
	case !all && more > 0:
		fmt.Fprintf(&b, "\n%s -help -all: more examples.\n", name)
	case len(accepted) > 0 && all:
		b.WriteString("\nAccepted, as in go test:\n")
		writeItem(&b, "", "-"+strings.Join(accepted, " -"))
	}
	return b.String()
}

// oneExample cuts a description after its first example and counts the others.
func oneExample(text string) (string, int) {
	const mark = "\nExample: "
	first := strings.Index(text, mark)
	if first < 0 {
		return text, 0
	}
	second := strings.Index(text[first+1:], mark)
	if second < 0 {
		return text, 0
	}
	end := first + 1 + second
	return strings.TrimSpace(text[:end]), strings.Count(text[end:], mark)
}

func synopsis(c *cli.Command, name string) string {
	words := []string{name}
	if len(c.Flags) > 0 {
		words = append(words, "[flags]")
	}
	if c.ArgsUsage != "" {
		words = append(words, c.ArgsUsage)
	}
	return strings.Join(words, " ")
}

func writeVerbs(b *strings.Builder, verbs []*cli.Command) {
	for _, v := range verbs {
		if !v.Hidden {
			writeItem(b, v.Name, v.Usage)
		}
	}
}

// column is where the text of an item begins.
const column = 20

// writeItem writes a name and the text next to it, or below it when the name is
// long.
func writeItem(b *strings.Builder, head, text string) {
	line := "  " + head
	if len(line) > column-2 {
		b.WriteString(line + "\n")
		line = ""
	}
	for _, word := range strings.Fields(text) {
		switch n := len([]rune(line)); {
		case n < column:
			line += strings.Repeat(" ", column-n) + word
		case n+1+len([]rune(word)) > width:
			b.WriteString(line + "\n")
			line = strings.Repeat(" ", column) + word
		default:
			line += " " + word
		}
	}
	b.WriteString(line + "\n")
}

// item is a flag as a reader sees it.
type item struct {
	name, value, text string
}

// head is the flag as it is typed: "-o FILE".
func (i item) head() string {
	if i.value == "" {
		return "-" + i.name
	}
	return "-" + i.name + " " + i.value
}

// read reads a flag: the word in backquotes of its text names its value.
func read(f cli.Flag) item {
	i := item{name: f.Names()[0]}
	d, ok := f.(cli.DocGenerationFlag)
	if !ok {
		return i
	}
	i.text = d.GetUsage()
	if before, rest, ok := strings.Cut(i.text, "`"); ok {
		if name, after, ok := strings.Cut(rest, "`"); ok {
			i.value, i.text = name, before+name+after
		}
	}
	if d.TakesValue() && i.value == "" {
		i.value = map[string]string{"int": "N", "uint": "N", "duration": "DURATION"}[d.TypeName()]
		if i.value == "" {
			i.value = strings.ToUpper(i.name)
		}
	}
	switch value := d.GetValue(); {
	case !d.IsDefaultVisible(), value == "", value == `""`, value == "0", value == "0s", value == "false", value == "[]":
	case !strings.Contains(i.text, "(default"):
		i.text += fmt.Sprintf(" (default: %s)", strings.Trim(value, `"`))
	}
	return i
}

// group are things under one heading.
type group[T any] struct {
	heading string
	items   []T
}

// groups sorts things by their headings, in the order in which the headings
// appear; those without one come first.
func groups[T any](all []T, heading func(T) string) []group[T] {
	list := []group[T]{{}}
	for _, one := range all {
		at := -1
		for i := range list {
			if list[i].heading == heading(one) {
				at = i
			}
		}
		if at < 0 {
			at, list = len(list), append(list, group[T]{heading: heading(one)})
		}
		list[at].items = append(list[at].items, one)
	}
	if len(list[0].items) == 0 {
		return list[1:]
	}
	return list
}

// listedFlags are the flags of a verb that its help lists, and the names of
// those of go test that it accepts beside them.
func listedFlags(c *cli.Command) (listed []item, accepted []string) {
	for _, f := range c.Flags {
		if v, ok := f.(cli.VisibleFlag); !ok || v.IsVisible() {
			listed = append(listed, read(f))
		} else if name := f.Names()[0]; slices.Contains(strings.Fields(goTest), name) {
			accepted = append(accepted, name)
		}
	}
	return listed, accepted
}
