package bisect

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tarebench/tare/cmd/tare/internal/build"
	"github.com/tarebench/tare/cmd/tare/internal/git"
	"github.com/tarebench/tare/cmd/tare/internal/result"
)

// FileSet has the files that differ between two commits. Each is a change that
// can be made by itself: the old commit is built with an overlay that has some
// of the new files.
type FileSet struct {
	// Old and New are the two ends.
	Old, New result.Point

	run       git.Exec
	dir, root string
	names     []string
	deleted   map[string]bool
	hash      [2]string
}

// ListFiles lists the files that differ between two commits.
func ListFiles(ctx context.Context, run git.Exec, dir string, old, new build.Spec) (*FileSet, error) {
	f := &FileSet{run: run, dir: dir, deleted: make(map[string]bool)}
	if keys(old) != keys(new) {
		return nil, fmt.Errorf("bisect files: %s and %s differ in more than the revision: give both the same keys", old.Label, new.Label)
	}
	for i, s := range []build.Spec{old, new} {
		if s.Revision == "" || s.Revision == build.WorkingTree {
			return nil, fmt.Errorf("bisect files: %s is not a commit: commit the changes first, or name a revision", s.Label)
		}
		points, err := log(ctx, run, dir, keys(s), "-1", "--end-of-options", s.Revision)
		if err != nil {
			return nil, fmt.Errorf("bisect files: %w: git log --oneline lists revisions", err)
		}
		if len(points) != 1 {
			return nil, fmt.Errorf("bisect files: %s is not a commit", s.Label)
		}
		f.hash[i], _, _ = strings.Cut(points[0].Variant, ",")
		if i == 0 {
			f.Old = points[0]
		} else {
			f.New = points[0]
		}
	}
	out, err := run(ctx, dir, "git", "rev-parse", "--show-toplevel")
	if err != nil {
		return nil, fmt.Errorf("bisect files: %w: run it in a clone that has a checkout", err)
	}
	f.root = filepath.FromSlash(strings.TrimSpace(string(out)))
	if out, err = run(ctx, dir, "git", "diff", "--name-status", "--no-renames", "-z", f.hash[0], f.hash[1], "--"); err != nil {
		return nil, fmt.Errorf("bisect files: %w", err)
	}
	fields := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
	for i := 0; i+1 < len(fields); i += 2 {
		f.names = append(f.names, fields[i+1])
		f.deleted[fields[i+1]] = fields[i] == "D"
	}
	if len(f.names) == 0 {
		return nil, fmt.Errorf("bisect files: no file differs between %s and %s", old.Label, new.Label)
	}
	return f, nil
}

// Names are the paths of the files in the repository.
func (f *FileSet) Names() []string { return f.names }

// Variant is the old commit with some of the new files, as the command line has
// it. Overlays and files are kept in a directory. All files are the new commit.
func (f *FileSet) Variant(ctx context.Context, folder string, set []int) (string, error) {
	switch len(set) {
	case 0:
		return f.Old.Variant, nil
	case len(f.names):
		return f.New.Variant, nil
	}
	replace := make(map[string]string)
	for _, k := range set {
		name := f.names[k]
		to := ""
		if !f.deleted[name] {
			var err error
			if to, err = f.keep(ctx, folder, name); err != nil {
				return "", err
			}
		}
		replace[filepath.Join(f.root, filepath.FromSlash(name))] = to
	}
	data, err := json.MarshalIndent(map[string]any{"Replace": replace}, "", "\t")
	if err != nil {
		return "", err
	}
	path := filepath.Join(folder, overlayName(set)+".json")
	if err := os.WriteFile(path, data, 0o666); err != nil {
		return "", fmt.Errorf("write overlay: %w", err)
	}
	return f.Old.Variant + ",flags=-overlay=" + strings.ReplaceAll(path, ",", `\,`), nil
}

// overlayName names a set by its numbers from 1: "with-1-3-4".
func overlayName(set []int) string {
	name := "with"
	for _, k := range slices.Sorted(slices.Values(set)) {
		name += fmt.Sprintf("-%d", k+1)
	}
	if len(name) > 200 {
		name = fmt.Sprintf("with-%d-files-%d-to-%d-%x", len(set), set[0]+1, set[len(set)-1]+1, name[len(name)-40:])
	}
	return name
}

// keep writes a file of the new commit into a directory.
func (f *FileSet) keep(ctx context.Context, folder, name string) (string, error) {
	path := filepath.Join(folder, "new", filepath.FromSlash(name))
	if _, err := os.Stat(path); err == nil {
		return path, nil
	}
	data, err := f.run(ctx, f.root, "git", "cat-file", "blob", f.hash[1]+":"+name)
	if err != nil {
		return "", fmt.Errorf("read %s of %s: %w", name, f.New.Name, err)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return "", fmt.Errorf("keep %s of %s: %w", name, f.New.Name, err)
	}
	if err := os.WriteFile(path, data, 0o666); err != nil {
		return "", fmt.Errorf("keep %s of %s: %w", name, f.New.Name, err)
	}
	return path, nil
}
