package build

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tarebench/tare/cmd/tare/internal/words"
)

// Check reports the first thing that a specification names and that is not there:
// a revision, a kept binary, or the directory of a package pattern. It takes
// milliseconds and builds nothing, so a typing error needs no lock of the
// machine.
func Check(ctx context.Context, dir string, specs []Spec, patterns []string) error {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return fmt.Errorf("find directory: %w", err)
	}
	b := &Builder{dir: dir, Exec: executor(drainDelay)}
	commits := []string{WorkingTree}
	for _, spec := range specs {
		if spec.Bin != "" && !exists(absolute(dir, spec.Bin)) {
			return (&Variant{Spec: spec, builder: b}).openKept()
		}
		for _, revision := range []string{spec.Revision, spec.Tests} {
			if revision == "" || revision == WorkingTree {
				continue
			}
			at, err := b.resolve(ctx, Spec{Label: spec.Label, Revision: revision})
			if err != nil {
				return err
			}
			commits = append(commits, at.commit)
		}
	}
	for _, pattern := range patterns {
		folder := strings.TrimSuffix(pattern, "/...")
		there := func(commit string) bool {
			if commit == WorkingTree {
				return exists(filepath.Join(dir, folder))
			}
			_, _, err := b.git(ctx, dir, nil, "cat-file", "-e", commit+":./"+filepath.ToSlash(folder))
			return err == nil
		}
		if strings.HasPrefix(pattern, "./") && !slices.ContainsFunc(commits, there) {
			return fmt.Errorf("find benchmarks: no directory %s", folder)
		}
	}
	return nil
}

// location is a commit in a checkout: the root of the checkout, the path of the
// builder's directory below it, and the common directory of git. Paths have the
// case of the disk. The typed ones may have another on a file system that ignores
// case.
type location struct{ root, prefix, common, commit string }

func (b *Builder) resolve(ctx context.Context, spec Spec) (r location, err error) {
	places, output, err := b.git(ctx, b.dir, nil, "rev-parse", "--path-format=absolute", "--show-toplevel", "--git-common-dir", "--is-shallow-repository", "--show-prefix")
	if err != nil {
		hint := ""
		if strings.Contains(output, "not a git repository") {
			hint = "a revision needs git: without it, compare . (the files as they are) with bin=FILE (a kept test binary), or two .,tags= or .,flags= of the same files"
		} else if strings.Contains(output, "work tree") {
			hint = "this is a bare clone: run tare in a clone with files, or in a git worktree"
		}
		return r, fail(spec, "find revision", output, err, hint)
	}
	lines := strings.Split(places, "\n")
	if len(lines) == 3 {
		lines = append(lines, "") // the root of the repository
	}
	if len(lines) != 4 {
		return r, fail(spec, "find revision", "git rev-parse printed "+places, errors.New("unexpected output"), "tare needs git 2.31 or newer")
	}
	r.root, r.common, r.prefix = filepath.FromSlash(lines[0]), filepath.FromSlash(lines[1]), filepath.FromSlash(lines[3])
	commit, _, err := b.git(ctx, b.dir, nil, "rev-parse", "--verify", "--quiet", "--end-of-options", spec.Revision+"^{commit}")
	if err != nil {
		if ctx.Err() != nil {
			return r, context.Cause(ctx)
		}
		hint := "list commits with git log --oneline --all, get new ones with git fetch --tags"
		if near := b.nearRevision(ctx, spec.Revision); near != "" {
			hint = "did you mean " + near + "?"
		} else if lines[2] == "true" {
			hint = "this clone is shallow: get the rest of the history with git fetch --unshallow"
		}
		return r, fail(spec, "find revision", "git finds no commit "+spec.Revision, err, hint)
	}
	// Older versions of git print --end-of-options too.
	r.commit = commit[strings.LastIndexByte(commit, '\n')+1:]
	return r, nil
}

func (b *Builder) nearRevision(ctx context.Context, revision string) string {
	list, _, err := b.git(ctx, b.dir, nil, "for-each-ref", "--format=%(refname:short)", "refs/heads", "refs/tags", "refs/remotes")
	if err != nil {
		return ""
	}
	names := strings.Split(list, "\n")
	// The two names of the default branch.
	for one, other := range map[string]string{"main": "master", "master": "main"} {
		if prefix, ok := strings.CutSuffix(revision, one); ok && slices.Contains(names, prefix+other) {
			return prefix + other
		}
	}
	return words.Nearest(revision, names)
}
