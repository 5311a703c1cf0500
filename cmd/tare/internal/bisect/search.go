package bisect

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/tarebench/tare/cmd/tare/internal/stats"
)

// brokenError is returned by a [prober] for a commit that cannot be measured:
// it does not build, the benchmark does not exist there, or it fails.
type brokenError struct {
	Commit int
	// Reason is the output of the build or the benchmark.
	Reason string
}

func (e *brokenError) Error() string {
	return fmt.Sprintf("commit %d cannot be measured: %s", e.Commit, e.Reason)
}

// prober measures commits of one history. Commits are numbered from 0, the
// good end.
type prober interface {
	// Compare decides by the ordinary rule whether commit b differs from
	// commit a.
	Compare(ctx context.Context, a, b int) (outcome, error)
	// Blocks measures n further blocks of commit b against commit a and returns
	// their log ratios. Its error is [errSameCode] if there is nothing to measure.
	Blocks(ctx context.Context, a, b, n int) ([]float64, error)
	// SameCode reports whether both commits run the same machine code: false if
	// unknown.
	SameCode(ctx context.Context, a, b int) (bool, error)
}

// errSameCode is returned by [prober.Blocks] for two commits that run the same
// machine code.
var errSameCode = errors.New("both commits run the same machine code")

// outcome is a part of a line of bisect.jsonl.
type outcome struct {
	// Logs are the log ratios of its blocks.
	Logs []float64 `json:"logs,omitempty"`
	// Center, Lo and Hi are log ratios: an estimate with its 95% interval.
	Center float64 `json:"center,omitempty"`
	Lo     float64 `json:"lo,omitempty"`
	Hi     float64 `json:"hi,omitempty"`
	// Differs is set if the rule found a difference, Same if it found none
	// within δ. Neither is set if the budget ended first.
	Differs bool `json:"differs,omitempty"`
	Same    bool `json:"same,omitempty"`
	// SameCode is set, with Same, if both run the same machine code. Nothing
	// was measured then.
	SameCode bool `json:"same_code,omitempty"`
	// NeedsSeconds is about the budget that would decide an undecided comparison. It
	// is 0 if no budget would.
	NeedsSeconds float64 `json:"needs_seconds,omitempty"`
	// Exact is set if the cost is a count that does not vary. Old and New are
	// the counts.
	Exact bool    `json:"exact,omitempty"`
	Old   float64 `json:"old,omitempty"`
	New   float64 `json:"new,omitempty"`
}

type options struct {
	// MaxBlocks bounds the blocks measured between the comparisons of the
	// ends and of the culprit, 400 when it is 0.
	MaxBlocks int
	// Enough, if not nil, is called before each further measurement: true ends the
	// search as MaxBlocks does.
	Enough func() bool
	// Watch, if not nil, receives the posterior after every batch. It must not
	// block.
	Watch func(p posterior, asked int)
}

type culprit struct {
	// commitsBetween is the commit that brings the step. If commits between cannot be
	// measured, it lists all that may bring it.
	Commits []int
	// Parent is the last measurable commit before the step, Commit the first
	// one after it.
	Parent, Commit int
	// Change compares Old and New, which run the machine code of Parent and Commit.
	Change   outcome
	Old, New int
}

type searchResult struct {
	// Ends is the comparison of the two ends.
	Ends outcome
	// Culprits are the confirmed steps, in the order of the history.
	Culprits []culprit
	// Moved are confirmed steps that explain less than half of the change
	// between the ends.
	Moved []culprit
	// Open is the smallest set of commits with the required confidence, if the
	// budget ended first.
	Open []int
	// posterior is the last posterior of the whole history.
	Posterior posterior
	// Broken are the commits that could not be measured, with the reason.
	Broken map[int]string
	// SameCode are the excluded commits. They run the same machine code as
	// their parent, or are in a series that ends with the machine code of its
	// beginning. The search does not check improbable commits.
	SameCode []int
	// Blocks counts the blocks measured, including those of comparisons.
	Blocks int
}

