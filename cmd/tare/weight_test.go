package main

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// TestWeight: how many packages a user compiles, none that speaks to a network,
// and no template, which looks methods up by name, so that the linker keeps
// every exported method.
func TestWeight(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	packages := strings.Fields(string(out))
	if most := 256; len(packages) > most {
		t.Errorf("%d packages, at most %d: go list -deps names them", len(packages), most)
	}
	for _, heavy := range []string{"net", "net/http", "crypto/tls", "image/png", "database/sql", "html/template", "text/template", "golang.org/x/text/unicode/norm"} {
		if slices.Contains(packages, heavy) {
			t.Errorf("%s is compiled into the command", heavy)
		}
	}
}
