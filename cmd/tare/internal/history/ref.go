package history

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tarebench/tare/cmd/tare/internal/file"
	"github.com/tarebench/tare/cmd/tare/internal/process"
)

// refName is the ref of the history. It is not a branch, so git push --all does
// not publish it, and it collides with no branch.
const refName = "refs/tare/history"

// Ref is the store in a ref of a repository, which shares no commit with the
// code. Only plumbing commands write it, so index, working tree and HEAD stay
// unchanged.
type Ref struct{ git process.Git }

// OpenRef uses the ref of the history. The first Put creates it.
func OpenRef(git process.Git) Ref { return Ref{git} }

// Put adds one commit that adds one file.
func (r Ref) Put(ctx context.Context, name string, data []byte) error {
	if err := checkName(name); err != nil {
		return err
	}
	out, err := r.git(ctx, data, "hash-object", "-w", "--stdin")
	if err != nil {
		return fmt.Errorf("write history: %w", err)
	}
	entry := fmt.Sprintf("100644 blob %s\t%s", strings.TrimSpace(string(out)), name)
	return retry(ctx, "write history", 20, func() error {
		tip, tree, err := r.latest(ctx)
		if err != nil {
			return err
		}
		tree, err = union(tree, []string{entry})
		if err != nil {
			return err
		}
		commit, err := r.commit(ctx, tree, "Add "+name, tip)
		if err != nil {
			return err
		}
		return r.move(ctx, commit, tip)
	})
}

// Read reads all files, some MiB of them in one git command. Files are small, but a
// repository of a stranger has what he likes, compressed.
func (r Ref) Read(ctx context.Context, got func(name string, data []byte, err error)) error {
	tip, err := r.tip(ctx)
	if err != nil || tip == "" {
		return err
	}
	tree, err := r.tree(ctx, tip, "-l")
	if err != nil {
		return err
	}
	var names []string
	sum := int64(0)
	for _, line := range tree {
		meta, name, _ := strings.Cut(line, "\t")
		f := strings.Fields(meta) // mode, type, hash and size, which is - for a tree
		size, _ := strconv.ParseInt(f[len(f)-1], 10, 64)
		if size > file.Small {
			got(name, nil, fmt.Errorf("read file: it has more than %d MiB", file.Small>>20))
			continue
		}
		if sum += size; sum > file.Small {
			if err := r.batch(ctx, tip, names, got); err != nil {
				return err
			}
			names, sum = nil, size
		}
		names = append(names, name)
	}
	return r.batch(ctx, tip, names, got)
}

// batch reads files through one git command.
func (r Ref) batch(ctx context.Context, tip string, names []string, got func(name string, data []byte, err error)) error {
	var ask bytes.Buffer
	for _, name := range names {
		fmt.Fprintf(&ask, "%s:%s\n", tip, name)
	}
	out, err := r.git(ctx, ask.Bytes(), "cat-file", "--batch")
	if err != nil {
		return fmt.Errorf("read history: %w", err)
	}
	for _, name := range names {
		// "HASH TYPE SIZE", the bytes and a newline, or "NAME missing".
		line, rest, _ := bytes.Cut(out, []byte("\n"))
		f := strings.Fields(string(line))
		size := -1
		if len(f) == 3 {
			size, _ = strconv.Atoi(f[2])
		}
		switch {
		case size < 0:
			got(name, nil, fmt.Errorf("read file: git cat-file: %s", line))
			out = rest
			continue
		case size+1 > len(rest):
			return fmt.Errorf("read history: git cat-file ends in %s", name)
		case f[1] != "blob":
			got(name, nil, fmt.Errorf("read file: it is a %s", f[1]))
		default:
			got(name, rest[:size:size], nil)
		}
		out = rest[size+1:]
	}
	return nil
}

func (r Ref) tip(ctx context.Context) (string, error) {
	out, err := r.git(ctx, nil, "for-each-ref", "--format=%(if:equals="+refName+")%(refname)%(then)%(objectname)%(end)", refName)
	if err != nil {
		return "", fatal{err}
	}
	return strings.TrimSpace(string(out)), nil
}

func (r Ref) latest(ctx context.Context) (tip string, tree []string, err error) {
	if tip, err = r.tip(ctx); err == nil && tip != "" {
		tree, err = r.tree(ctx, tip)
	}
	return tip, tree, err
}

