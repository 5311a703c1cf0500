package history

import (
	"context"
	"errors"
	"strings"
)

// Fetch merges the history of a remote into ours: the union of the files.
func (r Ref) Fetch(ctx context.Context, remote string) error {
	return retry(ctx, "fetch history", 20, func() error {
		_, err := r.fetch(ctx, remote)
		return err
	})
}

func (r Ref) fetch(ctx context.Context, remote string) (theirs string, err error) {
	theirs, err = r.remoteTip(ctx, remote)
	if err != nil || theirs == "" {
		return "", err
	}
	other, err := r.tree(ctx, theirs) // refuses what is no history
	if err != nil {
		return "", err
	}
	tip, tree, err := r.latest(ctx)
	if err != nil {
		return "", err
	}
	if tip == "" {
		return theirs, r.move(ctx, theirs, "")
	}
	base, _ := r.git(ctx, nil, "merge-base", tip, theirs)
	switch strings.TrimSpace(string(base)) {
	case theirs:
		return theirs, nil
	case tip:
		return theirs, r.move(ctx, theirs, tip)
	}
	all, err := union(tree, other)
	if err != nil {
		return "", err
	}
	commit, err := r.commit(ctx, all, "Merge histories", tip, theirs)
	if err != nil {
		return "", err
	}
	return theirs, r.move(ctx, commit, tip)
}

// remoteTip fetches the tip of a remote's history, or "", without keeping a
// ref.
func (r Ref) remoteTip(ctx context.Context, remote string) (string, error) {
	out, err := r.git(ctx, nil, "ls-remote", "--", remote, refName)
	if err != nil {
		return "", fatal{err}
	}
	hash := ""
	for line := range strings.Lines(string(out)) { // of every ref with this ending
		if h, name, _ := strings.Cut(strings.TrimSpace(line), "\t"); name == refName {
			hash = h
		}
	}
	if hash == "" {
		return "", nil
	}
	_, err = r.git(ctx, nil, "fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--", remote, refName)
	return hash, err
}

// Push publishes the history. If another writer was first, Push merges its
// files and tries again.
func (r Ref) Push(ctx context.Context, remote string) error {
	return retry(ctx, "push history", 3, func() error {
		theirs, err := r.fetch(ctx, remote)
		if err != nil {
			return err
		}
		tip, err := r.tip(ctx)
		if err != nil {
			return err
		}
		if tip == "" {
			return fatal{errors.New("there is no history: tare history record makes one")}
		}
		if _, err = r.git(ctx, nil, "push", "--quiet", "--no-verify", "--no-follow-tags", "--no-signed", "--no-recurse-submodules", "--", remote, refName+":"+refName); err == nil {
			return nil
		}
		if now, again := r.remoteTip(ctx, remote); again == nil && now == theirs {
			return stuck{err} // rejected, but not because of another writer
		}
		return err
	})
}
