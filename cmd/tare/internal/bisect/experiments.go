package bisect

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/tarebench/tare/cmd/tare/internal/process"
	"github.com/tarebench/tare/cmd/tare/internal/result"
)

// experimentsBetween lists the switches (GOEXPERIMENT) that the newer of two Go releases
// has on, and the older one has not: first the older release, then the newer one
// without them, then one switch more at each point. So the first step is the rest
// of the release.
func experimentsBetween(ctx context.Context, run process.Exec, dir, good, bad string) ([]result.Point, error) {
	releases, err := goReleases(ctx, run, dir, good, bad)
	if err != nil {
		return nil, err
	}
	first, last := releases[0], releases[len(releases)-1]
	old, err := experimentsOf(ctx, run, dir, first.Name)
	if err != nil {
		return nil, err
	}
	all, err := experimentsOf(ctx, run, dir, last.Name)
	if err != nil {
		return nil, err
	}
	added := slices.DeleteFunc(all, func(name string) bool { return slices.Contains(old, name) })
	if len(added) == 0 {
		return nil, fmt.Errorf("bisect switches: %s has on the same switches as %s: use -of go", last.Name, first.Name)
	}
	points := []result.Point{first}
	for i := range len(added) + 1 {
		off := make([]string, 0, len(added))
		for _, name := range added[i:] {
			off = append(off, "no"+name)
		}
		p := result.Point{Variant: last.Variant, Name: last.Name, Title: "without its switches"}
		if len(off) > 0 {
			p.Variant += ",env=GOEXPERIMENT=" + strings.Join(off, "\\,")
		}
		if i > 0 {
			p.Name, p.Title = added[i-1], "on by default in "+last.Name
		}
		points = append(points, p)
	}
	return points, nil
}

func experimentsOf(ctx context.Context, run process.Exec, dir, release string) (names []string, err error) {
	out, err := run(ctx, dir, "env", "GOTOOLCHAIN="+release, "GOEXPERIMENT=", "go", "list", "-f", "{{range context.ToolTags}}{{.}} {{end}}", "unsafe")
	if err != nil {
		return nil, fmt.Errorf("list switches of %s: %w", release, err)
	}
	for _, tag := range strings.Fields(string(out)) {
		if name, ok := strings.CutPrefix(tag, "goexperiment."); ok {
			names = append(names, name)
		}
	}
	return names, nil
}
