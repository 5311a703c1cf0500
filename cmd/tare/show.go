package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tarebench/tare/cmd/tare/internal/bisect"
	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/session"
)

func showCommand(s streams) *command {
	return verb(s, "show", runShow, flags("bench gate format json o v keep", reportFormat(true)...))
}

func runShow(_ context.Context, s streams, c *command) error {
	if c.isGiven("keep") {
		return keepStudies(s, c)
	}
	match, err := result.MatchNames(c.text("bench"))
	if err != nil {
		return usagef("flag -bench: %v", err)
	}
	to, err := readDestination(c, true)
	if err != nil {
		return err
	}
	files := c.args
	if len(files) == 0 {
		latest, err := session.Latest(".")
		if err != nil {
			return asUsage(err)
		}
		files = []string{latest}
	}
	if err := notInput(to.file, files); err != nil {
		return err
	}
	if i := slices.IndexFunc(files, bisect.Is); i >= 0 {
		return usagef("show %s: it is a bisection: its line with -resume %s shows the answer, tare show %s one comparison", files[i], files[i], filepath.Join(files[i], "001"))
	}
	merged, gate := "", readGate(c)
	if len(files) > 1 || len(gate) > 0 {
		if merged, err = session.MergeParts(".", files, s.command()); err != nil {
			return err
		}
	}
	switch {
	case merged != "":
		files = []string{merged}
	case len(gate) > 0:
		return usagef("flag -gate is for parts of a comparison, and %s is not one: tare stat -gate FILE… judges files", files[0])
	case to.format == "text":
		to.format = "distribution"
	}
	o := statOptions{files: session.FileDefaults(), match: match}
	o.files.Gate = gate
	d, err := readDocument(s, files, o)
	if err != nil {
		return err
	}
	var exit error
	if merged != "" {
		exit = comparisonExit(s, *d.Comparison, false, len(gate) > 0)
	}
	d.Exit = codeOf(exit)
	if err := to.write(s, d); err != nil {
		return err
	}
	return exit
}

func notInput(file string, inputs []string) error {
	written, err := os.Stat(file)
	if err != nil {
		return nil // there is no such file, or no -o
	}
	for _, input := range inputs {
		_, labelled, _ := strings.Cut(input, "=")
		for _, name := range []string{input, filepath.Join(input, "result.jsonl"), labelled} {
			if read, err := os.Stat(name); err == nil && os.SameFile(read, written) {
				return usagef("flag -o: %s is a file to read: it would be lost", file)
			}
		}
	}
	return nil
}

func keepStudies(s streams, c *command) error {
	if len(c.args) > 0 || c.number("keep") < 0 {
		return usagef("flag -keep: it removes all studies but the newest N: tare show -keep 5")
	}
	removed, err := session.Keep(".", c.number("keep"), "")
	fmt.Fprintf(s.out, "studies removed: %d\n", removed)
	return err
}
