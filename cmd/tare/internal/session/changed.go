package session

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tarebench/tare/cmd/tare/internal/build"
	"github.com/tarebench/tare/cmd/tare/internal/process"
)

// Change is the comparison that a checkout suggests, for a user who names no
// variants: the working tree against HEAD if it has changes, or else HEAD against
// the commit at which its branch left the main one.
type Change struct {
	Old, New string
	// Packages are patterns of the packages whose test binaries contain a changed
	// directory.
	Packages []string
}

// mostPatterns is the number of packages from which ./... replaces their list.
const mostPatterns = 8

// Suggest finds the change of the checkout that contains dir.
func Suggest(ctx context.Context, dir string) (c Change, err error) {
	git := func(args ...string) (string, error) {
		out, err := process.GitIn(dir)(ctx, nil, args...)
		return strings.TrimSuffix(string(out), "\n"), err
	}
	root, err := git("rev-parse", "--show-toplevel")
	if err != nil {
		return c, errors.New("find changes: this directory is in no git repository: name two variants, such as: tare compare . .,env=GOGC=200")
	}
	head, err := git("rev-parse", "--verify", "HEAD")
	if err != nil {
		return c, errors.New("find changes: this repository has no commit: commit, edit, and compare again")
	}
	untracked, err := git("ls-files", "--others", "--exclude-standard", "--full-name", "-z", "--", ":/")
	if err != nil {
		return c, fmt.Errorf("find changes: %w", err)
	}
	files := process.Names(untracked)
	diff := func(revisions ...string) error {
		changed, err := git(append([]string{"diff", "--no-ext-diff", "--no-textconv", "--ignore-submodules=none", "--name-only", "-z"}, append(revisions, "--", ":/")...)...)
		files = append(files, process.Names(changed)...)
		return err
	}
	c.Old, c.New = "HEAD", build.WorkingTree
	if err = diff("HEAD"); err == nil && len(files) == 0 {
		c.New = "HEAD"
		if c.Old, err = forkPoint(git, head); err == nil {
			err = diff(c.Old, "HEAD")
		}
	}
	if err != nil {
		return c, err
	}
	if dir, err = filepath.Abs(dir); err == nil {
		dir, err = filepath.EvalSymlinks(dir) // as git and go report it
	}
	if err != nil {
		return c, fmt.Errorf("find changes: %w", err)
	}
	for i, f := range files {
		files[i] = filepath.Join(filepath.FromSlash(root), filepath.FromSlash(f))
	}
	c.Packages, err = reached(ctx, dir, files)
	return c, err
}

// forkPoint is the commit at which HEAD left its upstream or the main branch.
func forkPoint(git func(args ...string) (string, error), head string) (string, error) {
	for _, branch := range []string{"@{upstream}", "origin/HEAD", "main", "master"} {
		if base, err := git("merge-base", branch, "HEAD"); err == nil && base != head {
			return git("rev-parse", "--short", base)
		}
	}
	next := "edit, and compare again"
	if _, err := git("rev-parse", "--verify", "--quiet", "HEAD~1"); err == nil {
		next = "name two variants, such as: tare compare HEAD~1 HEAD"
	}
	return "", errors.New("find changes: the checkout has none, and HEAD is on the main branch: " + next)
}

// reached are patterns, relative to dir, of the packages whose test binaries
// contain a package in or above the directory of a file.
func reached(ctx context.Context, dir string, files []string) ([]string, error) {
	all := []string{"./..."}
	out, err := process.Run(ctx, dir, "go", "list", "-e", "-test", "-deps", "-f", "{{if not .Standard}}{{.ImportPath}}\t{{.Dir}}\t{{join .Deps \" \"}}{{end}}", "./...")
	if err != nil {
		return all, nil // the build explains it
	}
	lines := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
	in := make(map[string]string) // import path to directory
	for _, line := range lines {
		if path, rest, ok := strings.Cut(line, "\t"); ok && !strings.Contains(path, " ") {
			in[path], _, _ = strings.Cut(rest, "\t")
		}
	}
	directories := make(map[string]bool)
	for _, d := range in {
		directories[d] = true
	}
	changed := make(map[string]bool)
	for _, f := range files {
		switch filepath.Base(f) {
		case "go.mod", "go.sum", "go.work", "modules.txt":
			return all, nil
		}
		for at := filepath.Dir(f); at != filepath.Dir(at); at = filepath.Dir(at) {
			if directories[at] {
				changed[at] = true
				break
			}
		}
	}
	var patterns []string
	for _, line := range lines {
		fields := strings.Split(line, "\t")
		path, isTest := strings.CutSuffix(fields[0], ".test")
		if len(fields) < 3 || !isTest {
			continue
		}
		if slices.ContainsFunc(strings.Fields(fields[2]), func(dep string) bool { return changed[in[dep]] }) {
			rel, err := filepath.Rel(dir, in[path])
			if err != nil || strings.HasPrefix(rel, "..") {
				continue
			}
			patterns = append(patterns, "./"+filepath.ToSlash(rel))
		}
	}
	switch {
	case len(patterns) == 0:
		return nil, errors.New("find changes: no package with tests contains what changed: name the variants and packages, as in: tare compare HEAD . ./pkg")
	case len(patterns) > mostPatterns:
		return all, nil
	}
	slices.Sort(patterns)
	return slices.Compact(patterns), nil
}
