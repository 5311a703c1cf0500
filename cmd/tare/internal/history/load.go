package history

import (
	"context"
	"fmt"
)

// Load reads a store, with the commits in the order of the checked-out branch,
// or by time outside a repository.
func (r Repository) Load(ctx context.Context, store store) (*Graph, []Skipped, error) {
	files, skipped, err := load(ctx, store)
	if err != nil {
		return nil, nil, err
	}
	line, _ := r.Line(ctx, "HEAD") // none outside a repository
	return NewGraph(files, hashes(line)), skipped, nil
}

// Find is the number of a commit in a history, by hash or revision.
func (r Repository) Find(ctx context.Context, g *Graph, name string) (int, error) {
	if i := g.Find(name); i >= 0 {
		return i, nil
	}
	if commit, err := r.Commit(ctx, name); err == nil {
		if i := g.Find(commit.Hash); i >= 0 {
			return i, nil
		}
	}
	return 0, fmt.Errorf("find commit %s: it is not in the history: tare history record -variant %s adds it", name, name)
}
