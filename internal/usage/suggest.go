package usage

import (
	"fmt"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/tarebench/tare/internal/nearest"
)

// UnknownVerb is the error of a word that is no verb of a command.
func UnknownVerb(c *cli.Command, typed string) error {
	var names []string
	for _, v := range c.Commands {
		names = append(names, v.Names()...)
	}
	return fmt.Errorf("unknown verb %q%s; see %s -help", typed, nearest.Hint(typed, names, c.FullName()+" "), c.FullName())
}

// unknownFlag adds to the error of a flag that a command does not have the flag
// that is meant.
func unknownFlag(c *cli.Command, err error) error {
	_, typed, ok := strings.Cut(err.Error(), "flag provided but not defined: -")
	if !ok {
		return err
	}
	typed = strings.TrimLeft(typed, "-")
	var names []string
	for _, f := range c.Flags {
		names = append(names, f.Names()...)
	}
	return fmt.Errorf("unknown flag -%s%s; see %s -help", typed, nearest.Hint(typed, names, "-"), c.FullName())
}
