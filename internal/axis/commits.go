package axis

import (
	"context"
	"fmt"
	"strings"

	"github.com/tarebench/tare/internal/result"
	"github.com/tarebench/tare/internal/variant"
)

// Commits lists the first-parent history from good, exclusive but for the
// first point, to bad. Keys are what else the variants have (",tags=x"); the
// two must not differ in them. Good must be an ancestor of bad.
func Commits(ctx context.Context, run Exec, dir string, good, bad variant.Spec) ([]result.Point, error) {
	goodKeys, badKeys := keys(good), keys(bad)
	if goodKeys != badKeys {
		return nil, fmt.Errorf("bisect commits: %s and %s differ in more than the revision: use -of for another axis, or give both the same keys", good.Label, bad.Label)
	}
	for _, s := range []variant.Spec{good, bad} {
		if s.Revision == "" || s.Revision == variant.WorkingTree {
			return nil, fmt.Errorf("bisect commits: %s is not a commit: commit the changes first, or name a revision", s.Label)
		}
	}
	if out, err := run(ctx, dir, "git", "rev-parse", "--is-shallow-repository"); err != nil {
		return nil, fmt.Errorf("bisect commits: %w", err)
	} else if strings.TrimSpace(string(out)) == "true" {
		return nil, fmt.Errorf("bisect commits: the clone is shallow, so commits between %s and %s may be missing: git fetch --unshallow", good.Label, bad.Label)
	}
	var hash [2]string
	for i, s := range []variant.Spec{good, bad} {
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
	first, err := log(ctx, run, dir, goodKeys, "-1", hash[0])
	if err != nil {
		return nil, err
	}
	rest, err := log(ctx, run, dir, goodKeys, "--first-parent", "--reverse", hash[0]+".."+hash[1])
	if err != nil {
		return nil, err
	}
	return append(first, rest...), nil
}

// Merged lists the history that a merge brought in, from the merge's first
// parent (point 0) over the commits of the other side to the merge itself.
func Merged(ctx context.Context, run Exec, dir string, merge result.Point) ([]result.Point, error) {
	revision, rest, _ := strings.Cut(merge.Variant, ",")
	if rest != "" {
		rest = "," + rest
	}
	first, err := log(ctx, run, dir, rest, "-1", revision+"^1")
	if err != nil {
		return nil, err
	}
	middle, err := log(ctx, run, dir, rest, "--first-parent", "--reverse", revision+"^1.."+revision+"^2")
	if err != nil {
		return nil, err
	}
	return append(append(first, middle...), merge), nil
}

func log(ctx context.Context, run Exec, dir, keys string, args ...string) ([]result.Point, error) {
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

// keys is what follows the revision in a variant.
func keys(s variant.Spec) string {
	_, rest, ok := strings.Cut(s.Label, ",")
	if !ok {
		return ""
	}
	return "," + rest
}
