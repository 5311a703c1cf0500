package main

import (
	"context"
	"fmt"
	"io"
	"runtime/debug"
	"strings"

	"github.com/urfave/cli/v3"
)

// manCommand is hidden: it is for whoever packages the program.
func manCommand(s streams) *cli.Command {
	v := verb(s, "man", runMan, nil)
	v.Hidden = true
	return v
}

// runMan writes the manual page in the format of man(7): every verb with its
// description and flags, then the exit codes and the environment.
func runMan(_ context.Context, s streams, verb *cli.Command) error {
	c := verb.Root()
	var b strings.Builder
	fmt.Fprintf(&b, ".TH %s 1\n.SH NAME\n%s \\- %s\n", strings.ToUpper(c.Name), c.Name, roff(c.Usage))
	fmt.Fprintf(&b, ".SH SYNOPSIS\n.B %s\n.I VERB\n[flags] [arguments]\n", c.Name)
	for _, v := range c.Commands {
		if !v.Hidden {
			manVerb(&b, v, c.Name+" "+v.Name)
		}
	}
	for _, name := range []string{"exit-status", "environment"} {
		fmt.Fprintf(&b, ".SH %s\n", strings.ToUpper(strings.ReplaceAll(name, "-", " ")))
		manText(&b, helpText(name))
	}
	_, err := io.WriteString(s.out, b.String())
	return err
}

func manVerb(b *strings.Builder, c *cli.Command, name string) {
	fmt.Fprintf(b, ".SH %s\n%s\n.PP\n.B %s\n", strings.ToUpper(roff(name)), roff(c.Usage), roff(synopsis(c, name)))
	if c.Description != "" {
		b.WriteString(".PP\n")
		manText(b, c.Description)
	}
	for _, g := range flagGroups(c) {
		fmt.Fprintf(b, ".SS %s\n", roff(g.heading))
		for _, f := range g.items {
			fmt.Fprintf(b, ".TP\n.B \\-%s", roff(f.name))
			if f.value != "" {
				fmt.Fprintf(b, " \\fI%s\\fR", roff(f.value))
			}
			fmt.Fprintf(b, "\n%s\n", roff(f.text))
		}
	}
	for _, v := range c.Commands {
		manVerb(b, v, name+" "+v.Name)
	}
}

// manText writes paragraphs; indented ones are examples and keep their lines.
func manText(b *strings.Builder, text string) {
	for i, paragraph := range strings.Split(strings.TrimSpace(text), "\n\n") {
		if i > 0 {
			b.WriteString(".PP\n")
		}
		if strings.HasPrefix(paragraph, "   ") {
			fmt.Fprintf(b, ".nf\n%s\n.fi\n", roff(paragraph))
			continue
		}
		b.WriteString(roff(paragraph) + "\n")
	}
}

// roff escapes what begins a request or an escape sequence.
func roff(text string) string {
	lines := strings.Split(strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(text), "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
			lines[i] = `\&` + line
		}
	}
	return strings.Join(lines, "\n")
}

func versionCommand(s streams) *cli.Command { return verb(s, "version", runVersion, nil) }

func runVersion(_ context.Context, s streams, _ *cli.Command) error {
	_, err := fmt.Fprintln(s.out, "tare version "+version())
	return err
}

func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" {
		return "(devel)"
	}
	return info.Main.Version
}
