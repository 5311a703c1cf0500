package bisect

import (
	"context"
	"errors"
	"fmt"
	"math"
)

// leastPart is the smallest part of the whole change that counts as a step.
const leastPart = 1. / 20

// exactly searches for steps of a count that does not vary, so that one
// measurement of a commit decides. It finds every step except steps that later
// ones cancel.
func (s *search) exactly(ctx context.Context, last int, ends outcome) error {
	s.r.Posterior = posterior{Step: make([]float64, last+1)}
	err := s.countsBetween(ctx, 0, last, ends.Old, ends.New)
	if _, varies := errors.AsType[*inexactError](err); varies { // let the blocks decide
		s.r.Culprits = nil
		return s.between(ctx, 0, last, ends, 0)
	}
	return err
}

type inexactError struct{ commit int }

func (e *inexactError) Error() string {
	return fmt.Sprintf("the count of commit %d varies", e.commit)
}

// small reports whether the difference of two counts is no step.
func (s *search) small(old, new float64) bool {
	return math.Abs(new-old) <= leastPart*math.Abs(s.r.Ends.New-s.r.Ends.Old)
}

func (s *search) countsBetween(ctx context.Context, lo, hi int, old, new float64) error {
	for {
		if s.small(old, new) || len(s.candidates(lo, hi)) == 0 {
			return nil
		}
		m := s.middle(lo, hi)
		if m < 0 {
			return s.exactCulprit(ctx, lo, hi)
		}
		if !s.cut[m] {
			if err := s.split(ctx, lo, m, hi); err != nil {
				return err
			}
			continue
		}
		switch {
		case len(s.candidates(lo, m)) == 0:
			lo = m
			continue
		case len(s.candidates(m, hi)) == 0:
			hi = m
			continue
		}
		if s.spent() {
			s.r.Open = append(s.r.Open, s.candidates(lo, hi)...)
			return nil
		}
		o, err := s.compare(ctx, 0, m)
		if s.broke(err) {
			continue
		}
		if err != nil {
			return fmt.Errorf("measure commit %d: %w", m, err)
		}
		at := o.New
		switch {
		case o.SameCode: // as the good end
			at = s.r.Ends.Old
		case !o.Exact:
			return &inexactError{m}
		}
		if s.o.Watch != nil {
			s.o.Watch(s.divide(lo, m, hi, old, at, new), s.asked)
		}
		if err := s.countsBetween(ctx, lo, m, old, at); err != nil {
			return err
		}
		lo, old = m, at
	}
}

// divide divides the change among the commits that may bring it.
func (s *search) divide(lo, m, hi int, old, at, new float64) posterior {
	p := posterior{Step: make([]float64, len(s.prior))}
	for _, part := range []struct {
		lo, hi int
		size   float64
	}{{lo, m, math.Abs(at - old)}, {m, hi, math.Abs(new - at)}} {
		list := s.candidates(part.lo, part.hi)
		for _, k := range list {
			p.Step[k] = part.size / max(part.size, math.Abs(new-old)) / float64(len(list))
		}
	}
	return p
}

// exactCulprit confirms the step between two commits. No commit between them is
// measurable.
func (s *search) exactCulprit(ctx context.Context, parent, commit int) error {
	change, ok, err := s.confirm(ctx, parent, commit)
	if err != nil || !ok {
		return err
	}
	if !change.Exact {
		return &inexactError{commit}
	}
	if s.small(change.Old, change.New) {
		return nil
	}
	list := s.candidates(parent, commit)
	for _, k := range list {
		s.r.Posterior.Step[k] = 1 / float64(len(list))
	}
	s.r.Culprits = append(s.r.Culprits, culprit{Parent: parent, Commit: commit, Change: change, Old: parent, New: commit, Commits: list})
	return nil
}
