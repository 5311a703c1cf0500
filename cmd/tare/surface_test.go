package main

import (
	"slices"
	"strings"
	"testing"
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
	var walk func(name string, c *command)
	walk = func(name string, c *command) {
		listed, _ := c.listedFlags()
		var own []string
		for _, f := range listed {
			own = append(own, f.name)
			verbsOf[f.name] = append(verbsOf[f.name], name)
		}
		slots += len(own)
		t.Logf("%-15s %2d  %s", name, len(own), strings.Join(own, " "))
		for _, f := range c.flags {
			if f.hidden && !slices.Contains(append(strings.Fields(goTest), "json"), f.name) {
				t.Errorf("%s accepts -%s and does not list it", name, f.name)
			}
		}
		for _, sub := range c.verbs {
			walk(name+" "+sub.name, sub)
		}
	}
	all := verbs(streams{})
	for _, verb := range all {
		walk(verb.name, verb)
	}
	t.Logf("%d verbs, %d flags, %d names", len(all), slots, len(verbsOf))
	if slots > mostSlots || len(verbsOf) > mostNames {
		t.Errorf("%d flags (at most %d), %d names (at most %d): remove one before you add one", slots, mostSlots, len(verbsOf), mostNames)
	}
}