const (
	mostBlocks = 400  // unless the options have another bound
	confidence = 0.95 // of a commit, before it is compared with its parent
	batch      = 2    // blocks of a commit for one start of the workers
)

func findCulprits(ctx context.Context, p prober, last int, o options) (searchResult, error) {
	if last < 1 {
		return searchResult{}, fmt.Errorf("bisect history: %d commits: name two different ends", last)
	}
	if o.MaxBlocks == 0 {
		o.MaxBlocks = mostBlocks
	}
	s := &search{p: p, o: o, r: searchResult{Broken: make(map[int]string)}, prior: slices.Repeat([]float64{1}, last+1), cut: make([]bool, last+1),
		confirmed: make(map[[2]int]culprit), moves: evenMoves()}
	s.cut[0], s.cut[last] = true, true
	ends, err := s.compare(ctx, 0, last)
	if err != nil {
		return s.r, fmt.Errorf("compare the ends of the history: %w", err)
	}
	s.r.Ends, s.noise = ends, spread(ends.Logs)
	switch {
	case ends.Differs && ends.Exact:
		err = s.exactly(ctx, last, ends)
	case ends.Differs:
		err = s.between(ctx, 0, last, ends, 0)
	}
	if err == nil && len(s.r.Culprits) == 0 && len(s.r.Open) > 0 && (o.Enough == nil || !o.Enough()) {
		err = s.again(ctx, last)
	}
	byCommit := func(a, b culprit) int { return a.Commit - b.Commit }
	slices.SortFunc(s.r.Culprits, byCommit)
	slices.SortFunc(s.r.Moved, byCommit)
	slices.Sort(s.r.SameCode)
	return s.r, err
}

// again compares the ends once more if no step between them was confirmed. One
// comparison in twenty finds a difference by chance, and few others lead here.
func (s *search) again(ctx context.Context, last int) error {
	ends, err := s.compare(ctx, 0, last)
	if err != nil {
		return fmt.Errorf("compare the ends of the history again: %w", err)
	}
	if ends.Same {
		s.r.Ends, s.r.Open = ends, nil
	}
	return nil
}

type search struct {
	p     prober
	o     options
	r     searchResult
	asked int // blocks besides the blocks of the ends
	// prior is 1 for each commit, or 0 if it has the same code. cut marks
	// commits whose code was compared with the neighboring cuts: see narrow.
	prior []float64
	cut   []bool
	// confirmed are commits that were compared with their parents.
	confirmed map[[2]int]culprit
	noise     float64 // of a block
	// moves are the probabilities of the sizes of moves.
	moves []float64
}

const (
	mostDepth = 3
	leastRest = 0.25
)

