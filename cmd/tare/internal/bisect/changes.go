package bisect

import (
	"context"
	"fmt"
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

// searchSets searches among the changes of the specification.
func (p *prober) searchSets(ctx context.Context) (result.Bisection, error) {
	names := p.spec.Changes.Names()
	r := result.Bisection{Schema: result.Schema, Of: p.spec.Of, Unit: p.spec.Unit, Points: len(names) + 1, Folder: p.spec.Folder,
		Good: p.points[0], Bad: p.points[len(p.points)-1]}
	found, err := SearchSets(ctx, p, len(names), Options{MaxBlocks: p.spec.MaxBlocks, Enough: p.enough})
	if p.chosen != nil {
		r.Benchmark = *p.chosen
	}
	r.Others = p.others
	r.Ends, r.Differs, r.Same, r.SameCodeEnds = change(found.Ends), found.Ends.Differs, found.Ends.Same, found.Ends.SameCode
	r.Exact, r.Old, r.New = found.Ends.Exact, found.Ends.Old, found.Ends.New
	points := func(set []int) (all []result.Point) {
		for _, k := range set {
			all = append(all, result.Point{Name: names[k]})
		}
		return all
	}
	for _, g := range found.Groups {
		with := append(append([]int(nil), g.Before...), g.Changes...)
		o := g.Outcome
		r.Steps = append(r.Steps, result.BisectionStep{Points: points(g.Changes), Parent: p.setPoint(ctx, g.Before), First: p.setPoint(ctx, with),
			Change: change(o), Exact: o.Exact, Old: o.Old, New: o.New, Causes: p.causes[setPair(g.Before, with)]})
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

// setPoint describes the variant with some of the changes.
func (p *prober) setPoint(ctx context.Context, set []int) result.Point {
	text, _ := p.spec.Changes.Variant(ctx, p.spec.Folder, set)
	return result.Point{Variant: text, Name: setName(set)}
}

// CompareSets runs the ordinary rule of a comparison, or counts.
func (p *prober) CompareSets(ctx context.Context, a, b []int) (Outcome, error) {
	q := question{From: setName(a), To: setName(b), from: a, to: b}
	if p.spec.Unit != "sec/op" && !p.varies {
		q.Kind, q.N = "count", countBlocks
		ans, err := p.ask(ctx, q)
		if err != nil || ans.Exact || ans.SameCode {
			return ans.outcome(), err
		}
		p.varies = true
	}
	q.Kind, q.N = "compare", 0
	ans, err := p.ask(ctx, q)
	return ans.outcome(), err
}

// SetBlocks measures n further blocks.
func (p *prober) SetBlocks(ctx context.Context, a, b []int, n int) ([]float64, error) {
	ans, err := p.ask(ctx, question{Kind: "blocks", From: setName(a), To: setName(b), N: n, from: a, to: b})
	if err == nil && ans.SameCode {
		err = ErrSameCode
	}
	return ans.Logs, err
}

// setName names a set of changes by their numbers from 1; "none" for the empty
// set.
func setName(set []int) string {
	if len(set) == 0 {
		return "none"
	}
	var all []string
	for _, k := range set {
		all = append(all, fmt.Sprint(k+1))
	}
	return strings.Join(all, ",")
}

func setPair(a, b []int) string { return setName(a) + " " + setName(b) }

// variants are the two variants of a question.
func (p *prober) variants(ctx context.Context, q question) (texts [2]string, err error) {
	if q.To == "" {
		return [2]string{p.points[q.A].Variant, p.points[q.B].Variant}, nil
	}
	for i, set := range [][]int{q.from, q.to} {
		if texts[i], err = p.spec.Changes.Variant(ctx, p.spec.Folder, set); err != nil {
			return texts, err
		}
	}
	return texts, nil
}

// otherModule reports whether two sets differ in a go.mod: then the settings of
// the module are not part of the machine code.
func (p *prober) otherModule(q question) bool {
	if q.To == "" {
		return false
	}
	names := p.spec.Changes.Names()
	for _, k := range q.to {
		if strings.HasSuffix(names[k], "go.mod") || strings.HasSuffix(names[k], "go.work") {
			return true
		}
	}
	return false
}
