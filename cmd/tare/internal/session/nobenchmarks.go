package session

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
)

func (v *sides) noBenchmarks(ctx context.Context, patterns []string) error {
	one := v.list[len(v.list)-1] // the new variant
	where := strings.Join(patterns, " ")
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
	return fmt.Errorf("find %s: no package of %s has any, and none below this directory in this module: name other packages, or run tare in the directory of another module", what, where)
}

func upToThree(names []string) string {
	const most = 3
	switch n := len(names); {
	case n == 1:
		return names[0] + " has some"
	case n > most:
		return fmt.Sprintf("%s and %d more have some", strings.Join(names[:most], ", "), n-most)
	}
	return strings.Join(names, ", ") + " have some"
}
