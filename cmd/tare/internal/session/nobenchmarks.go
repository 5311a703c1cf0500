package session

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tarebench/tare/cmd/tare/internal/file"
	"github.com/tarebench/tare/cmd/tare/internal/words"
)

func (v *sides) noBenchmarks(ctx context.Context, spec Spec) error {
	one := v.list[len(v.list)-1] // the new variant
	where := strings.Join(spec.Packages, " ")
	var have []string
	packages, err := one.Packages(ctx, "./...")
	if err == nil {
		for _, p := range packages {
			if rel, err := filepath.Rel(one.Dir, p.Dir); err == nil && p.Benchmarks {
				have = append(have, strings.TrimSuffix("./"+filepath.ToSlash(rel), "/."))
			}
		}
	}
	what := "benchmarks"
	if v.builder.Programs {
		what = "programs"
	}
	if len(have) > 0 {
		return fmt.Errorf("find %s: no package of %s has any, but %s: name these, or use ./... for all", what, where, upToThree(have))
	}
	err = fmt.Errorf("find %s: no package of %s has any, and none below this directory in this module: name other packages", what, where)
	if below := v.below(spec); below != "" {
		return fmt.Errorf("%w, or %s", err, below)
	}
	return fmt.Errorf("%w, or run tare in the directory of another module", err)
}

const mostNamed = 3

// below is advice to run the command in a module below the directory, with a line
// for each of the first. It is empty if there is none.
func (v *sides) below(spec Spec) string {
	command := []string{"tare", "run"}
	if len(spec.Variants) > 1 {
		command[1] = "compare"
		for _, variant := range spec.Variants[:2] {
			command = append(command, variant.Label)
		}
	}
	for _, program := range spec.Exec {
		command = append(command, "-exec", program)
	}
	var lines []string
	root := v.list[len(v.list)-1].Dir
	for _, name := range file.Below(root, "go.mod") {
		if dir, err := filepath.Rel(root, filepath.Dir(name)); err == nil && dir != "." {
			lines = append(lines, "cd "+words.Shell([]string{filepath.ToSlash(dir)})+" && "+words.Shell(append(slices.Clone(command), "./...")))
		}
	}
	if len(lines) == 0 {
		return ""
	}
	if more := len(lines) - mostNamed; more > 0 {
		lines = append(lines[:mostNamed], fmt.Sprintf("and %d more", more))
	}
	return "go to a module below:\n" + strings.Join(lines, "\n")
}

// noModule adds to an error of the go command, which found no module, those below
// the directory.
func (v *sides) noModule(err error, spec Spec) error {
	if text := err.Error(); !strings.Contains(text, "main module") && !strings.Contains(text, "go.mod file not found") {
		return err
	}
	if below := v.below(spec); below != "" {
		return fmt.Errorf("%w\n%s", err, below)
	}
	return err
}

func upToThree(names []string) string {
	if len(names) == 1 {
		return names[0] + " has some"
	}
	return words.List(names) + " have some"
}
