package bisect

import (
	"context"
	"fmt"
	"go/version"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/mod/semver"

	"github.com/tarebench/tare/cmd/tare/internal/process"
	"github.com/tarebench/tare/cmd/tare/internal/result"
)

// moduleVersions lists the releases of a module from good to bad, as variants of the
// working tree.
func moduleVersions(ctx context.Context, run process.Exec, dir, path, good, bad string) ([]result.Point, error) {
	for _, v := range []string{good, bad} {
		if !semver.IsValid(v) {
			return nil, fmt.Errorf("bisect module %s: %q is not a version such as v1.2.3", path, v)
		}
	}
	if semver.Compare(good, bad) >= 0 {
		return nil, fmt.Errorf("bisect module %s: %s does not come before %s", path, good, bad)
	}
	out, err := run(ctx, dir, "go", "list", "-m", "-versions", path)
	if err != nil {
		return nil, fmt.Errorf("bisect module: %w", err)
	}
	fields := strings.Fields(string(out))
	var points []result.Point
	for _, v := range fields[min(1, len(fields)):] {
		pre := semver.Prerelease(v) != "" && v != good && v != bad
		if !pre && semver.Compare(v, good) >= 0 && semver.Compare(v, bad) <= 0 {
			points = append(points, result.Point{Variant: ".,mod=" + path + "@" + v, Name: v})
		}
	}
	return ends(points, "module "+path, good, bad)
}

// goReleases lists the releases of Go from good to bad ("go1.24.9"), without
// betas and release candidates, as variants of the working tree.
func goReleases(ctx context.Context, run process.Exec, dir, good, bad string) ([]result.Point, error) {
	good, bad = "go"+strings.TrimPrefix(good, "go"), "go"+strings.TrimPrefix(bad, "go")
	for _, v := range []string{good, bad} {
		if !version.IsValid(v) {
			return nil, fmt.Errorf("bisect releases of Go: %q is not a release such as go1.26.1", v)
		}
	}
	if version.Compare(good, bad) >= 0 {
		return nil, fmt.Errorf("bisect releases of Go: %s does not come before %s", good, bad)
	}
	out, err := run(ctx, dir, "go", "list", "-m", "-versions", "golang.org/toolchain")
	if err != nil {
		return nil, fmt.Errorf("bisect releases of Go: %w", err)
	}
	platform := "." + runtime.GOOS + "-" + runtime.GOARCH
	var list []string
	for _, v := range strings.Fields(string(out)) {
		name, ok := strings.CutPrefix(v, "v0.0.1-")
		if !ok {
			continue
		}
		name, ok = strings.CutSuffix(name, platform)
		pre := strings.ContainsAny(strings.TrimPrefix(name, "go"), "abcdefghijklmnopqrstuvwxyz")
		if ok && (!pre || name == good || name == bad) && version.Compare(name, good) >= 0 && version.Compare(name, bad) <= 0 {
			list = append(list, name)
		}
	}
	slices.SortFunc(list, version.Compare)
	var points []result.Point
	for _, v := range list {
		points = append(points, result.Point{Variant: ".,go=" + strings.TrimPrefix(v, "go"), Name: v})
	}
	return ends(points, "releases of Go", good, bad)
}

func ends(points []result.Point, what, good, bad string) ([]result.Point, error) {
	if n := len(points); n < 2 || points[0].Name != good || points[n-1].Name != bad {
		return nil, fmt.Errorf("bisect %s: %s and %s are not both released versions", what, good, bad)
	}
	return points, nil
}
