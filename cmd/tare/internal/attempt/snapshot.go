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

	"github.com/tarebench/tare/cmd/tare/internal/build"
	"github.com/tarebench/tare/cmd/tare/internal/file"
	"github.com/tarebench/tare/cmd/tare/internal/process"
)

// Trees keeps working trees as commits in a repository. It changes neither the
// index nor files nor branches.
type Trees struct {
	run process.Git
	// index is a copy of the user's index, which git add may write.
	index string
	top   string
	// Close removes the copy of the index.
	Close func() error
}

// refPrefix begins the refs of the best trees. Git keeps the objects that a ref
// reaches, and no branch has such a name.
const refPrefix = "refs/tare/try/"

// OpenTrees finds the repository of dir.
func OpenTrees(ctx context.Context, dir string) (*Trees, error) {
	out, err := process.GitIn(dir)(ctx, nil, "rev-parse", "--path-format=absolute", "--show-toplevel", "--git-path", "index")
	if err != nil {
		return nil, fmt.Errorf("find repository: %w: tare try compares with trees that git keeps: git init, and commit the files first", err)
	}
	top, users, _ := strings.Cut(strings.TrimSuffix(string(out), "\n"), "\n")
	at, release, err := build.Temporary("index")
	if err != nil {
		return nil, fmt.Errorf("copy index: %w", err)
	}
	t := &Trees{top: filepath.FromSlash(top), index: filepath.Join(at, "index"), Close: release}
	// With a fixed date, equal trees and parents give equal commits, and builds
	// find their caches.
	const date = "1000000000 +0000"
	t.run = process.GitIn(t.top, "GIT_INDEX_FILE="+t.index, "GIT_AUTHOR_DATE="+date, "GIT_COMMITTER_DATE="+date,
		"GIT_AUTHOR_NAME=tare", "GIT_AUTHOR_EMAIL=tare@localhost", "GIT_COMMITTER_NAME=tare", "GIT_COMMITTER_EMAIL=tare@localhost")
	// The copy contains the times of files, so git add reads only the changed ones.
	// It has the time of the index, since git reads files that are as new again.
	var data []byte
	in, err := file.Open(filepath.Split(filepath.FromSlash(users))) // an archive may have a FIFO there
	if err == nil {
		data, err = file.ReadAll(in, 1<<30)
		err = errors.Join(err, in.Close())
	}
	if err != nil && !errors.Is(err, os.ErrNotExist) { // nothing was added yet
		return nil, errors.Join(fmt.Errorf("copy index: %w", err), t.Close())
	}
	if err = nil; len(data) > 0 {
		err = os.WriteFile(t.index, data, 0o600)
		if info, serr := os.Stat(filepath.FromSlash(users)); serr == nil && err == nil {
			err = os.Chtimes(t.index, info.ModTime(), info.ModTime())
		}
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("copy index: %w", err), t.Close())
	}
	return t, nil
}

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
	if _, err := t.run(ctx, nil, "-c", "core.safecrlf=false", "add", "--all", "--", ":/"); err != nil {
		return "", fmt.Errorf("keep working tree: %w: ignore the file, in .git/info/exclude, or make git add work", err)
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
		above := strings.TrimSuffix(refPrefix, "/")
		if _, none := t.run(ctx, nil, "rev-parse", "--verify", "--quiet", above); none == nil {
			return fmt.Errorf("keep tree: there is a ref %s, which tare did not make, and so none can be below it: remove it with git update-ref -d %s", above, above)
		}
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
	_, err := t.run(ctx, nil, "update-ref", "-d", refPrefix+session)
	if _, none := t.run(ctx, nil, "rev-parse", "--verify", "--quiet", refPrefix+session); err == nil || none != nil {
		return nil
	}
	return fmt.Errorf("release tree: %w", err)
}

// Changed lists the files that differ between two trees, by name.
func (t *Trees) Changed(ctx context.Context, old, new string, patterns ...string) ([]string, error) {
	args := append([]string{"diff-tree", "-r", "-z", "--no-renames", "--name-only", old, new, "--"}, patterns...)
	out, err := t.text(ctx, "compare trees", nil, args...)
	return process.Names(out), err
}

