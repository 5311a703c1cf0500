package build

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/tarebench/tare/cmd/tare/internal/process"
	"github.com/tarebench/tare/internal/finding"
)

type source struct {
	// commit is the commit of the files. It is empty for a working tree that
	// differs from its commit (dirty), or has none.
	commit string
	dirty  bool
	// digest is the digest of the changes in a dirty tree. It is empty if git fails.
	digest string
	// userRoot is the root of the user's checkout, or empty without git. root is
	// the directory of the revision's files, which is userRoot for the working
	// tree.
	userRoot, root string
	// mirror is the directory that contains the worktree at the path of the
	// user's checkout. It is empty for the working tree.
	mirror string
	// dir is the directory in which go runs. missing is true if the revision has
	// no such directory.
	dir     string
	missing bool
	// gowork is the value of GOWORK for the revision, or empty if not set.
	gowork   string
	findings []finding.Finding
}

// place maps a path in the user's tree to the same path in the variant's tree.
func (s *source) place(path string) string {
	if s.mirror == "" || !within(path, s.userRoot) {
		return path
	}
	return s.mirrored(path)
}

func (s *source) mirrored(path string) string {
	volume := filepath.VolumeName(path)
	return filepath.Join(s.mirror, strings.TrimSuffix(volume, ":"), path[len(volume):])
}

// write opens the mirror to write at a path in it, and makes the directories above
// it. The links of a revision may lead to any file of the user, and nothing is
// written behind them.
func (s *source) write(path string) (mirror *os.Root, name string, err error) {
	if name, err = filepath.Rel(s.mirror, path); err != nil {
		return nil, "", err
	}
	if mirror, err = os.OpenRoot(s.mirror); err != nil {
		return nil, "", err
	}
	if err = mirror.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return nil, "", errors.Join(err, mirror.Close())
	}
	return mirror, name, nil
}

func (s *source) writeFile(path string, data []byte) error {
	mirror, name, err := s.write(path)
	if err != nil {
		return err
	}
	defer mirror.Close()
	return mirror.WriteFile(name, data, 0o600)
}

func (s *source) link(to, path string) error {
	mirror, name, err := s.write(path)
	if err != nil {
		return err
	}
	defer mirror.Close()
	return mirror.Symlink(to, name)
}

// home maps a path in the variant's tree to the same path in the user's tree.
func (s *source) home(path string) string {
	if s.mirror == "" || !within(path, s.mirror) {
		return path
	}
	volume := filepath.VolumeName(s.userRoot)
	rest := strings.TrimPrefix(path, filepath.Join(s.mirror, strings.TrimSuffix(volume, ":")))
	if rest == "" {
		rest = string(filepath.Separator)
	}
	return volume + rest
}

func within(path, root string) bool {
	return root != "" && (path == root || strings.HasPrefix(path, strings.TrimSuffix(root, string(filepath.Separator))+string(filepath.Separator)))
}

