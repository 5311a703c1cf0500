package study

import (
	"math"
	"time"

	"github.com/tarebench/tare/cmd/tare/internal/result"
)

// sizing chooses how many iterations a slice has and how many rounds a block.
type sizing struct {
	// slice is the timed length a slice should have at least.
	slice time.Duration
	// block is the timed length per variant a block should have.
	block time.Duration
	// fixed is the number of iterations the user asked for, 0 for none.
	fixed int64
	// collections is true where a slice has to hold several collections,
	// because their cost is not known apart: workers that do not hand over
	// among themselves.
	collections bool
	// rounds is the most rounds of a block, warm-up not counted.
	rounds int
}

const (
	// longestSlice bounds a slice that is lengthened for collections or to
	// outweigh set-up.
	longestGC    = 20 * time.Millisecond
	longestSetup = 250 * time.Millisecond
	// longestUntimed is how much longer than its timed part, set-up not
	// counted, a slice may take without pauses.
	longestUntimed = time.Second
	// Where a side collects every shortCycle or less, its slices hold
	// manyCycles: a collection after every pause of some 0.1 ms, with cold
	// caches, costs twice what it does in a process that runs by itself.
	shortCycle = time.Millisecond
	manyCycles = 16
	// collectionBytes is the least heap growth between two collections.
	collectionBytes = 4 << 20
	// leastUneven is how short a slice of the quicker side may be where the
	// other takes many times as long: still thousands of clock steps.
	leastUneven = 50 * time.Microsecond
	// mostIterations are those of a slice whose time does not grow with them.
	mostIterations = 1 << 40
	// pausedWall is how much longer than its timed part a slice may take
	// when the benchmark pauses its timer all the time.
	pausedWall = 4
)

// trial is one slice of every variant with the same n.
type trial struct {
	n     int64
	sides []result.Slice
	// walls are the whole slices, set-up and pauses included.
	walls []time.Duration
	// setup is the least time that slices so far spent outside their timed
	// part.
	setup time.Duration
}

func trialOf(round result.Round, variants []int) trial {
	var t trial
	for _, v := range variants {
		t.add(round.Slices[v])
	}
	return t
}

func (t *trial) add(s result.Slice) {
	t.n = s.N
	t.sides = append(t.sides, s)
	t.walls = append(t.walls, time.Duration(s.Span))
}

// quickest is the shortest timed part, which must still be long enough; wall
// the longest whole slice.
func (t trial) quickest() time.Duration {
	least := math.Inf(1)
	for _, s := range t.sides {
		least = min(least, s.Seconds()*float64(s.N))
	}
	return time.Duration(least * 1e9)
}

func (t trial) wall() (longest time.Duration) {
	for _, w := range t.walls {
		longest = max(longest, w)
	}
	return longest
}

// timed is the longest timed part.
func (t trial) timed() (longest time.Duration) {
	for _, s := range t.sides {
		longest = max(longest, time.Duration(s.Raw))
	}
	return longest
}

// bytes is the least that a side allocates.
func (t trial) bytes() uint64 {
	least := uint64(math.MaxUint64)
	for _, s := range t.sides {
		if !s.Counted {
			return 0
		}
		least = min(least, s.Bytes)
	}
	return least
}

// cycles is the timed part of the quickest side in a slice that holds manyCycles
// collections of each side that collects every shortCycle or less, and lasts for
// no more than longestGC on any; 0 where none does.
func (t trial) cycles() (goal time.Duration) {
	quickest := float64(t.quickest())
	for _, s := range t.sides {
		if !s.Counted || s.Bytes == 0 || s.Raw <= 0 {
			continue
		}
		cycle := s.Raw * collectionBytes / float64(s.Bytes)
		if cycle < float64(shortCycle) {
			goal = max(goal, time.Duration(manyCycles*cycle*quickest/s.Raw))
		}
	}
	if slowest := float64(t.timed()); slowest > 0 {
		goal = min(goal, time.Duration(float64(longestGC)*quickest/slowest))
	}
	return goal
}

// count takes over what another trial of the same n knows of allocations.
func (t *trial) count(from trial) {
	for i := range t.sides {
		s, f := &t.sides[i], from.sides[i]
		s.Counted, s.Mallocs, s.Bytes = f.Counted, f.Mallocs, f.Bytes
	}
}

