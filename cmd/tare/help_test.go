package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestHelpHasAnExample holds what the README says of every verb's help, and
// that the README names every verb.
func TestHelpHasAnExample(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, verb := range verbs(streams{}) {
		if verb.hidden {
			continue
		}
		if !strings.Contains(verb.description, "\nExample: ") || !strings.Contains(verb.description, "tare "+verb.name) {
			t.Errorf("the help of %s has no example", verb.name)
		}
		if !strings.Contains(string(readme), "\ntare "+verb.name) {
			t.Errorf("the README does not name tare %s", verb.name)
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
	known := make(map[string][]*option)
	for _, verb := range verbs(streams{}) {
		known[verb.name] = verb.flags
		for _, sub := range verb.verbs {
			known[verb.name+" "+sub.name] = sub.flags
		}
		texts["tare "+verb.name+" -help"] = verb.description
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
				if !slices.ContainsFunc(flags, func(o *option) bool { return o.name == name }) {
					t.Errorf("%s: tare %s has no flag -%s: %s", where, verb, name, strings.TrimSpace(m[0]))
				}
			}
		}
	}
	if commands < 40 {
		t.Errorf("only %d command lines were found", commands)
	}
}
