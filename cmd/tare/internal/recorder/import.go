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
	"time"

	"github.com/tarebench/tare/cmd/tare/internal/benchfile"
	"github.com/tarebench/tare/cmd/tare/internal/history"
	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/session"
)

// Imported is what an import did.
type Imported struct {
	// Values and Commits count the points that were added, Rows those of the
	// comparisons, Known the files that the history has already.
	Values, Commits, Rows, Known int
	// Left says what was left out, and why.
	Left []string
}

// Import adds what was measured before to a history. What other tools measured
// becomes points: benchmark files whose lines name their commit ("commit:
// HASH"), folders of such files whose names are hashes, and results of asv. The
// comparisons of a study of tare become edges, as with -record. A path is a
// file, or a folder that is searched whole.
func Import(ctx context.Context, store history.Store, repo Repository, paths []string, now time.Time) (Imported, error) {
	names, err := store.List(ctx)
	if err != nil {
		return Imported{}, err
	}
	all, _ := repo.log(ctx, "--all", "--") // none outside of a repository
	i := importing{store: store, repo: repo, now: now, commits: newCommits(all), names: names, added: make(map[string]bool)}
	for _, path := range paths {
		files, err := filesIn(path)
		if err != nil {
			return i.out, fmt.Errorf("import points: %w", err)
		}
		for _, file := range files {
			if err := i.file(ctx, file); err != nil {
				return i.out, fmt.Errorf("import %s: %w", file, err)
			}
		}
	}
	return i.out, nil
}

// importing is an import under way.
type importing struct {
	store   history.Store
	repo    Repository
	now     time.Time
	commits commits
	// names are the files of the store, studies its comparisons once one is
	// imported.
	names   []string
	studies []history.Study
	loaded  bool
	added   map[string]bool // commits
	out     Imported
}

func (i *importing) left(file, why string) { i.out.Left = append(i.out.Left, file+": "+why) }

func (i *importing) file(ctx context.Context, file string) error {
	in := read(file)
	if in.why != "" {
		i.left(file, in.why)
	}
	if in.recording != nil {
		return i.recording(ctx, file, in.recording)
	}
	for _, p := range in.points {
		var why string
		if p.Commit, why = i.commits.find(p.Commit); why != "" {
			i.left(file, why)
			continue
		}
		name, added, err := history.AddPoints(ctx, i.store, p, i.names)
		if err != nil {
			return err
		}
		if !added {
			i.out.Known++
			continue
		}
		i.names = append(i.names, name)
		i.added[p.Commit.Hash] = true
		i.out.Values += len(p.Values)
		i.out.Commits = len(i.added)
	}
	return nil
}

// recording adds the comparisons of a study of tare.
func (i *importing) recording(ctx context.Context, file string, rec *result.Recording) error {
	if len(rec.Study.Variants) < 2 {
		i.left(file, "a study of one variant compares nothing")
		return nil
	}
	studies, left, err := i.repo.studies(ctx, session.Compare(rec), rec.Study.Created)
	if err != nil { // such as a commit that is not in this repository
		i.left(file, err.Error())
		return ctx.Err()
	}
	for _, why := range left {
		i.left(file, why)
	}
	for _, study := range studies {
		known, err := i.has(ctx, study)
		if err != nil {
			return err
		}
		if known {
			i.out.Known++
			continue
		}
		if _, err := history.Add(ctx, i.store, history.Entry{Study: &study}, i.now); err != nil {
			return err
		}
		i.studies = append(i.studies, study)
		i.out.Rows += len(study.Rows)
	}
	return nil
}

// has reports whether the history has as much of the measurement already.
func (i *importing) has(ctx context.Context, s history.Study) (bool, error) {
	if !i.loaded {
		files, _, err := history.Load(ctx, i.store)
		if err != nil {
			return false, err
		}
		for _, f := range files {
			if f.Study != nil {
				i.studies = append(i.studies, *f.Study)
			}
		}
		i.loaded = true
	}
	return slices.ContainsFunc(i.studies, func(old history.Study) bool {
		return old.SameMeasurement(s) && blocks(old) >= blocks(s)
	}), nil
}

func blocks(s history.Study) (n int) {
	for _, r := range s.Rows {
		n += r.Blocks
	}
	return n
}

// filesIn lists the files of a folder, without hidden ones, or the file itself.
// Of the folder of a study it is the recording alone.
func filesIn(path string) (files []string, err error) {
	err = filepath.WalkDir(path, func(at string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		hidden := at != path && strings.HasPrefix(d.Name(), ".")
		if d.IsDir() && !hidden {
			study := filepath.Join(at, "result.jsonl")
			if info, err := os.Stat(study); err == nil && info.Mode().IsRegular() {
				files = append(files, study)
				return fs.SkipDir
			}
		}
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

// content is what a file has: points, or a recording; why says what is left
// out of it.
type content struct {
	points    []history.Points
	recording *result.Recording
	why       string
}

// read reads a file of whatever kind.
func read(path string) content {
	if strings.HasSuffix(path, ".json") {
		data, err := os.ReadFile(path)
		if err != nil {
			return content{why: err.Error()}
		}
		if points, is, why := asvPoints(path, data); is {
			return content{points: points, why: why}
		}
	}
	f, err := benchfile.ReadAll([]benchfile.Input{{Label: path, Path: path}}, nil)
	if err != nil {
		return content{why: err.Error()}
	}
	if f[0].Recording != nil {
		return content{recording: f[0].Recording}
	}
	points, why := benchmarkPoints(path, f[0])
	return content{points: points, why: why}
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