// absolute resolves a path that may be relative to a directory.
func absolute(dir, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// source finds or makes the files of the spec's revision. Variants of one
// commit share them.
func (b *Builder) source(ctx context.Context, spec Spec) (*source, error) {
	if spec.Revision == WorkingTree {
		if s := b.sources[WorkingTree]; s != nil {
			return s, nil
		}
		s := &source{dir: b.dir}
		if root, _, err := b.git(ctx, b.dir, nil, "rev-parse", "--show-toplevel"); err == nil {
			s.userRoot, s.root = filepath.FromSlash(root), filepath.FromSlash(root)
			status, _, err := b.git(ctx, b.dir, nil, "status", "--porcelain", "--ignore-submodules=none")
			s.dirty = err == nil && status != ""
			switch {
			case err == nil && s.dirty:
				s.digest = b.changes(ctx, s.root)
			case err == nil:
				s.commit, _, _ = b.git(ctx, b.dir, nil, "rev-parse", "--verify", "--quiet", "HEAD")
			}
		} else if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		b.sources[WorkingTree] = s
		return s, nil
	}
	at, err := b.resolve(ctx, spec)
	if err != nil {
		return nil, err
	}
	if s := b.sources[at.commit]; s != nil {
		return s, nil
	}
	s := &source{commit: at.commit, userRoot: at.root}
	if err := b.checkOut(ctx, spec, s, at); err != nil {
		return nil, err
	}
	b.sources[at.commit] = s
	return s, nil
}

// checkOut writes the files of s.commit. Their path under the mirror is the path of the user's checkout under the root of the file system. Relative paths
// that leave the repository (replace => ../x) then have a target. The path is
// the same in every run, so that go's build cache finds the packages again.
func (b *Builder) checkOut(ctx context.Context, spec Spec, s *source, at location) error {
	slot, err := acquireSlot(b.parent, "w"+digestOf([]byte(at.common + "\x00" + s.commit))[:12])
	if err != nil {
		return err
	}
	b.slots = append(b.slots, slot)
	s.mirror = slot.dir
	s.root = s.mirrored(s.userRoot)
	b.progress("check out %s", spec.Revision)
	files := repository{root: s.root, userRoot: s.userRoot, gitDir: at.common}
	if output, err := files.fill(ctx, b, s.commit); err != nil {
		return fail(spec, "check out", output, err, "")
	}
	s.dir = filepath.Join(s.root, at.prefix)
	if err := b.fillSubmodules(ctx, s, files); err != nil {
		return err
	}
	if info, err := os.Stat(s.dir); errors.Is(err, fs.ErrNotExist) || err == nil && !info.IsDir() {
		s.missing = true
		return nil
	}
	if err := b.reachOutside(ctx, spec, s); err != nil {
		return err
	}
	if err := b.bringIgnored(ctx, s); err != nil {
		return fail(spec, "bring ignored files", "", err, "")
	}
	return nil
}

// changes returns a digest of the commit of a working tree and of the
// differences from it. It is empty if git or a file cannot be read.
func (b *Builder) changes(ctx context.Context, root string) string {
	sum := sha256.New()
	for _, args := range [][]string{{"rev-parse", "HEAD"}, {"-c", "diff.autoRefreshIndex=false", "diff", "--binary", "--no-ext-diff", "--no-textconv", "--submodule=diff", "HEAD"}} {
		out, _, err := b.git(ctx, root, nil, args...)
		if err != nil {
			return ""
		}
		fmt.Fprintf(sum, "%q\n", out)
	}
	untracked, _, err := b.git(ctx, root, nil, "ls-files", "--others", "--exclude-standard", "-z")
	if err != nil {
		return ""
	}
	for name := range strings.SplitSeq(strings.TrimSuffix(untracked, "\x00"), "\x00") {
		fmt.Fprintf(sum, "%q\n", []string{name, HashFile(ctx, filepath.Join(root, filepath.FromSlash(name)))})
	}
	return fmt.Sprintf("%x", sum.Sum(nil))
}

// gitEnv is the environment of git. It prevents password prompts, which
// nobody may answer. A partial clone gets missing objects from its remote, but runs
// no command that the repository names for it.
func gitEnv(extra ...string) []string {
	return setenv(process.GitEnv(), append([]string{"GIT_TERMINAL_PROMPT=0", "GIT_ALLOW_PROTOCOL=file:git:http:https:ssh"}, extra...)...)
}

func (b *Builder) git(ctx context.Context, dir string, extra []string, args ...string) (string, string, error) {
	stdout, stderr, err := b.Exec(ctx, Command{Dir: dir, Env: gitEnv(extra...), Args: append([]string{"git"}, process.GitArgs(args...)...)})
	if err != nil {
		return "", printed(stdout, stderr, err), err
	}
	return strings.TrimSuffix(string(stdout), "\n"), "", nil
}