func (s *search) between(ctx context.Context, lo, hi int, ends outcome, depth int) error {
	seen := observations(lo, hi, ends.Logs)
	var post posterior
	for known := -1; ; {
		// Different code or a broken commit does not change the posterior.
		if now := len(seen) + len(s.r.SameCode); now != known {
			post, known = s.model(lo, hi, ends).Posterior(seen), now
		}
		if depth == 0 {
			s.r.Posterior = post
		}
		if s.o.Watch != nil {
			s.o.Watch(post, s.asked)
		}
		if len(s.candidates(lo, hi)) == 0 {
			return nil
		}
		if !s.spent() {
			if more, err := s.narrow(ctx, post, lo, hi); more || err != nil {
				if err != nil {
					return err
				}
				continue
			}
		}
		if only := s.candidates(lo, hi); len(only) == 1 { // lo and hi run the code of its parent and its own
			k := only[0]
			s.take(culprit{Parent: k - 1, Commit: k, Change: ends, Old: lo, New: hi, Commits: only})
			return nil
		}
		best, _ := post.Best()
		parent, commit := s.around(best, lo, hi)
		c, confirmed := s.confirmed[[2]int{parent, commit}]
		probable := post.between(parent, commit) >= confidence
		ask := s.ask(post, seen, lo, hi)
		stuck := ask < 0 || post.Hidden() >= hidden
		if (probable || stuck) && !confirmed && !s.spent() {
			change, ok, err := s.confirm(ctx, parent, commit)
			if err != nil {
				return err
			}
			if ok {
				c = culprit{Parent: parent, Commit: commit, Change: change, Old: parent, New: commit, Commits: s.candidates(parent, commit)}
				s.confirmed[[2]int{parent, commit}] = c
				seen = append(seen, observations(parent, commit, change.Logs)...)
			}
			continue // the new blocks may make another commit more probable
		}
		if probable && !s.spent() && post.doubt(parent, commit) <= 1-confidence {
			if !c.Change.Differs || !sameSign(c.Change.Center, ends.Center) {
				s.r.Open = append(s.r.Open, s.probable(post, lo, hi)...)
				return nil
			}
			if !s.take(c) {
				post.steps[2] = 0 // search only for a clearly missing part
			}
			s.moves = post.Moves // code moves alike before and after the culprit
			return s.rest(ctx, [2]int{lo, hi}, c, ends, post.steps[2], depth)
		}
		if stuck || s.spent() {
			s.r.Open = append(s.r.Open, s.probable(post, lo, hi)...)
			return nil
		}
		logs, err := s.blocks(ctx, lo, ask)
		if err != nil {
			return err
		}
		seen = append(seen, observations(lo, ask, logs)...)
	}
}

// take adds a confirmed step. It is a culprit if it explains half of the change
// between the ends.
func (s *search) take(c culprit) (culprit bool) {
	if math.Abs(c.Change.Center)+half(c.Change) < math.Abs(s.r.Ends.Center)/2 {
		s.r.Moved = append(s.r.Moved, c)
		return false
	}
	s.r.Culprits = append(s.r.Culprits, c)
	return true
}

// spent reports whether the search must end now.
func (s *search) spent() bool {
	return s.asked >= s.o.MaxBlocks || s.o.Enough != nil && s.o.Enough()
}

// confirm compares a commit with its parent. ok is false if one of them is
// broken.
func (s *search) confirm(ctx context.Context, parent, commit int) (change outcome, ok bool, err error) {
	change, err = s.compare(ctx, parent, commit)
	if s.broke(err) {
		return outcome{}, false, nil
	}
	if err != nil {
		return outcome{}, false, fmt.Errorf("confirm commit %d: %w", commit, err)
	}
	s.asked += len(change.Logs)
	if change.SameCode {
		s.drop(parent, commit)
	}
	return change, true, nil
}

// blocks measures a commit against lo, unless it must not be measured.
func (s *search) blocks(ctx context.Context, lo, ask int) ([]float64, error) {
	if settled, err := s.settle(ctx, lo, ask); !settled || err != nil {
		return nil, err
	}
	logs, err := s.p.Blocks(ctx, lo, ask, batch)
	switch {
	case errors.Is(err, errSameCode):
		s.drop(lo, ask)
		return nil, nil
	case s.broke(err):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("measure commit %d: %w", ask, err)
	}
	s.r.Blocks += len(logs)
	s.asked += len(logs)
	return logs, nil
}

// probable is the smallest set of commits with the required confidence, without
// the rejected ones.
func (s *search) probable(p posterior, lo, hi int) []int {
	return slices.DeleteFunc(p.Set(confidence), func(k int) bool { return k <= lo || k > hi || s.prior[k] == 0 })
}

func (s *search) compare(ctx context.Context, a, b int) (outcome, error) {
	o, err := s.p.Compare(ctx, a, b)
	s.r.Blocks += len(o.Logs)
	return o, err
}

// broke records a commit that cannot be measured. It returns false for a known
// one, because the search would choose it forever.
func (s *search) broke(err error) bool {
	b, ok := errors.AsType[*brokenError](err)
	if !ok {
		return false
	}
	_, known := s.r.Broken[b.Commit]
	s.r.Broken[b.Commit] = b.Reason
	return !known
}

