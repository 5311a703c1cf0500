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

// fetch returns the files of the remote.
func (r Ref) fetch(ctx context.Context, remote string) (theirs string, err error) {
	theirs, err = r.remoteTip(ctx, remote)
	if err != nil || theirs == "" {
		return "", err
	}
	tip, tree, err := r.adopt(ctx)
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
	other, err := r.tree(ctx, theirs)
	if err != nil {
		return "", err
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

// remoteTip fetches the history of a remote without a ref for it. It takes the
// branch of an older tare if there is no other; empty is none.
func (r Ref) remoteTip(ctx context.Context, remote string) (string, error) {
	out, err := r.git(ctx, nil, "ls-remote", "--", remote, refName, oldBranch)
	if err != nil {
		return "", fatal{err}
	}
	refs := make(map[string]string)
	for line := range strings.Lines(string(out)) {
		hash, name, _ := strings.Cut(strings.TrimSpace(line), "\t")
		refs[name] = hash
	}
	for _, name := range []string{refName, oldBranch} {
		if refs[name] == "" {
			continue
		}
		if _, err := r.git(ctx, nil, "fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--", remote, name); err != nil {
			return "", err
		}
		if mine, err := r.isHistory(ctx, refs[name]); name == refName || mine || err != nil {
			return refs[name], err
		}
	}
	return "", nil
}

// Push publishes the history. When another writer was first, its files are
// merged and the push is tried again.
func (r Ref) Push(ctx context.Context, remote string) error {
	return retry(ctx, "push history", 3, func() error {
		theirs, err := r.fetch(ctx, remote)
		if err != nil {
			return err
		}
		tip, _, err := r.adopt(ctx)
		if err != nil {
			return err
		}
		if tip == "" {
			return fatal{errors.New("there is none: tare history record makes it")}
		}
		if _, err = r.git(ctx, nil, "push", "--quiet", "--no-verify", "--", remote, refName+":"+refName); err == nil {
			return nil
		}
		if now, again := r.remoteTip(ctx, remote); again == nil && now == theirs {
			return stuck{err} // refused for another reason than a faster writer
		}
		return err
	})
}