// text runs git for a purpose, which its error has.
func (t *Trees) text(ctx context.Context, what string, input []byte, args ...string) (string, error) {
	out, err := t.run(ctx, input, args...)
	if err != nil {
		return "", fmt.Errorf("%s: %w", what, err)
	}
	return string(out), nil
}

func (t *Trees) line(ctx context.Context, what string, args ...string) (string, error) {
	out, err := t.text(ctx, what, nil, args...)
	return strings.TrimSpace(out), err
}

// Digest returns a hash of the files of a tree that match patterns.
func (t *Trees) Digest(ctx context.Context, tree string, patterns ...string) (string, error) {
	empty, err := t.line(ctx, "digest tree", "mktree") // of no files
	if err != nil {
		return "", err
	}
	out, err := t.text(ctx, "digest tree", nil, append([]string{"diff-tree", "-r", "-z", "--no-renames", "--raw", "--no-abbrev", empty, tree, "--"}, patterns...)...)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256([]byte(out))
	return hex.EncodeToString(sum[:8]), nil
}

// File is a file that differs between two trees.
type File struct {
	Name string
	// Entry makes the file of the second tree: a line of git update-index.
	Entry string
	// Modified is set if both trees have the file with one mode.
	Modified, Added, Removed bool
}

// Differ lists the files that differ between two trees, by name.
func (t *Trees) Differ(ctx context.Context, old, new string) (files []File, err error) {
	out, err := t.text(ctx, "compare trees", nil, "diff-tree", "-r", "-z", "--no-renames", "--raw", "--no-abbrev", old, new)
	if err != nil {
		return nil, err
	}
	fields := strings.Split(out, "\x00")
	for ; len(fields) >= 2; fields = fields[2:] { // ":100644 100644 HASH HASH M", NAME
		m := strings.Fields(strings.TrimPrefix(fields[0], ":"))
		if len(m) != 5 {
			return nil, fmt.Errorf("compare trees: unexpected line %q of git diff-tree", fields[0])
		}
		files = append(files, File{Name: fields[1], Entry: m[1] + " " + m[3] + "\t" + fields[1] + "\x00",
			Modified: m[4] == "M" && m[0] == m[1], Added: m[4] == "A", Removed: m[4] == "D"})
	}
	return files, nil
}

// Diff is the difference of one file.
func (t *Trees) Diff(ctx context.Context, old, new, file string) (string, error) {
	return t.text(ctx, "compare trees", nil, "diff-tree", "-p", "--no-color", "--no-ext-diff", "--no-textconv", "--no-renames", "--unified=3", old, new, "--", ":(top,literal)"+file)
}

// Content is the content of a file in a tree.
func (t *Trees) Content(ctx context.Context, tree, file string) (string, error) {
	return t.text(ctx, "read file of tree", nil, "cat-file", "blob", tree+":"+file)
}

// Write keeps a content for the file of an entry, and returns the new entry.
func (t *Trees) Write(ctx context.Context, entry, content string) (string, error) {
	out, err := t.text(ctx, "write file of tree", []byte(content), "hash-object", "-w", "--stdin")
	if err != nil {
		return "", err
	}
	mode, rest, _ := strings.Cut(entry, " ")
	_, name, _ := strings.Cut(rest, "\t")
	return mode + " " + strings.TrimSpace(out) + "\t" + name, nil
}

// With is a commit of a tree with other files. Its parent is commit. Without
// entries it is commit.
func (t *Trees) With(ctx context.Context, commit string, entries []string) (string, error) {
	if len(entries) == 0 {
		return commit, nil
	}
	if _, err := t.text(ctx, "write tree", nil, "read-tree", commit); err != nil {
		return "", err
	}
	if _, err := t.text(ctx, "write tree", []byte(strings.Join(entries, "")), "update-index", "-z", "--index-info"); err != nil {
		return "", err
	}
	tree, err := t.line(ctx, "write tree", "write-tree")
	if err != nil {
		return "", err
	}
	return t.Keep(ctx, tree, commit, "tare bisect: some hunks")
}
