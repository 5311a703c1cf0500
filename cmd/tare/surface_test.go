package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/urfave/cli/v3"
)

// The surface that a person must hold in the head: at most so many flags in all
// verbs together, and so many names.
const (
	mostSlots = 130
	mostNames = 50
)

// TestSurfaceIsSmall counts the flags that the helps list. A flag that is not
// listed is one of go test, or -json.
func TestSurfaceIsSmall(t *testing.T) {
	verbsOf := make(map[string][]string)
	slots := 0
	var walk func(name string, c *cli.Command)
	walk = func(name string, c *cli.Command) {
		listed, _ := listedFlags(c)
		var own []string
		for _, f := range listed {
			own = append(own, f.name)
			verbsOf[f.name] = append(verbsOf[f.name], name)
		}
		slots += len(own)
		t.Logf("%-15s %2d  %s", name, len(own), strings.Join(own, " "))
		for _, f := range c.Flags {
			if v, ok := f.(cli.VisibleFlag); ok && !v.IsVisible() && !slices.Contains(append(strings.Fields(goTest), "json"), f.Names()[0]) {
				t.Errorf("%s accepts -%s and does not list it", name, f.Names()[0])
			}
		}
		for _, sub := range c.Commands {
			walk(name+" "+sub.Name, sub)
		}
	}
	all := verbs(streams{})
	for _, verb := range all {
		walk(verb.Name, verb)
	}
	t.Logf("%d verbs, %d flags, %d names", len(all), slots, len(verbsOf))
	if slots > mostSlots || len(verbsOf) > mostNames {
		t.Errorf("%d flags (at most %d), %d names (at most %d): remove one before you add one", slots, mostSlots, len(verbsOf), mostNames)
	}
}