func (r Ref) tree(ctx context.Context, commit string, flags ...string) ([]string, error) {
	// Without --full-tree git lists the current directory.
	out, err := r.git(ctx, nil, slices.Concat([]string{"ls-tree", "--full-tree", "-z"}, flags, []string{commit})...)
	if err != nil {
		return nil, fmt.Errorf("read history: %w", err)
	}
	tree := process.Names(string(out))
	for _, line := range tree {
		if name := nameOf(line); !fileName.MatchString(name) {
			return nil, fatal{fmt.Errorf("%s has %q, which is no measurement: somebody else wrote it. Delete the ref, with git update-ref --no-deref -d %[1]s, or fetch from another remote", refName, name)}
		}
	}
	return tree, nil
}

func nameOf(line string) string {
	_, name, _ := strings.Cut(line, "\t")
	return name
}

// union has the lines of both trees. Files never change, so one name with two
// contents is an error.
func union(a, b []string) ([]string, error) {
	all := slices.Concat(a, b)
	slices.SortFunc(all, func(x, y string) int {
		return cmp.Or(strings.Compare(nameOf(x), nameOf(y)), strings.Compare(x, y))
	})
	all = slices.Compact(all)
	for i := 1; i < len(all); i++ {
		if name := nameOf(all[i]); name == nameOf(all[i-1]) {
			return nil, fatal{fmt.Errorf("%s has two contents, but files of a history never change: undo the edit of one of them", name)}
		}
	}
	return all, nil
}

// commit writes a commit of the entries, including the entries of all parents.
// If the user has not configured an author, as on a new CI machine, it is fixed.
func (r Ref) commit(ctx context.Context, entries []string, message string, parents ...string) (string, error) {
	out, err := r.git(ctx, []byte(strings.Join(entries, "\x00")+"\x00"), "mktree", "-z")
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
		lost, err := r.git(ctx, nil, "diff-tree", "--no-renames", "--no-relative", "--diff-filter=a", "--name-only", p, tree)
		if err != nil {
			return "", err
		}
		if len(lost) > 0 {
			return "", fatal{fmt.Errorf("the history would lose these files: %s", strings.Fields(string(lost)))}
		}
		args = append(args, "-p", p)
	}
	out, err = r.git(ctx, nil, args...)
	return strings.TrimSpace(string(out)), err
}

// move sets the ref if nobody else moved it in the meantime.
func (r Ref) move(ctx context.Context, to, from string) error {
	expected := from
	if from == "" {
		expected = strings.Repeat("0", len(to))
	}
	_, err := r.git(ctx, nil, "update-ref", "--no-deref", "-m", "tare history", refName, to, expected)
	if err == nil {
		return nil
	}
	if now, again := r.tip(ctx); again == nil && now == from {
		return stuck{err} // no other writer was first
	}
	return err
}

// fatal is an error that another attempt does not fix.
type fatal struct{ error }

func (f fatal) Unwrap() error { return f.error }

// stuck is an error of a write that is not due to another writer: a lock of a
// killed git command, or a remote that refuses.
type stuck struct{ error }

func (s stuck) Unwrap() error { return s.error }

// retry tries a write again if another writer was first, up to 60 times. If it
// is stuck, it tries up to patience times in a row. The time between attempts
// is random, so that twenty rejected writers do not collide again.
func retry(ctx context.Context, what string, patience int, try func() error) error {
	inARow := 0
	for i := 0; ; i++ {
		err := try()
		if err == nil {
			return nil
		}
		inARow++
		if !errors.As(err, new(stuck)) {
			inARow = 0
		}
		if inARow == patience && strings.Contains(err.Error(), ".lock': File exists") {
			err = fmt.Errorf("another git command has the lock of %s: if none runs, remove the file %[1]s.lock from the git directory", refName)
		}
		if errors.As(err, new(fatal)) || inARow == patience || i == 60 || ctx.Err() != nil {
			return fmt.Errorf("%s: %w", what, err)
		}
		select {
		case <-ctx.Done():
		case <-time.After(time.Duration(rand.IntN(10+10*i)) * time.Millisecond):
		}
	}
}
