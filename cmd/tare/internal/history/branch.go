package history

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Git runs git with arguments and standard input in a repository and returns
// its standard output.
type Git func(ctx context.Context, stdin []byte, args ...string) ([]byte, error)

// RunGit runs the git command in dir.
func RunGit(dir string) Git {
	return func(ctx context.Context, stdin []byte, args ...string) ([]byte, error) {
		cmd := exec.CommandContext(ctx, "git", append([]string{"-C", dir}, args...)...)
		cmd.Stdin = bytes.NewReader(stdin)
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		out, err := cmd.Output()
		if err != nil {
			return out, fmt.Errorf("git %s: %w: %s", args[0], err, strings.TrimSpace(stderr.String()))
		}
		return out, nil
	}
}

// Branch is a store on a branch of its own, which shares no commit with the
// code. It is written by plumbing commands alone: index, work tree and HEAD
// of the checkout stay as they are.
type Branch struct {
	git Git
	ref string
}

// OpenBranch uses the branch of that name, which is created by the first Put.
func OpenBranch(git Git, name string) Branch { return Branch{git, "refs/heads/" + name} }

// attempts bounds how often a write is tried again when another writer was
// first. Each attempt adds to the newest tree, so nothing is lost.
const attempts = 60

// Put adds one commit that adds one file.
func (b Branch) Put(ctx context.Context, name string, data []byte) error {
	if err := checkName(name); err != nil {
		return err
	}
	out, err := b.git(ctx, data, "hash-object", "-w", "--stdin")
	if err != nil {
		return fmt.Errorf("write history study: %w", err)
	}
	entry := fmt.Sprintf("100644 blob %s\t%s", strings.TrimSpace(string(out)), name)
	return b.retry(ctx, "write history study", func() error {
		tip, tree, err := b.read(ctx)
		if err != nil {
			return err
		}
		if slices.ContainsFunc(tree, func(line string) bool { return strings.HasSuffix(line, "\t"+name) }) {
			return fatal{fmt.Errorf("%s is in the history already", name)}
		}
		commit, err := b.commit(ctx, append(tree, entry), "Add "+name, tip)
		if err != nil {
			return err
		}
		return b.move(ctx, commit, tip)
	})
}

// fatal is an error that another attempt does not fix.
type fatal struct{ error }

func (f fatal) Unwrap() error { return f.error }

// retry waits between attempts for a random time, so that twenty writers that
// were refused at once do not meet again.
func (b Branch) retry(ctx context.Context, what string, try func() error) error {
	var err error
	for i := range attempts {
		if err = try(); err == nil {
			return nil
		}
		var f fatal
		if errors.As(err, &f) || ctx.Err() != nil {
			break
		}
		wait := time.Duration(rand.IntN(10+10*i)) * time.Millisecond
		select {
		case <-ctx.Done():
			return fmt.Errorf("%s: %w", what, ctx.Err())
		case <-time.After(wait):
		}
	}
	return fmt.Errorf("%s: %w", what, err)
}

// read returns the tip of the branch, empty where there is none, and the lines
// of its tree.
func (b Branch) read(ctx context.Context) (tip string, tree []string, err error) {
	out, err := b.git(ctx, nil, "for-each-ref", "--format=%(objectname)", b.ref)
	if err != nil {
		return "", nil, fatal{err}
	}
	tip = strings.TrimSpace(string(out))
	if tip == "" {
		return "", nil, nil
	}
	tree, err = b.tree(ctx, tip)
	return tip, tree, err
}

func (b Branch) tree(ctx context.Context, commit string) ([]string, error) {
	out, err := b.git(ctx, nil, "ls-tree", "--full-tree", "-z", commit) // else git lists the current folder
	if err != nil {
		return nil, err
	}
	return strings.FieldsFunc(string(out), func(r rune) bool { return r == 0 }), nil
}

// commit writes a commit of the entries, which hold those of all parents. The
// author is fixed where the user
// has not configured one, as on a fresh CI machine.
func (b Branch) commit(ctx context.Context, entries []string, message string, parents ...string) (string, error) {
	out, err := b.git(ctx, []byte(strings.Join(entries, "\x00")+"\x00"), "mktree", "-z")
	if err != nil {
		return "", err
	}
	tree := strings.TrimSpace(string(out))
	args := []string{"-c", "user.name=tare", "-c", "user.email=tare@localhost", "-c", "commit.gpgSign=false",
		"commit-tree", tree, "-m", message}
	for _, p := range parents {
		if p == "" {
			continue
		}
		lost, err := b.git(ctx, nil, "diff-tree", "--no-renames", "--no-relative", "--diff-filter=a", "--name-only", p, tree)
		if err != nil {
			return "", err
		}
		if len(lost) > 0 {
			return "", fatal{fmt.Errorf("these files of the history would be lost: %s", strings.Fields(string(lost)))}
		}
		args = append(args, "-p", p)
	}
	out, err = b.git(ctx, nil, args...)
	return strings.TrimSpace(string(out)), err
}