func (s *search) measurable(k int) bool {
	_, broken := s.r.Broken[k]
	return !broken
}

// around finds the last measurable commit before k and the first one from k on.
// No measurement separates the commits between them.
func (s *search) around(k, lo, hi int) (parent, commit int) {
	parent, commit = k-1, k
	for parent > lo && !s.measurable(parent) {
		parent--
	}
	for commit < hi && !s.measurable(commit) {
		commit++
	}
	return max(parent, lo), min(max(commit, lo+1), hi)
}

func (s *search) model(lo, hi int, ends outcome) model {
	m := model{Prior: make([]float64, hi+1), Delta: ends.Center, Whole: s.r.Ends.Center, Moves: s.moves}
	copy(m.Prior[lo+1:], s.prior[lo+1:hi+1])
	// The interval may be one-sided after an early stop. Its half width is about
	// two standard errors.
	m.DeltaSD = max((ends.Hi-ends.Lo)/4, math.Abs(ends.Center)/50)
	if math.IsInf(m.DeltaSD, 0) || math.IsNaN(m.DeltaSD) {
		m.DeltaSD = math.Abs(ends.Center) / 4
	}
	m.Scale = max(spread(ends.Logs), math.Abs(ends.Center)/20)
	return m
}

// The search ends if more blocks of any commit gain less than leastGain, or if
// moves of code hide the step with this probability.
const (
	leastGain = 0.015
	hidden    = 0.9
)

// ask is the commit to measure next, or -1 if none is worth it.
func (s *search) ask(p posterior, seen []observation, lo, hi int) int {
	best, most := -1, leastGain
	there := make(map[int]int)
	for _, o := range seen {
		if o.A == lo {
			there[o.B]++
		}
	}
	noise := max(s.noise, leastScale)
	for k := lo + 1; k < hi; k++ {
		if s.prior[k] == 0 && s.measurable(k-1) {
			continue // blocks of the commit before measure the same code
		}
		if g := p.gain(k, there[k], batch, noise*noise); g > most && s.measurable(k) {
			best, most = k, g
		}
	}
	return best
}

// rest searches before and after a culprit if it explains clearly less or more
// than the whole change, or if two steps are not improbable. A side that changes
// by less than leastRest of the whole is not worth its search.
func (s *search) rest(ctx context.Context, ends [2]int, c culprit, whole outcome, two float64, depth int) error {
	missing := math.Abs(whole.Center - c.Change.Center)
	clear := missing > math.Hypot(half(whole), half(c.Change))
	if depth >= mostDepth || s.spent() || !clear && two < 0.2 {
		return nil
	}
	for _, side := range [][2]int{{ends[0], c.Parent}, {c.Commit, ends[1]}} {
		if len(s.candidates(side[0], side[1])) == 0 {
			continue
		}
		o, err := s.compare(ctx, side[0], side[1])
		if err != nil {
			return fmt.Errorf("compare commits %d and %d: %w", side[0], side[1], err)
		}
		if !o.Differs || math.Abs(o.Center) < leastRest*math.Abs(s.r.Ends.Center) {
			continue
		}
		if err := s.between(ctx, side[0], side[1], o, depth+1); err != nil {
			return err
		}
	}
	return nil
}

func (s *search) candidates(lo, hi int) []int {
	var all []int
	for k := lo + 1; k <= hi; k++ {
		if s.prior[k] > 0 {
			all = append(all, k)
		}
	}
	return all
}

func observations(a, b int, logs []float64) []observation {
	all := make([]observation, len(logs))
	for i, v := range logs {
		all[i] = observation{a, b, v}
	}
	return all
}

func half(o outcome) float64 { return (o.Hi - o.Lo) / 2 }

func sameSign(a, b float64) bool { return a*b > 0 }

func spread(x []float64) float64 {
	if len(x) == 0 {
		return 0
	}
	return stats.Deviation(x)
}
