package build

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/tarebench/tare/cmd/tare/internal/catalog"
	"github.com/tarebench/tare/internal/finding"
)

// repository is a repository or submodule whose files are written to root,
// outside the user's checkout.
type repository struct {
	// root is the directory of the files, userRoot its counterpart in the user's
	// checkout.
	root, userRoot string
	// gitDir contains its objects and the objects of its submodules. index is a
	// file that git makes.
	gitDir, index string
}

// git runs git with the repository's objects, index and files.
func (r repository) git(ctx context.Context, b *Builder, args ...string) (stdout, output string, err error) {
	return b.git(ctx, r.root, []string{"GIT_DIR=" + r.gitDir, "GIT_WORK_TREE=" + r.root, "GIT_INDEX_FILE=" + r.index}, args...)
}

// fill writes the files of a commit to the root. It changes nothing in the user's
// repository.
func (r *repository) fill(ctx context.Context, b *Builder, commit string) (output string, err error) {
	if err := os.MkdirAll(r.root, 0o777); err != nil {
		return err.Error(), err
	}
	r.index = filepath.Join(b.run.dir, "index-"+digestOf([]byte(r.root))[:12])
	_, output, err = r.git(ctx, b, "read-tree", "--reset", "-u", "--no-sparse-checkout", "--no-recurse-submodules", commit)
	return output, err
}

// fillSubmodules fills the submodules of a filled repository. git submodule
// update would fetch from the network and write to the user's .git/config. The
// user's clone already contains the objects.
func (b *Builder) fillSubmodules(ctx context.Context, s *source, r repository) error {
	config := filepath.Join(r.root, ".gitmodules")
	if !exists(config) {
		return nil
	}
	listing, _, err := b.git(ctx, r.root, nil, "config", "-z", "--file", config, "--get-regexp", `^submodule\..*\.path$`)
	if err != nil {
		return context.Cause(ctx) // no submodule in it
	}
	staged, output, err := r.git(ctx, b, "ls-files", "--stage", "-z")
	if err != nil {
		return fmt.Errorf("list submodules of %.12s: %w: %s", s.commit, err, output)
	}
	commits := make(map[string]string) // by path
	for line := range strings.SplitSeq(staged, "\x00") {
		if entry, path, _ := strings.Cut(line, "\t"); strings.HasPrefix(entry, "160000 ") {
			commits[path], _, _ = strings.Cut(strings.TrimPrefix(entry, "160000 "), " ")
		}
	}
	// The listing is "submodule.NAME.path\nPATH\0" for each.
	for pair := range strings.SplitSeq(strings.TrimSuffix(listing, "\x00"), "\x00") {
		key, path, ok := strings.Cut(pair, "\n")
		if !ok || !filepath.IsLocal(filepath.FromSlash(path)) {
			continue
		}
		name := strings.TrimSuffix(strings.TrimPrefix(key, "submodule."), ".path")
		commit := commits[path]
		if commit == "" {
			continue // not in this revision, or listed before
		}
		delete(commits, path)
		// git rejects such a name (CVE-2018-11235). It would lead to a repository in
		// the checkout, whose settings name commands.
		inner, problem := repository{}, "its name is not a path within .git/modules"
		if throughLink(r.root, path) {
			problem = "a link is above it"
		} else if filepath.IsLocal(filepath.FromSlash(name)) {
			inner, problem = b.fillSubmodule(ctx, r, name, path, commit)
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if problem != "" {
			s.findings = append(s.findings, catalog.SubmoduleMissing.Of(path, finding.Text("revision", fmt.Sprintf("%.12s", s.commit)), finding.Text("why", fmt.Sprint(problem))))
			continue
		}
		if err := b.fillSubmodules(ctx, s, inner); err != nil {
			return err
		}
	}
	return nil
}

func throughLink(root, path string) bool {
	at := root
	for part := range strings.SplitSeq(path, "/") {
		at = filepath.Join(at, part)
		if info, err := os.Lstat(at); err == nil && info.Mode()&os.ModeSymlink != 0 {
			return true
		}
	}
	return false
}

// fillSubmodule writes the files of commit to path. It returns the submodule,
// or the problem.
func (b *Builder) fillSubmodule(ctx context.Context, r repository, name, path, commit string) (inner repository, problem string) {
	inner = repository{root: filepath.Join(r.root, filepath.FromSlash(path)), userRoot: filepath.Join(r.userRoot, filepath.FromSlash(path))}
	candidates := []string{filepath.Join(r.gitDir, "modules", filepath.FromSlash(name))}
	if exists(filepath.Join(inner.userRoot, ".git")) {
		if own, _, err := b.git(ctx, inner.userRoot, nil, "rev-parse", "--absolute-git-dir"); err == nil {
			candidates = append(candidates, filepath.FromSlash(own))
		}
	}
	problem = "its history is not in this clone"
	for _, gitDir := range candidates {
		if !exists(filepath.Join(gitDir, "objects")) {
			continue
		}
		inner.gitDir = gitDir
		if _, _, err := b.git(ctx, r.root, []string{"GIT_DIR=" + gitDir}, "cat-file", "-e", commit+"^{commit}"); err != nil {
			problem = fmt.Sprintf("commit %.12s is not in this clone", commit)
			continue
		}
		if output, err := inner.fill(ctx, b, commit); err != nil {
			problem = output
			continue
		}
		return inner, ""
	}
	return inner, problem
}
