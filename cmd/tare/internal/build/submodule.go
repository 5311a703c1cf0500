package build

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/tarebench/tare/cmd/tare/internal/kind"
	"github.com/tarebench/tare/internal/finding"
)

// checkOutSubmodules fills the submodules of a worktree, which git worktree add
// leaves empty. git submodule update would fetch from the network and write to
// the user's .git/config. The user's clone contains the objects already, and
// reading a tree into a separate index needs nothing else.
func (b *Builder) checkOutSubmodules(ctx context.Context, s *source, common string) error {
	return b.fillSubmodules(ctx, s, repository{s.root, s.userRoot, common, nil})
}

// repository is a checked out repository or submodule.
type repository struct {
	// root is its directory in the worktree, userRoot in the user's checkout.
	root, userRoot string
	// gitDir contains its objects and the objects of its submodules.
	gitDir string
	// env selects its index. It is nil for the worktree itself.
	env []string
}

func (b *Builder) fillSubmodules(ctx context.Context, s *source, r repository) error {
	config := filepath.Join(r.root, ".gitmodules")
	if !exists(config) {
		return nil
	}
	listing, _, err := b.git(ctx, r.root, nil, "config", "-z", "--file", config, "--get-regexp", `^submodule\..*\.path$`)
	if err != nil {
		return context.Cause(ctx) // no submodule in it
	}
	// The listing is "submodule.NAME.path\nPATH\0" for each.
	for pair := range strings.SplitSeq(strings.TrimSuffix(listing, "\x00"), "\x00") {
		key, path, ok := strings.Cut(pair, "\n")
		if !ok || !filepath.IsLocal(filepath.FromSlash(path)) {
			continue
		}
		name := strings.TrimSuffix(strings.TrimPrefix(key, "submodule."), ".path")
		commit := b.submoduleCommit(ctx, r, path)
		if commit == "" {
			continue // listed, but not in this revision
		}
		// git refuses such a name (CVE-2018-11235): it would lead to a repository
		// in the checkout, whose settings name commands.
		inner, problem := repository{}, "its name is not a path within .git/modules"
		if filepath.IsLocal(filepath.FromSlash(name)) {
			inner, problem = b.fillSubmodule(ctx, r, name, path, commit)
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if problem != "" {
			s.findings = append(s.findings, kind.SubmoduleMissing.Of(path, finding.Text("revision", fmt.Sprintf("%.12s", s.commit)), finding.Text("why", fmt.Sprint(problem))))
			continue
		}
		if err := b.fillSubmodules(ctx, s, inner); err != nil {
			return err
		}
	}
	return nil
}

// submoduleCommit is the commit in the index of r at path, "" for none.
func (b *Builder) submoduleCommit(ctx context.Context, r repository, path string) string {
	staged, _, err := b.git(ctx, r.root, r.env, "ls-files", "--stage", "-z", "--", path)
	if err != nil {
		return ""
	}
	for line := range strings.SplitSeq(staged, "\x00") {
		if mode, rest, _ := strings.Cut(line, " "); mode == "160000" {
			commit, _, _ := strings.Cut(rest, " ")
			return commit
		}
	}
	return ""
}

// fillSubmodule writes the files of commit to path. It returns the submodule,
// or the problem.
func (b *Builder) fillSubmodule(ctx context.Context, r repository, name, path, commit string) (inner repository, problem string) {
	inner = repository{root: filepath.Join(r.root, filepath.FromSlash(path)), userRoot: filepath.Join(r.userRoot, filepath.FromSlash(path))}
	if err := os.MkdirAll(inner.root, 0o777); err != nil {
		return inner, err.Error()
	}
	candidates := []string{filepath.Join(r.gitDir, "modules", filepath.FromSlash(name))}
	if exists(filepath.Join(inner.userRoot, ".git")) {
		if own, _, err := b.git(ctx, inner.userRoot, nil, "rev-parse", "--absolute-git-dir"); err == nil {
			candidates = append(candidates, filepath.FromSlash(own))
		}
	}
	sum := sha256.Sum256([]byte(inner.root))
	index := filepath.Join(b.run.dir, "index-"+hex.EncodeToString(sum[:6]))
	problem = "its history is not in this clone"
	for _, gitDir := range candidates {
		if !exists(filepath.Join(gitDir, "objects")) {
			continue
		}
		inner.gitDir = gitDir
		inner.env = []string{"GIT_DIR=" + gitDir, "GIT_WORK_TREE=" + inner.root, "GIT_INDEX_FILE=" + index}
		if _, _, err := b.git(ctx, inner.root, inner.env, "cat-file", "-e", commit+"^{commit}"); err != nil {
			problem = fmt.Sprintf("commit %.12s is not in this clone", commit)
			continue
		}
		if _, output, err := b.git(ctx, inner.root, inner.env, "read-tree", commit); err != nil {
			problem = output
			continue
		}
		if _, output, err := b.git(ctx, inner.root, inner.env, "checkout-index", "--all", "--quiet"); err != nil {
			problem = output
			continue
		}
		return inner, ""
	}
	return inner, problem
}
