package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/urfave/cli/v3"
)

// TestHelpHasAnExample holds what the README says of every verb's help, and
// that the README names every verb.
func TestHelpHasAnExample(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, verb := range verbs(streams{}) {
		if verb.Hidden {
			continue
		}
		if !strings.Contains(verb.Description, "\nExample: ") || !strings.Contains(verb.Description, "tare "+verb.Name) {
			t.Errorf("the help of %s has no example", verb.Name)
		}
		if !strings.Contains(string(readme), "\ntare "+verb.Name) {
			t.Errorf("the README does not name tare %s", verb.Name)
		}
	}
}

// commandForm is a command of ours as the documents, the helps and the samples
// show it.
var commandForm = regexp.MustCompile("(?:^|[\\s`$(])(?:go run \\./cmd/)?tare ([a-z]+)((?: [^\n`]*)?)")

// TestDocumentsNameFlagsThatExist looks at every command line of ours in the
// documents, the samples and the helps: the verb and each flag are there.
func TestDocumentsNameFlagsThatExist(t *testing.T) {
	texts := make(map[string]string)
	root := filepath.Join("..", "..")
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		if d.IsDir() && (name == "testdata" || path != root && strings.HasPrefix(name, ".")) {
			return fs.SkipDir
		}
		if filepath.Ext(name) != ".md" && !(strings.Contains(path, "samples") && filepath.Ext(name) == ".go") {
			return nil
		}
		text, err := os.ReadFile(path)
		texts[path] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	known := make(map[string][]cli.Flag)
	for _, verb := range verbs(streams{}) {
		known[verb.Name] = verb.Flags
		for _, sub := range verb.Commands {
			known[verb.Name+" "+sub.Name] = sub.Flags
		}
		texts["tare "+verb.Name+" -help"] = verb.Description
	}
	commands := 0
	for where, text := range texts {
		for _, m := range commandForm.FindAllStringSubmatch(text, -1) {
			verb, rest := m[1], strings.Fields(m[2])
			if !slices.ContainsFunc(rest, func(word string) bool { return strings.HasPrefix(word, "-") }) {
				continue // prose, or nothing to look at
			}
			flags, ok := known[verb]
			if !ok {
				continue // "tare takes -x" is prose
			}
			if sub, ok := known[verb+" "+rest[0]]; ok {
				flags = sub
			}
			commands++
			for _, word := range rest {
				name, _, _ := strings.Cut(strings.TrimLeft(word, "-"), "=")
				if word == "--" || word == "-" || strings.ContainsAny(word, "|;&") {
					break // what follows is another command's
				}
				if !strings.HasPrefix(word, "-") || name == "" || name == "help" {
					continue
				}
				if !slices.ContainsFunc(flags, func(f cli.Flag) bool { return slices.Contains(f.Names(), name) }) {
					t.Errorf("%s: tare %s has no flag -%s: %s", where, verb, name, strings.TrimSpace(m[0]))
				}
			}
		}
	}
	if commands < 40 {
		t.Errorf("only %d command lines were found", commands)
	}
}