// paused reports whether a side times many intervals.
func (t trial) paused() bool {
	for _, s := range t.sides {
		if s.Pauses > 8 && s.Pauses > s.N/8 {
			return true
		}
	}
	return false
}

// next looks at a trial and gives the iterations of the next one; done says
// that n is good to stay.
func (z sizing) next(t trial) (n int64, done bool) {
	if z.fixed > 0 {
		return z.fixed, true
	}
	timed, wall := t.quickest(), t.wall()
	goal := z.goal(t)
	if t.paused() {
		// Time the user waits for, not only time that counts.
		if most := pausedWall * goal; wall >= most*3/4 {
			return max(1, int64(float64(t.n)*float64(most)/float64(wall))), true
		}
	}
	// Where the sides differ by far, the slower one bounds the slice: n is the
	// same for both, and such a difference shows in short slices too.
	slowest, most := t.timed(), max(4*goal, z.block/8)
	uneven := !t.paused() && len(t.sides) > 1 && slowest > most
	switch {
	case uneven && timed >= leastUneven:
		scale := max(float64(most)/float64(slowest), float64(leastUneven)/float64(timed))
		return max(1, int64(float64(t.n)*scale)), true
	case uneven && slowest >= z.block:
		return max(1, int64(float64(t.n)*float64(z.block)/float64(slowest))), true
	}
	if timed >= goal*3/4 {
		return max(1, int64(math.Round(float64(t.n)*float64(goal)/float64(timed)))), true
	}
	// If the benchmark stopped its timer and never restarted it, only wall
	// time grows with n.
	untimed := wall - t.timed() - t.setup
	if untimed >= longestUntimed {
		return max(1, int64(float64(t.n)*float64(pausedWall*goal)/float64(untimed))), true
	}
	grow := 100.0
	if untimed > longestUntimed/100 {
		grow = min(grow, 1.1*float64(longestUntimed)/float64(untimed))
	}
	if timed > 0 {
		goal := goal
		if uneven {
			goal = leastUneven
		}
		grow = min(grow, 1.1*float64(goal)/float64(timed))
	}
	if t.paused() && wall > 0 {
		grow = min(grow, 1.1*float64(pausedWall*goal)/float64(wall))
	}
	next := min(mostIterations, max(t.n+1, int64(float64(t.n)*grow)))
	return next, next == t.n || t.n == mostIterations
}

// iterationSearch follows the iterations from trial to trial. Where the time grows with
// their square, the step that suits a line leads from far too few to far too
// many and back again: after the second reversal it steps by the geometric mean,
// which is exact for quadratic cost.
type iterationSearch struct {
	down      bool
	reversals int
}

func (c *iterationSearch) next(from, to int64) int64 {
	if down := to < from; to != from && down != c.down {
		c.down = down
		c.reversals++
	}
	if c.reversals < 2 {
		return to
	}
	return max(1, int64(math.Round(math.Sqrt(float64(from)*float64(to)))))
}

// goal is the timed length of a slice: several collections long where the
// code allocates, and long enough to outweigh the set-up of a b.N benchmark.
func (z sizing) goal(t trial) time.Duration {
	goal := z.slice
	timed := t.quickest()
	if b := t.bytes(); z.collections && b > 0 && timed > 0 && timed >= z.slice/4 {
		perCollection := time.Duration(float64(timed) * collectionBytes / float64(b))
		if perCollection < longestGC {
			goal = max(goal, min(longestGC, 3*perCollection))
		}
	}
	if !z.collections {
		goal = max(goal, min(t.cycles(), z.block/8))
	}
	if !t.paused() {
		if t.setup < longestSetup*100 && t.setup > goal/4 {
			goal = max(goal, min(longestSetup, 4*t.setup))
		}
	}
	return goal
}

// roundsFor says how many rounds a block has when a slice takes what it did
// in t, warm-up not counted.
func (z sizing) roundsFor(t trial) int {
	longest := time.Duration(0)
	for i, s := range t.sides {
		d := time.Duration(s.Raw)
		if t.paused() {
			d = t.walls[i]
		}
		longest = max(longest, d)
	}
	return z.roundsOf(longest)
}

// roundsOf says how many rounds a block has whose slices take so long.
func (z sizing) roundsOf(slice time.Duration) int {
	if slice <= 0 {
		return 1
	}
	return int(min(float64(z.rounds), max(1, math.Round(float64(z.block)/float64(slice)))))
}
