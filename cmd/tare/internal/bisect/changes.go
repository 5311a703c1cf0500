package bisect

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/tarebench/tare/cmd/tare/internal/result"
)

// Changes are changes without an order, each of which can be made by itself.
type Changes interface {
	// Names are the names of the changes.
	Names() []string
	// Variant is a variant with some of them, as the command line has it. The files
	// that its build needs are kept in a directory.
	Variant(ctx context.Context, folder string, set []int) (string, error)
}

// searchSets searches among the changes of the specification. A set of changes
// becomes a point when it is first measured.
func (p *prober) searchSets(ctx context.Context) (result.Bisection, error) {
	names := p.spec.Changes.Names()
	found, err := SearchSets(ctx, p, len(names), Options{MaxBlocks: p.spec.MaxBlocks, Enough: p.enough})
	r := p.result(p.spec.Of, len(names)+1, found.Ends)
	points := func(set []int) (all []result.Point) {
		for _, k := range set {
			all = append(all, result.Point{Name: names[k]})
		}
		return all
	}
	for _, g := range found.Groups {
		a, aerr := p.point(ctx, g.Before)
		b, berr := p.point(ctx, union(g.Before, g.Changes))
		if aerr == nil && berr == nil {
			step := p.confirmed(Culprit{Parent: a, Commit: b, Change: g.Outcome})
			step.Points = points(g.Changes)
			r.Steps = append(r.Steps, step)
		}
	}
	r.Open, r.Blocks = points(found.Open), found.Blocks
	if found.Rest != nil {
		rest := change(*found.Rest)
		r.Rest = &rest
	}
	if found.Unbuilt > 0 {
		r.Broken = []result.BrokenPoint{{Point: result.Point{Name: fmt.Sprintf("%d of the mixtures", found.Unbuilt)}, Reason: found.Reason}}
	}
	return r, err
}

// point is the number of the point that a set of changes is.
func (p *prober) point(ctx context.Context, set []int) (int, error) {
	text, err := p.spec.Changes.Variant(ctx, p.spec.Folder, set)
	if err != nil {
		return 0, err
	}
	if k := slices.IndexFunc(p.points, func(q result.Point) bool { return q.Variant == text }); k >= 0 {
		return k, nil
	}
	p.points = append(p.points, result.Point{Variant: text, Name: setName(set)})
	return len(p.points) - 1, nil
}

// CompareSets compares two sets as Compare does two points.
func (p *prober) CompareSets(ctx context.Context, a, b []int) (Outcome, error) {
	from, err := p.point(ctx, a)
	if err != nil {
		return Outcome{}, err
	}
	to, err := p.point(ctx, b)
	if err != nil {
		return Outcome{}, err
	}
	return p.Compare(ctx, from, to)
}

// setName names a set of changes by their numbers from 1.
func setName(set []int) string {
	var all []string
	for _, k := range set {
		all = append(all, fmt.Sprint(k+1))
	}
	return strings.Join(all, ",")
}
