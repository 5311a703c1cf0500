package bisect

import (
	"context"
	"errors"
	"fmt"
	"slices"
)

// SetProber measures sets of changes, numbered from 0: the code with these
// changes and no others. Its errors are those of a [Prober].
type SetProber interface {
	// CompareSets decides by the ordinary rule whether set b differs from
	// set a.
	CompareSets(ctx context.Context, a, b []int) (Outcome, error)
}

// Group is a set of changes that brings a step only together, confirmed by a
// separate comparison.
type Group struct {
	// Changes are made on top of those in Before.
	Before, Changes []int
	Outcome         Outcome
}

// SetResult is the result of a search among changes.
type SetResult struct {
	// Ends compares all changes with none.
	Ends   Outcome
	Groups []Group
	// Open has the remaining changes if the budget ended first, or if they were not
	// confirmed.
	Open []int
	// Rest compares all changes with the changes of the groups; nil if the groups
	// are all.
	Rest *Outcome
	// Blocks counts the blocks measured, Unbuilt the sets that could not be
	// measured. Reason is the error of the first of them.
	Blocks, Unbuilt int
	Reason          string
}

// mostGroups bounds a search among changes.
const mostGroups = 4

// SearchSets names the smallest sets of n changes that carry the change between
// none of them and all of them. It is delta debugging (Zeller and Hildebrandt,
// Simplifying and isolating failure-inducing input, IEEE TSE 28, 2002). A set
// carries the change if a comparison finds at least half of it. A set that cannot be built counts as one that does not: changes that must
// be made together stay together.
func SearchSets(ctx context.Context, p SetProber, n int, o Options) (SetResult, error) {
	if n < 1 {
		return SetResult{}, errors.New("search among changes: there is none")
	}
	if o.MaxBlocks == 0 {
		o.MaxBlocks = mostBlocks
	}
	s := &setSearch{p: p, o: o, known: make(map[string]bool)}
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	ends, err := s.compare(ctx, nil, all)
	if err != nil {
		return s.r, fmt.Errorf("compare all changes with none: %w", err)
	}
	s.r.Ends = ends
	var made []int
	for whole := ends; whole.Differs; {
		left := without(all, made)
		set, err := s.minimize(ctx, made, left, whole)
		if err != nil {
			return s.r, err
		}
		if s.spent() {
			s.r.Open = set
			return s.r, nil
		}
		step, err := s.compare(ctx, made, union(made, set))
		if err != nil {
			return s.r, fmt.Errorf("confirm changes %v: %w", set, err)
		}
		if !step.Differs || !sameSign(step.sign(), whole.sign()) {
			s.r.Open = left
			return s.r, nil
		}
		s.r.Groups = append(s.r.Groups, Group{Before: made, Changes: set, Outcome: step})
		if made = union(made, set); len(made) == n || len(s.r.Groups) == mostGroups {
			break
		}
		if whole, err = s.compare(ctx, made, all); err != nil {
			return s.r, fmt.Errorf("compare the rest of the changes: %w", err)
		}
		s.r.Rest = &whole
	}
	return s.r, nil
}

// sign is the direction of a change, of a count too.
func (o Outcome) sign() float64 {
	if o.Exact {
		return o.New - o.Old
	}
	return o.Center
}

type setSearch struct {
	p     SetProber
	o     Options
	r     SetResult
	known map[string]bool
}

func (s *setSearch) spent() bool {
	return s.r.Blocks >= s.o.MaxBlocks || s.o.Enough != nil && s.o.Enough()
}

func (s *setSearch) compare(ctx context.Context, a, b []int) (Outcome, error) {
	o, err := s.p.CompareSets(ctx, a, b)
	s.r.Blocks += len(o.Logs)
	return o, err
}

// minimize finds a set among the changes left, on top of those made, that
// carries the whole change and has no removable part.
func (s *setSearch) minimize(ctx context.Context, made, left []int, whole Outcome) ([]int, error) {
	set, parts := left, 2
	for len(set) > 1 && !s.spent() {
		parts = min(parts, len(set))
		next, found, err := s.smaller(ctx, made, set, parts, whole)
		switch {
		case err != nil:
			return nil, err
		case found && len(next) <= (len(set)+parts-1)/parts: // a part
			set, parts = next, 2
		case found:
			set, parts = next, max(2, parts-1)
		case parts == len(set):
			return set, nil
		default:
			parts *= 2
		}
	}
	return set, nil
}

// smaller finds a part of a set, or the set without a part, that carries the
// change.
func (s *setSearch) smaller(ctx context.Context, made, set []int, parts int, whole Outcome) (next []int, found bool, err error) {
	var pieces [][]int
	for i := range parts {
		pieces = append(pieces, set[i*len(set)/parts:(i+1)*len(set)/parts])
	}
	tries := slices.Clone(pieces)
	if parts > 2 { // of two, each is the rest of the other
		for _, piece := range pieces {
			tries = append(tries, without(set, piece))
		}
	}
	for _, try := range tries {
		carries, err := s.carries(ctx, made, try, whole)
		if err != nil || carries {
			return try, carries, err
		}
		if s.spent() {
			break
		}
	}
	return nil, false, nil
}

// carries decides whether a set on top of those made brings at least half of
// the whole change.
func (s *setSearch) carries(ctx context.Context, made, set []int, whole Outcome) (bool, error) {
	key := fmt.Sprint(made, set)
	if known, ok := s.known[key]; ok {
		return known, nil
	}
	o, err := s.compare(ctx, made, union(made, set))
	part := o.Center / whole.Center
	if o.Exact && whole.Exact {
		part = o.sign() / whole.sign()
	}
	carries := part >= 0.5
	var broken *BrokenError
	switch {
	case errors.As(err, &broken):
		if s.r.Unbuilt++; s.r.Reason == "" {
			s.r.Reason = broken.Reason
		}
		carries = false
	case err != nil:
		return false, fmt.Errorf("measure changes %v: %w", set, err)
	}
	s.known[key] = carries
	return carries, nil
}

// without are the elements of a that are not in b.
func without(a, b []int) []int {
	return slices.DeleteFunc(slices.Clone(a), func(k int) bool { return slices.Contains(b, k) })
}

func union(a, b []int) []int {
	all := slices.Concat(a, b)
	slices.Sort(all)
	return slices.Compact(all)
}
