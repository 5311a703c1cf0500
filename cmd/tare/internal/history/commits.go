package history

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/tarebench/tare/cmd/tare/internal/process"
)

// Repository reads commits through git.
type Repository struct{ Git process.Git }

// Line lists the first-parent history of a revision, the oldest commit first.
func (r Repository) Line(ctx context.Context, revision string) ([]Commit, error) {
	return r.log(ctx, "--first-parent", "--reverse", "--end-of-options", revision, "--")
}

// Commit resolves a revision.
func (r Repository) Commit(ctx context.Context, revision string) (Commit, error) {
	list, err := r.log(ctx, "-1", "--end-of-options", revision, "--")
	if err != nil {
		return Commit{}, err
	}
	if len(list) != 1 {
		return Commit{}, fmt.Errorf("read commit %s: git log lists %d", revision, len(list))
	}
	return list[0], nil
}

// Anchor is the last tag before a revision, empty without one.
func (r Repository) Anchor(ctx context.Context, revision string) string {
	out, err := r.Git(ctx, nil, "describe", "--tags", "--abbrev=0", "--end-of-options", revision+"^")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
}

func (r Repository) log(ctx context.Context, args ...string) ([]Commit, error) {
	out, err := r.Git(ctx, nil, append([]string{"log", "--no-show-signature", "--format=%H%x00%ct%x00%s"}, args...)...)
	if err != nil {
		return nil, fmt.Errorf("read commits: %w", err)
	}
	var list []Commit
	for line := range strings.Lines(string(out)) {
		f := strings.SplitN(strings.TrimSuffix(line, "\n"), "\x00", 3)
		if len(f) != 3 {
			return nil, fmt.Errorf("read commits: unexpected line %q of git log", line)
		}
		seconds, err := strconv.ParseInt(f[1], 10, 64)
		if err != nil {
			return nil, fmt.Errorf("read commits: unexpected time %q of git log", f[1])
		}
		list = append(list, Commit{Hash: f[0], Time: time.Unix(seconds, 0).UTC(), Subject: f[2]})
	}
	return list, nil
}
