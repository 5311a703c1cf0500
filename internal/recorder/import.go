package recorder

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tarebench/tare/internal/history"
)

// Imported is what an import did.
type Imported struct {
	// Values and Commits count what was added, Known the files whose points
	// the history has already.
	Values, Commits, Known int
	// Left says what was left out, and why.
	Left []string
}

// Import adds what other tools measured to a history, as points: benchmark
// files whose lines name their commit ("commit: HASH"), folders of such files
// whose names are hashes, and results of asv. A path is a file, or a folder that
// is searched whole.
func Import(ctx context.Context, store history.Store, repo Repository, paths []string) (Imported, error) {
	var out Imported
	names, err := store.List(ctx)
	if err != nil {
		return out, err
	}
	all, _ := repo.log(ctx, "--all", "--") // none outside of a repository
	known := newCommits(all)
	commits := make(map[string]bool)
	for _, path := range paths {
		files, err := filesIn(path)
		if err != nil {
			return out, fmt.Errorf("import points: %w", err)
		}
		for _, file := range files {
			list, why := pointsIn(file)
			if why != "" {
				out.Left = append(out.Left, file+": "+why)
			}
			for _, p := range list {
				if p.Commit, why = known.find(p.Commit); why != "" {
					out.Left = append(out.Left, file+": "+why)
					continue
				}
				name, added, err := history.AddPoints(ctx, store, p, names)
				if err != nil {
					return out, fmt.Errorf("import %s: %w", file, err)
				}
				if !added {
					out.Known++
					continue
				}
				names = append(names, name)
				commits[p.Commit.Hash] = true
				out.Values += len(p.Values)
				out.Commits = len(commits)
			}
		}
	}
	return out, nil
}

// filesIn lists the files of a folder, without hidden ones, or the file itself.
func filesIn(path string) (files []string, err error) {
	err = filepath.WalkDir(path, func(at string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		hidden := at != path && strings.HasPrefix(d.Name(), ".")
		switch {
		case hidden && d.IsDir():
			return fs.SkipDir
		case !hidden && d.Type().IsRegular(), at == path && !d.IsDir():
			files = append(files, at)
		}
		return nil
	})
	return files, err
}

// pointsIn reads a file of whatever kind; why says what is left out of it.
func pointsIn(path string) (list []history.Points, why string) {
	if strings.HasSuffix(path, ".json") {
		data, err := os.ReadFile(path)
		if err != nil {
			return nil, err.Error()
		}
		if p, is, why := asvPoints(path, data); is {
			return p, why
		}
	}
	return benchmarkPoints(path)
}

// hexadecimal reports whether text is a hash of git, whole or abbreviated.
func hexadecimal(text string) bool {
	return len(text) >= 7 && len(text) <= 64 && strings.Trim(text, "0123456789abcdef") == ""
}

// commits finds those of a repository by their hashes.
type commits struct{ list []history.Commit }

func newCommits(list []history.Commit) commits {
	slices.SortFunc(list, func(a, b history.Commit) int { return cmp.Compare(a.Hash, b.Hash) })
	return commits{list}
}

// find completes a commit that a file names by its hash. One that is not in the
// repository, such as on a branch that was deleted, is kept where its hash is
// whole.
func (c commits) find(named history.Commit) (_ history.Commit, why string) {
	hash := strings.ToLower(named.Hash)
	if !hexadecimal(hash) {
		return named, fmt.Sprintf("%q is no hash of a commit", named.Hash)
	}
	i, _ := slices.BinarySearchFunc(c.list, hash, func(c history.Commit, hash string) int { return cmp.Compare(c.Hash, hash) })
	begins := func(i int) bool { return i < len(c.list) && strings.HasPrefix(c.list[i].Hash, hash) }
	switch {
	case begins(i) && begins(i+1):
		return named, fmt.Sprintf("several commits begin with %s", hash)
	case begins(i):
		return c.list[i], ""
	case len(hash) < 40:
		return named, fmt.Sprintf("commit %s is not in this repository, and its hash is not whole", hash)
	}
	named.Hash = hash
	return named, ""
}

// distinct keeps the first of several values that have one name, and none
// without a name: a history has one of each.
func distinct(values []history.Value) []history.Value {
	seen := make(map[history.Key]bool)
	return slices.DeleteFunc(values, func(v history.Value) bool {
		twice := seen[v.Key()]
		seen[v.Key()] = true
		return twice || v.Name == "" || v.Unit == ""
	})
}
