package attempt

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/tarebench/tare/cmd/tare/internal/process"
)

// Trees keeps working trees as commits in a repository. It changes neither the
// index nor files nor branches.
type Trees struct {
	run process.Git
	// index is a copy of the user's index, which git add may write.
	index string
	top   string
}

// refPrefix begins the refs of the best trees. Git keeps the objects that a ref
// reaches, and no branch has such a name.
const refPrefix = "refs/tare/try/"

// OpenTrees finds the repository of dir. Close removes its temporary files.
func OpenTrees(ctx context.Context, dir string) (*Trees, error) {
	out, err := process.GitIn(dir)(ctx, nil, "rev-parse", "--path-format=absolute", "--show-toplevel", "--git-path", "index")
	if err != nil {
		return nil, fmt.Errorf("find repository: %w: tare try compares with trees that git keeps", err)
	}
	top, users, _ := strings.Cut(strings.TrimSuffix(string(out), "\n"), "\n")
	scratch, err := os.MkdirTemp("", "tare-index-")
	if err != nil {
		return nil, fmt.Errorf("copy index: %w", err)
	}
	t := &Trees{top: filepath.FromSlash(top), index: filepath.Join(scratch, "index")}
	// With a fixed date, equal trees and parents give equal commits, and builds
	// find their caches.
	const date = "1000000000 +0000"
	t.run = process.GitIn(t.top, "GIT_INDEX_FILE="+t.index, "GIT_AUTHOR_DATE="+date, "GIT_COMMITTER_DATE="+date,
		"GIT_AUTHOR_NAME=tare", "GIT_AUTHOR_EMAIL=tare@localhost", "GIT_COMMITTER_NAME=tare", "GIT_COMMITTER_EMAIL=tare@localhost")
	// The copy contains the times of files, so git add reads only the changed ones.
	data, err := os.ReadFile(filepath.FromSlash(users))
	if err == nil {
		err = os.WriteFile(t.index, data, 0o600)
	} else if errors.Is(err, os.ErrNotExist) {
		err = nil // nothing was added yet
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("copy index: %w", err), t.Close())
	}
	return t, nil
}

// Close removes the copy of the index.
func (t *Trees) Close() error { return os.RemoveAll(filepath.Dir(t.index)) }

// Commit is the commit that a revision names.
func (t *Trees) Commit(ctx context.Context, revision string) (string, error) {
	out, err := t.run(ctx, nil, "rev-parse", "--verify", "--quiet", "--end-of-options", revision+"^{commit}")
	if err != nil {
		return "", fmt.Errorf("find revision: there is no commit %s: commit the files first, or name one with -best", revision)
	}
	text := strings.TrimSpace(string(out))
	return text[strings.LastIndexByte(text, '\n')+1:], nil
}

// Tree is the tree of a commit.
func (t *Trees) Tree(ctx context.Context, commit string) (string, error) {
	return t.line(ctx, "find tree", "rev-parse", commit+"^{tree}")
}

// Snapshot writes the files as they are, with untracked files and without
// ignored ones. It returns their tree.
func (t *Trees) Snapshot(ctx context.Context) (string, error) {
	if _, err := t.run(ctx, nil, "add", "--all", "--", ":/"); err != nil {
		return "", fmt.Errorf("keep working tree: %w", err)
	}
	return t.line(ctx, "keep working tree", "write-tree")
}

// Keep makes a commit of a tree. Its parent is the previous best tree.
func (t *Trees) Keep(ctx context.Context, tree, parent, message string) (string, error) {
	return t.line(ctx, "keep tree", "-c", "commit.gpgSign=false", "commit-tree", tree, "-p", parent, "-m", message)
}

// Hold points the ref of a session to a commit, so that git keeps it and all
// earlier trees.
func (t *Trees) Hold(ctx context.Context, session, commit string) error {
	if _, err := t.run(ctx, nil, "update-ref", refPrefix+session, commit); err != nil {
		return fmt.Errorf("keep tree: %w", err)
	}
	return nil
}

// Kept returns an error unless the ref of a session keeps all these commits. So a
// ledger from elsewhere names no code to build.
func (t *Trees) Kept(ctx context.Context, session string, commits []string) error {
	for _, c := range commits {
		if _, err := t.run(ctx, nil, "merge-base", "--is-ancestor", "--end-of-options", c, refPrefix+session); err != nil {
			return fmt.Errorf("open session: %s%s does not keep the commit %.40q of its ledger: begin a session with tare try -best REV, in a repository without this one in .tare/try", refPrefix, session, c)
		}
	}
	return nil
}

// Release removes the ref of a session.
func (t *Trees) Release(ctx context.Context, session string) error {
	if _, err := t.run(ctx, nil, "update-ref", "-d", refPrefix+session); err != nil {
		return fmt.Errorf("release tree: %w", err)
	}
	return nil
}

// Changed lists the files that differ between two trees, by name.
func (t *Trees) Changed(ctx context.Context, old, new string, patterns ...string) ([]string, error) {
	args := append([]string{"diff-tree", "-r", "-z", "--no-renames", "--name-only", old, new, "--"}, patterns...)
	out, err := t.run(ctx, nil, args...)
	if err != nil {
		return nil, fmt.Errorf("compare trees: %w", err)
	}
	return strings.FieldsFunc(string(out), func(r rune) bool { return r == 0 }), nil
}

func (t *Trees) line(ctx context.Context, what string, args ...string) (string, error) {
	out, err := t.run(ctx, nil, args...)
	if err != nil {
		return "", fmt.Errorf("%s: %w", what, err)
	}
	return strings.TrimSpace(string(out)), nil
}

// Digest returns a hash of the files of a tree that match patterns.
func (t *Trees) Digest(ctx context.Context, tree string, patterns ...string) (string, error) {
	const empty = "4b825dc642cb6eb9a060e54bf8d69288fbee4904" // the hash of no files
	out, err := t.run(ctx, nil, append([]string{"diff-tree", "-r", "-z", "--no-renames", "--raw", "--no-abbrev", empty, tree, "--"}, patterns...)...)
	if err != nil {
		return "", fmt.Errorf("digest tree: %w", err)
	}
	sum := sha256.Sum256(out)
	return hex.EncodeToString(sum[:8]), nil
}
