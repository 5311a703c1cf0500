package session

import (
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/tarebench/tare/cmd/tare/internal/build"
	"github.com/tarebench/tare/cmd/tare/internal/process"
)

type program struct {
	words []string
	dir   string
	// name is the same in all variants. Without one it is the name of the binary.
	name string
}

// programs are the programs of the variants, all nil for benchmarks.
func (s Spec) programs() ([]*program, error) {
	all := make([]*program, len(s.Variants))
	if len(s.Exec) == 0 {
		return all, nil
	}
	dir, err := filepath.Abs(s.Dir)
	if err != nil {
		return nil, fmt.Errorf("find working directory: %w", err)
	}
	for i, v := range s.Variants {
		words, err := process.Split(s.Exec[min(i, len(s.Exec)-1)])
		if err != nil {
			return nil, err
		}
		p := &program{words: words, dir: dir}
		switch {
		case len(s.Exec) > 1:
			p.words[0], p.name = v.Bin, strings.TrimSuffix(filepath.Base(s.Variants[0].Bin), ".exe")
		case v.Bin != "":
			p.name = "program"
		}
		all[i] = p
	}
	return all, nil
}

func (s *side) runsAsIs() bool { return s.program != nil && s.Spec.Bin != "" }

// CommandVariants are the variants of a comparison of commands, which run as
// they are.
func CommandVariants(commands []string) (all []build.Spec, err error) {
	for _, text := range commands {
		words, err := process.Split(text)
		if err != nil {
			return nil, err
		}
		path, err := exec.LookPath(words[0])
		if err == nil {
			path, err = filepath.Abs(path)
		}
		if err != nil {
			return nil, err
		}
		all = append(all, build.Spec{Label: text, Bin: path})
	}
	return all, nil
}

// CheckExec returns an error if a specification cannot time programs.
func (s Spec) CheckExec() error {
	if len(s.Exec) == 0 {
		return nil
	}
	for _, text := range s.Exec {
		if _, err := process.Split(text); err != nil {
			return fmt.Errorf("flag -exec: %w", err)
		}
	}
	if len(s.Exec) == 1 && !strings.Contains(s.Exec[0], "$BIN") {
		return errors.New("flag -exec: the command has no $BIN (the variant's program): add it, or compare two commands with -exec A -exec B")
	}
	for _, f := range []struct {
		name string
		set  bool
	}{
		{"-units", len(s.Units) > 0 && !(len(s.Units) == 1 && s.Timed()) || s.Instructions},
		{"-explain", s.Explain}, {"-audit", s.Audit}, {"-split", s.Split}, {"-on", len(s.On) > 0}, {"-shard", s.Part != nil},
		{"a profile", len(s.Profiles) > 0}, {"-benchtime", s.Iterations > 0}, {"arguments after --", len(s.Args) > 0},
	} {
		if f.set {
			return fmt.Errorf("flag -exec: programs are timed whole, but %s is for benchmarks: remove one of them", f.name)
		}
	}
	return nil
}
