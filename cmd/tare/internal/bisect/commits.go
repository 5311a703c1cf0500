package bisect

import (
	"context"
	"fmt"
	"strings"

	"github.com/tarebench/tare/cmd/tare/internal/build"
	"github.com/tarebench/tare/cmd/tare/internal/process"
	"github.com/tarebench/tare/cmd/tare/internal/result"
)

// commitsBetween lists the first-parent history from good, exclusive except for the
// first point, to bad. Keys are the other settings of the variants (",tags=x"),
// which must be equal. Good must be an ancestor of bad.
func commitsBetween(ctx context.Context, run process.Exec, dir string, good, bad build.Spec) ([]result.Point, error) {
	if keys(good.Label) != keys(bad.Label) {
		return nil, fmt.Errorf("bisect commits: %s and %s differ in more than the revision: use -of for another axis, or give both the same keys", good.Label, bad.Label)
	}
	for _, s := range []build.Spec{good, bad} {
		if s.Revision == "" || s.Revision == build.WorkingTree {
			return nil, fmt.Errorf("bisect commits: %s is not a commit: commit the changes first, or name a revision", s.Label)
		}
	}
	out, err := run(ctx, dir, "git", "rev-parse", "--is-bare-repository", "--is-shallow-repository")
	if err != nil {
		return nil, fmt.Errorf("bisect commits: %w: run it in a clone of the repository", err)
	}
	bare, shallow, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
	if bare == "true" {
		return nil, fmt.Errorf("bisect commits: a bare repository has no checkout to build in: run it in a git clone or a git worktree")
	}
	if shallow == "true" {
		return nil, fmt.Errorf("bisect commits: the clone is shallow, so commits between %s and %s may be missing: git fetch --unshallow", good.Label, bad.Label)
	}
	var hash [2]string
	for i, s := range []build.Spec{good, bad} {
		out, err := run(ctx, dir, "git", "rev-parse", "--verify", "--end-of-options", s.Revision+"^{commit}")
		if err != nil {
			return nil, fmt.Errorf("bisect commits: %w: git log --oneline lists revisions", err)
		}
		hash[i] = strings.TrimSpace(string(out))
	}
	if hash[0] == hash[1] {
		return nil, fmt.Errorf("bisect commits: %s and %s are the same commit", good.Label, bad.Label)
	}
	if _, err := run(ctx, dir, "git", "merge-base", "--is-ancestor", hash[0], hash[1]); err != nil {
		if _, reversed := run(ctx, dir, "git", "merge-base", "--is-ancestor", hash[1], hash[0]); reversed == nil {
			return nil, fmt.Errorf("bisect commits: %s comes after %s: exchange them", good.Label, bad.Label)
		}
		return nil, fmt.Errorf("bisect commits: %s is not an ancestor of %s: start from git merge-base %s %s", good.Label, bad.Label, good.Label, bad.Label)
	}
	return firstParents(ctx, run, dir, keys(good.Label), hash[0], hash[1])
}

// mergedCommits lists the histories of a merge, one for each parent after the first. Each
// begins at the commit (point 0) at which it left the first parent's history. It
// follows first parents to its parent of the merge. The merge itself is not in it.
func mergedCommits(ctx context.Context, run process.Exec, dir string, merge result.Point) ([][]result.Point, error) {
	out, err := run(ctx, dir, "git", "rev-parse", revisionOf(merge.Variant)+"^@")
	if err != nil {
		return nil, fmt.Errorf("list parents of %s: %w", merge.Name, err)
	}
	parents := strings.Fields(string(out))
	var all [][]result.Point
	for _, parent := range parents[min(1, len(parents)):] {
		out, err := run(ctx, dir, "git", "merge-base", parents[0], parent)
		if err != nil {
			continue // separate histories
		}
		side, err := firstParents(ctx, run, dir, keys(merge.Variant), strings.TrimSpace(string(out)), parent)
		if err != nil {
			return nil, err
		}
		if len(side) > 1 {
			all = append(all, side)
		}
	}
	return all, nil
}

func changedFiles(ctx context.Context, run process.Exec, dir string, old, new result.Point) ([]string, error) {
	out, err := run(ctx, dir, "git", "diff", "--name-only", "--no-renames", "--ignore-submodules=none", "-z",
		revisionOf(old.Variant), revisionOf(new.Variant), "--")
	if err != nil {
		return nil, fmt.Errorf("list files of %s: %w", new.Name, err)
	}
	return process.Names(string(out)), nil
}

// firstParents lists a commit and the first-parent history from it to another one.
func firstParents(ctx context.Context, run process.Exec, dir, keys, from, to string) ([]result.Point, error) {
	first, err := log(ctx, run, dir, keys, "-1", from)
	if err != nil {
		return nil, err
	}
	rest, err := log(ctx, run, dir, keys, "--first-parent", "--reverse", from+".."+to)
	if err != nil {
		return nil, err
	}
	return append(first, rest...), nil
}

func log(ctx context.Context, run process.Exec, dir, keys string, args ...string) ([]result.Point, error) {
	out, err := run(ctx, dir, "git", append([]string{"log", "--no-show-signature", "--format=%H%x00%h%x00%P%x00%an%x00%s"}, args...)...)
	if err != nil {
		return nil, fmt.Errorf("list commits: %w", err)
	}
	var points []result.Point
	for line := range strings.Lines(string(out)) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\x00")
		if len(f) != 5 {
			return nil, fmt.Errorf("list commits: unexpected line %q of git log", line)
		}
		points = append(points, result.Point{Variant: f[0] + keys, Name: f[1], Title: f[4], Author: f[3], Merge: strings.Contains(f[2], " ")})
	}
	return points, nil
}

// keys are the settings of a variant after its revision, ",tags=x", or empty.
func keys(variant string) string { return strings.TrimPrefix(variant, revisionOf(variant)) }

func revisionOf(variant string) string {
	revision, _, _ := strings.Cut(variant, ",")
	return revision
}
