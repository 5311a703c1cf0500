package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/urfave/cli/v3"
)

// complete writes what may follow: "name:text" lines, which the scripts of
// the library read. A word that begins with a dash is a flag; elsewhere the
// verbs are proposed, and files by the shell.
func complete(_ context.Context, c *cli.Command) {
	w := c.Root().Writer
	word := ""
	if args := c.Args().Slice(); len(args) > 0 {
		word = args[len(args)-1]
	}
	if !strings.HasPrefix(word, "-") {
		for _, v := range c.Commands {
			if !v.Hidden {
				fmt.Fprintf(w, "%s:%s\n", v.Name, v.Usage)
			}
		}
		return
	}
	listed, _ := listedFlags(c)
	for _, f := range listed {
		if strings.HasPrefix(f.name, strings.TrimLeft(word, "-")) {
			fmt.Fprintf(w, "-%s:%s\n", f.name, f.text)
		}
	}
}
