package history

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/tarebench/tare/cmd/tare/internal/build"
	"github.com/tarebench/tare/cmd/tare/internal/catalog"
	"github.com/tarebench/tare/cmd/tare/internal/judge"
	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/session"
)

func compare(ctx context.Context, spec session.Spec, p Pair, w session.Watcher) (result.Comparison, error) {
	spec.Alpha, spec.TotalSeconds, spec.Rank = p.Alpha, p.Total.Seconds(), p.Rank
	spec.Kind = "compare"
	var err error
	if spec.Variants, err = build.ParseAll(p.Old, p.New); err != nil {
		return result.Comparison{}, err
	}
	if p.Bench != "" {
		spec.MaxBlocks = max(spec.MaxBlocks, confirming(p.Alpha))
		spec.Bench = result.ExactPattern("Benchmark" + p.Bench)
	}
	if p.Pkg != "" {
		spec.Packages = []string{p.Pkg}
	}
	s, err := session.Open(ctx, spec, w)
	if err != nil {
		return result.Comparison{}, err
	}
	err = s.Run(ctx)
	err = errors.Join(err, s.Close())
	if p.Total > 0 && ctx.Err() == nil && s.Recording() != nil && slices.ContainsFunc(s.Recording().Findings, catalog.PackageNotReached.Is) {
		return s.Comparison(), nil // there was no time for the builds
	}
	if err != nil && !s.Measured() {
		return result.Comparison{}, err
	}
	return s.Comparison(), nil
}

// confirming is the least number of blocks of a candidate: twice the number
// that its level needs if all of them agree. The level falls with every test
// that finds nothing. With too few blocks, no candidate would ever be decided.
func confirming(level float64) int { return 2 * judge.LeastBlocks(level) }

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
