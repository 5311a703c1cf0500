package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/urfave/cli/v3"
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

// groupFlags puts flags under a heading of the help. Flags without a group come
// first.
func groupFlags(heading string, flags ...cli.Flag) []cli.Flag {
	for _, f := range flags {
		if g, ok := f.(cli.CategorizableFlag); ok {
			g.SetCategory(heading)
		}
	}
	return flags
}

// installHelp gives a program, its verbs and their verbs their help, their
// completion, and suggestions for unknown flags. The error of a command line
// passes through mark.
func installHelp(root *cli.Command, mark func(error) error) {
	root.CustomRootCommandHelpTemplate = helpTemplate
	asIs := *root // without what cli adds
	root.Metadata = map[string]any{"help": help(func() string { return rootHelp(&asIs) })}
	root.ShellComplete = complete
	root.OnUsageError = func(_ context.Context, c *cli.Command, err error, _ bool) error { return mark(unknownFlag(c, err)) }
	for _, verb := range root.Commands {
		installVerb(verb, root.Name, root.OnUsageError)
	}
}

func installVerb(c *cli.Command, parent string, onError cli.OnUsageErrorFunc) {
	name := parent + " " + c.Name
	c.CustomHelpTemplate = helpTemplate
	asIs := *c
	c.Metadata = map[string]any{"help": help(func() string { return verbHelp(&asIs, name) })}
	c.ShellComplete = complete
	c.OnUsageError = onError
	for _, verb := range c.Commands {
		installVerb(verb, name, onError)
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

// verbHelp is the help of a verb: what it does, examples, and its flags by group.
func verbHelp(c *cli.Command, name string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n\nusage: %s\n", name, c.Usage, synopsis(c, name))
	if c.Description != "" {
		fmt.Fprintf(&b, "\n%s\n", strings.TrimSpace(c.Description))
	}
	if len(c.Commands) > 0 {
		b.WriteString("\nVerbs:\n")
		writeVerbs(&b, c.Commands)
	}
	for _, g := range flagGroups(c) {
		fmt.Fprintf(&b, "\n%s:\n", g.heading)
		for _, f := range g.items {
			writeItem(&b, f.head(), f.text)
		}
	}
	return b.String()
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

// flagGroups are the visible flags of a verb.
func flagGroups(c *cli.Command) []group[item] {
	var flags []cli.Flag
	for _, f := range c.Flags {
		if v, ok := f.(cli.VisibleFlag); !ok || v.IsVisible() {
			flags = append(flags, f)
		}
	}
	var list []group[item]
	for _, g := range groups(flags, categoryOf) {
		h := group[item]{heading: g.heading}
		if h.heading == "" {
			h.heading = "Flags"
		}
		for _, f := range g.items {
			h.items = append(h.items, read(f))
		}
		list = append(list, h)
	}
	return list
}

func categoryOf(f cli.Flag) string {
	if g, ok := f.(cli.CategorizableFlag); ok {
		return g.GetCategory()
	}
	return ""
}
