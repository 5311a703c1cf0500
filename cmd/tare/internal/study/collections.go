package study

import (
	"math"
	"slices"
	"time"

	"github.com/tarebench/tare/cmd/tare/internal/result"
)

// The collector's time per operation is the time of one collection times the
// number of collections. With fewer than leastCollections in a variant, the
// count alone is off by a quarter or more. A large heap is collected rarely, so
// a block is extended to at most longestCollecting per variant.
const (
	leastCollections  = 4
	longestCollecting = 0.25 // seconds
)

// If a variant collects every shortCycle or less, its slices include manyCycles
// collections, if this takes at most longestGC. A collection after every pause
// of some 0.1 ms, with cold caches, costs twice as much as in an uninterrupted
// process.
const (
	shortCycle = time.Millisecond
	manyCycles = 16
	longestGC  = 20 * time.Millisecond
)

// collectionRounds is the number of rounds that a block needs for its
// collections, estimated from its last rounds. It is 0 if a variant does
// not allocate.
func collectionRounds(last []result.Round, variants int, sliceSeconds float64) int {
	rounds := 0
	for v := range variants {
		n, met, allocates := 0, 0, false
		for s := range timedSlices(last, v) {
			n++
			if s.Collected {
				met++
			}
			allocates = allocates || s.Collected || s.Counted && s.Mallocs > uint64(s.N)/100
		}
		switch {
		case n == 0 || !allocates:
		case met == 0:
			rounds = max(rounds, 2*n)
		case met < leastCollections:
			rounds = max(rounds, int(math.Ceil(float64(n)*leastCollections/float64(met))))
		default:
			// Keep the length, unless another rule makes it shorter.
			rounds = max(rounds, n*leastCollections/met)
		}
	}
	if sliceSeconds > 0 {
		rounds = min(rounds, int(longestCollecting/sliceSeconds))
	}
	return rounds
}

func (b *bench) metCollector() bool {
	if len(b.Blocks) == 0 {
		return false
	}
	for _, r := range b.Blocks[len(b.Blocks)-1].Timed() {
		if slices.ContainsFunc(r.Slices, func(s result.Slice) bool { return s.Collected }) {
			return true
		}
	}
	return false
}

// leastScattered is the least number of iterations that a slice can vary by
// a quarter, which is 2.
const leastScattered = 8

// longestScattered is the longest slice that may be lengthened to vary.
const longestScattered = 0.005 // seconds

// lengthenForCollections makes the slices of a benchmark that collects often
// include many collections. The last block shows how often. The pilot had to
// guess from cold slices. If a benchmark meets the collector, its slices double
// until their length can vary, unless they become too long.
func (b *bench) lengthenForCollections(z sizing) {
	if b.pilot.Paused || !b.metCollector() {
		return
	}
	if n := cyclesOf(b.Blocks[len(b.Blocks)-1].Timed(), min(longestGC, z.block/8)); n >= 2*b.pilot.Iterations {
		times := float64(n) / float64(b.pilot.Iterations)
		b.pilot.Iterations = n
		b.pilot.SliceSeconds *= times
		b.pilot.Rounds = z.roundsOf(&b.pilot)
	}
	for b.pilot.Iterations < leastScattered && b.pilot.Rounds >= leastScattered && 2*b.pilot.SliceSeconds <= longestScattered {
		b.pilot.Iterations *= 2
		b.pilot.SliceSeconds *= 2
		b.pilot.Rounds = max(1, b.pilot.Rounds/2)
	}
}

// cyclesOf is the number of iterations of a slice that includes manyCycles
// collections of each variant that collects every shortCycle or less. The slice
// is at most longest in any variant. The result is 0 if no variant collects so
// often.
func cyclesOf(rounds []result.Round, longest time.Duration) (n int64) {
	slowest, most := 0.0, 0.0
	for v := range rounds[0].Slices {
		var raw, operations, met float64
		for s := range timedSlices(rounds, v) {
			raw, operations, met = raw+s.Own(), operations+float64(s.N), met+float64(s.GCs)
		}
		if operations == 0 || raw <= 0 {
			continue
		}
		slowest = max(slowest, raw/operations)
		if met > 0 && raw/met < float64(shortCycle) {
			most = max(most, manyCycles*operations/met)
		}
	}
	if slowest > 0 {
		most = min(most, float64(longest)/slowest)
	}
	return int64(most)
}