// move sets the branch if it still is where it was read.
func (b Branch) move(ctx context.Context, to, from string) error {
	if from == "" {
		from = strings.Repeat("0", len(to))
	}
	_, err := b.git(ctx, nil, "update-ref", "-m", "tare history", b.ref, to, from)
	return err
}

// List returns the names of the files on the branch.
func (b Branch) List(ctx context.Context) ([]string, error) {
	_, tree, err := b.read(ctx)
	if err != nil {
		return nil, fmt.Errorf("read history branch: %w", err)
	}
	var names []string
	for _, line := range tree {
		if _, name, ok := strings.Cut(line, "\t"); ok && fileName.MatchString(name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names, nil
}

// Get reads a file of the branch.
func (b Branch) Get(ctx context.Context, name string) ([]byte, error) {
	if err := checkName(name); err != nil {
		return nil, err
	}
	data, err := b.git(ctx, nil, "cat-file", "blob", b.ref+":"+name)
	if err != nil {
		return nil, fmt.Errorf("read history study: %w", err)
	}
	return data, nil
}

// GetSeveral reads files of the branch through one git command.
func (b Branch) GetSeveral(ctx context.Context, names []string, got func(name string, data []byte, err error)) error {
	var ask bytes.Buffer
	for _, name := range names {
		if err := checkName(name); err != nil { // a line of its own
			return err
		}
		fmt.Fprintf(&ask, "%s:%s\n", b.ref, name)
	}
	out, err := b.git(ctx, ask.Bytes(), "cat-file", "--batch")
	if err != nil {
		return fmt.Errorf("read history branch: %w", err)
	}
	for _, name := range names {
		// "HASH TYPE SIZE", the bytes and a newline, or "NAME missing".
		line, rest, _ := bytes.Cut(out, []byte("\n"))
		var kind string
		size := -1
		if f := strings.Fields(string(line)); len(f) == 3 {
			kind = f[1]
			size, _ = strconv.Atoi(f[2])
		}
		switch {
		case kind == "" || size < 0:
			got(name, nil, fmt.Errorf("read history study: git cat-file: %s", line))
			out = rest
			continue
		case size+1 > len(rest):
			return fmt.Errorf("read history branch: git cat-file ends in %s", name)
		case kind != "blob":
			got(name, nil, fmt.Errorf("read history study: it is a %s", kind))
		default:
			got(name, rest[:size:size], nil)
		}
		out = rest[size+1:]
	}
	return nil
}

// Fetch merges the branch of a remote into ours: the union of the files.
func (b Branch) Fetch(ctx context.Context, remote string) error {
	return b.retry(ctx, "fetch history", func() error { return b.fetch(ctx, remote) })
}

func (b Branch) fetch(ctx context.Context, remote string) error {
	out, err := b.git(ctx, nil, "ls-remote", remote, b.ref)
	if err != nil {
		return fatal{err}
	}
	theirs, _, _ := strings.Cut(string(out), "\t")
	if theirs == "" {
		return nil // the remote has no history yet
	}
	if _, err := b.git(ctx, nil, "fetch", "--quiet", "--no-tags", "--no-write-fetch-head", remote, b.ref); err != nil {
		return err
	}
	tip, tree, err := b.read(ctx)
	if err != nil {
		return err
	}
	if tip == "" {
		return b.move(ctx, theirs, "")
	}
	base, _ := b.git(ctx, nil, "merge-base", tip, theirs)
	switch strings.TrimSpace(string(base)) {
	case theirs:
		return nil
	case tip:
		return b.move(ctx, theirs, tip)
	}
	other, err := b.tree(ctx, theirs)
	if err != nil {
		return err
	}
	all := slices.Concat(tree, other)
	slices.Sort(all)
	commit, err := b.commit(ctx, slices.Compact(all), "Merge histories", tip, theirs)
	if err != nil {
		return err
	}
	return b.move(ctx, commit, tip)
}

// Push publishes the branch. When another writer was first, its files are
// merged and the push is tried again.
func (b Branch) Push(ctx context.Context, remote string) error {
	return b.retry(ctx, "push history", func() error {
		if err := b.fetch(ctx, remote); err != nil {
			return err
		}
		_, err := b.git(ctx, nil, "push", "--quiet", "--no-verify", remote, b.ref+":"+b.ref)
		return err
	})
}
