package main

import (
	"flag"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/tarebench/tare/cmd/tare/internal/words"
)

// width is the width of the help, in columns.
const width = 80

// describe sets the texts of a command: a line of summary, a line of arguments
// (which may be empty), an empty line, and the description.
func (c *command) describe(text string) {
	summary, rest, _ := strings.Cut(text, "\n")
	arguments, description, _ := strings.Cut(rest, "\n")
	c.summary, c.arguments, c.description = summary, arguments, strings.TrimSpace(description)
}

// help returns the text of -help. If all is set, it has every flag and example.
func (c *command) help(all bool) string {
	if c.parent == nil {
		return rootHelp(c)
	}
	return verbHelp(c, all)
}

func rootHelp(c *command) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n\nusage: %s VERB [flags] [arguments]\n", c.name, c.summary, c.name)
	var headings []string
	for _, v := range c.verbs {
		if v.hidden || slices.Contains(headings, v.heading) {
			continue
		}
		headings = append(headings, v.heading)
		fmt.Fprintf(&b, "\n%s:\n", v.heading)
		writeVerbs(&b, slices.DeleteFunc(slices.Clone(c.verbs), func(o *command) bool { return o.heading != v.heading }))
	}
	if c.description != "" {
		fmt.Fprintf(&b, "\n%s\n", strings.TrimSpace(c.description))
	}
	return b.String()
}

const shown = 10

func verbHelp(c *command, all bool) string {
	var b strings.Builder
	name := c.path()
	synopsis := name
	if len(c.flags) > 0 {
		synopsis += " [flags]"
	}
	if c.arguments != "" {
		synopsis += " " + c.arguments
	}
	fmt.Fprintf(&b, "%s: %s\n\nusage: %s\n", name, c.summary, synopsis)
	description, more := strings.TrimSpace(c.description), 0
	if !all {
		description, more = oneExample(description)
	}
	if description != "" {
		fmt.Fprintf(&b, "\n%s\n", description)
	}
	if len(c.verbs) > 0 {
		b.WriteString("\nVerbs:\n")
		writeVerbs(&b, c.verbs)
	}
	listed, accepted := c.listedFlags()
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

func writeVerbs(b *strings.Builder, verbs []*command) {
	for _, v := range verbs {
		if !v.hidden {
			writeItem(b, v.name, v.summary)
		}
	}
}

// column is the column at which the text of an item begins.
const column = 20

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

type item struct {
	name, value, text string
}

func (i item) head() string {
	if i.value == "" {
		return "-" + i.name
	}
	return "-" + i.name + " " + i.value
}

// item returns the flag for the help. The word in backquotes in its text names
// its value.
func (o *option) item() item {
	i := item{name: o.name, text: o.text}
	if before, rest, ok := strings.Cut(i.text, "`"); ok {
		if name, after, ok := strings.Cut(rest, "`"); ok {
			i.value, i.text = name, before+name+after
		}
	}
	if i.value == "" {
		switch o.value.(type) {
		case bool, flag.Getter:
		case int, uint64:
			i.value = "N"
		case time.Duration:
			i.value = "DURATION"
		default:
			i.value = strings.ToUpper(i.name)
		}
	}
	if text := fmt.Sprint(o.value); !o.hideDefault && !slices.Contains([]string{"", "0", "0s", "false", "[]"}, text) && !strings.Contains(i.text, "(default") {
		i.text += " (default: " + text + ")"
	}
	return i
}

// listedFlags returns the flags in the help of a verb, and the names of the
// flags of go test that it also accepts.
func (c *command) listedFlags() (listed []item, accepted []string) {
	for _, o := range c.flags {
		if !o.hidden {
			listed = append(listed, o.item())
		} else if slices.Contains(strings.Fields(goTest), o.name) {
			accepted = append(accepted, o.name)
		}
	}
	return listed, accepted
}
