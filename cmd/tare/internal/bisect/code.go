package bisect

import (
	"context"
	"fmt"
)

// wideShare is the least probability of a series of commits that is cut again.
// A lower value excludes more commits before the first measurement, and builds
// more.
const wideShare = 0.25

// narrow excludes commits that cannot bring a step. It cuts the most probable
// series of commits between two cuts in the middle. If the code there equals
// the code of one end, no commit in that half brings a step. If every series
// has less than wideShare, narrow does nothing and returns false.
func (s *search) narrow(ctx context.Context, p posterior, lo, hi int) (more bool, err error) {
	most, from, to := wideShare, 0, 0
	for a := lo; a < hi; {
		b := s.next(a, hi)
		if share := p.between(a, b); b-a > 1 && share >= most {
			most, from, to = share, a, b
		}
		a = b
	}
	if to == 0 {
		return false, nil
	}
	middle := s.middle(from, to)
	if middle < 0 { // none can be built
		for k := from + 1; k < to; k++ {
			s.cut[k] = true
		}
		return true, nil
	}
	return true, s.split(ctx, from, middle, to)
}

// next is the first cut after a, up to hi.
func (s *search) next(a, hi int) int {
	for b := a + 1; b < hi; b++ {
		if s.cut[b] {
			return b
		}
	}
	return hi
}

func (s *search) middle(a, b int) int {
	for d := 0; d < b-a; d++ {
		for _, k := range []int{(a+b)/2 - d, (a+b)/2 + d} {
			if k > a && k < b && s.measurable(k) {
				return k
			}
		}
	}
	return -1
}

func (s *search) split(ctx context.Context, a, m, b int) error {
	for _, end := range [][2]int{{a, m}, {m, b}} {
		same, err := s.p.SameCode(ctx, end[0], end[1])
		if s.broke(err) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("compare the code of commits %d and %d: %w", end[0], end[1], err)
		}
		if same {
			s.drop(end[0], end[1])
			break
		}
	}
	s.cut[m] = true
	return nil
}

// drop excludes the commits after a, up to b, whose code equals the code of a.
func (s *search) drop(a, b int) {
	for k := a + 1; k <= b; k++ {
		if s.cut[k] = true; s.prior[k] > 0 {
			s.prior[k] = 0
			s.r.SameCode = append(s.r.SameCode, k)
		}
	}
}

// settle reports whether a commit is worth measuring: its code differs from the
// code of the neighboring cuts and of its parent. If not, the search has
// learned something.
func (s *search) settle(ctx context.Context, lo, k int) (bool, error) {
	before := k - 1 // the cut before k
	for before > lo && !s.cut[before] {
		before--
	}
	switch {
	case !s.cut[k]:
		return false, s.split(ctx, before, k, s.next(k, len(s.cut)-1))
	case before < k-1 && s.measurable(k-1): // if its code equals the code of k, then k brings no step
		return false, s.split(ctx, before, k-1, k)
	}
	return true, nil
}
