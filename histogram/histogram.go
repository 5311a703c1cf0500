// Package histogram counts values in bounded memory and reports their
// distribution.
//
// [New] makes a histogram. [Histogram.Record] counts a value in a few
// nanoseconds without allocating. Many goroutines record into a [Sharded].
// [Histogram.Merge] adds histograms up. [Histogram.Quantile] returns a value
// with its confidence interval, or the number of values that it needs.
// [Histogram.View] shifts and scales the results, and [View.WriteText] draws
// them.
//
//	h := histogram.New()
//	for range 1000 {
//		start := clock.Now()
//		work()
//		h.Record(clock.Now() - start)
//	}
//	fmt.Println(h.Quantile(0.99).Value, "ns")
//
// Values are whole numbers, usually nanoseconds. The highest value of a bucket
// is at most 1% above the lowest. Below 128 each value has its own bucket. The
// design follows HDR Histogram (G. Tene). Count, minimum, maximum and mean are
// exact.
package histogram

import (
	"errors"
	"math"
	"strconv"
	"time"
)

// Options set the size of a histogram. The zero value means 1% up to an hour in
// nanoseconds, which takes 40 KiB.
type Options struct {
	// Error bounds the distance of the highest value of a bucket from the
	// lowest, relative to the lowest, from 0.0001 to 0.5. The effective value
	// is the next power of two at or below it: 1/128 for 0.01.
	Error float64
	// Max is the highest value that has a bucket. Higher values, and negative
	// ones, count in the tails: see [Histogram.Outside]. The maximum is 2⁵², 52
	// days in nanoseconds.
	Max int64
}

// Histogram counts values. The zero Histogram has the default size. It is not
// safe for concurrent use. [Sharded] is.
type Histogram struct {
	// least and width are the range of the usual values: they have a bucket,
	// and are neither a new minimum nor a new maximum.
	least  int64
	width  uint64 // number of values in the range
	sum    int64  // of the values in counts, moved to total before it overflows
	inside uint64 // number of values in counts
	counts []uint64
	layout
	min, max int64
	tails    tails
	total    sum128
	options  Options
	// Several CPUs write the histograms of a Sharded. The padding separates
	// their cache lines.
	_ [128]byte
}

type tails struct{ below, above uint64 }

// New makes a histogram of the default size: 1%, up to an hour.
func New() *Histogram {
	h := new(Histogram)
	h.allocate(Options{})
	return h
}

// New makes a histogram of this size.
func (o Options) New() (*Histogram, error) {
	o = o.withDefaults()
	if !(o.Error >= 0.0001 && o.Error <= 0.5) { // also NaN
		return nil, errors.New("make histogram: error " + strconv.FormatFloat(o.Error, 'g', -1, 64) + " is not between 0.0001 and 0.5")
	}
	if o.Max < 1 || o.Max > highest {
		return nil, errors.New("make histogram: highest value " + strconv.FormatInt(o.Max, 10) + " is not between 1 and " + strconv.FormatInt(highest, 10))
	}
	h := new(Histogram)
	h.allocate(o)
	return h, nil
}

func (o Options) withDefaults() Options {
	if o.Error == 0 {
		o.Error = 0.01
	}
	if o.Max == 0 {
		o.Max = int64(time.Hour)
	}
	return o
}

func (h *Histogram) allocate(o Options) {
	o = o.withDefaults()
	precision := uint(1)
	for share := 0.5; share > o.Error; share /= 2 {
		precision++
	}
	h.options, h.layout = o, newLayout(precision)
	h.counts = make([]uint64, h.index(o.Max)+1)
	h.Reset()
}

// Reset discards all values.
func (h *Histogram) Reset() {
	clear(h.counts)
	h.sum, h.inside, h.total, h.tails = 0, 0, sum128{}, tails{}
	h.min, h.max = math.MaxInt64, math.MinInt64
	h.width = 0
}

// Record counts one value.
func (h *Histogram) Record(v int64) { recordOr((*Histogram).recordRare, h, v) }

// recordOr counts the usual value in place and leaves the others to rare. The
// compiler inlines it into the caller of Record. It would not if rare were
// called by name (TestRecordIsInlined).
func recordOr(rare func(*Histogram, int64), h *Histogram, v int64) {
	if uint64(v-h.least) >= h.width || h.sum > spill {
		rare(h, v)
		return
	}
	h.counts[math.Float64bits(float64(v+h.first))>>(h.shift&63)-h.base]++
	h.sum += v
	h.inside++
}

func (h *Histogram) recordRare(v int64) {
	if h.counts == nil {
		h.allocate(h.options)
	}
	i := h.index(v)
	if i >= uint64(len(h.counts)) {
		h.recordTail(v, 1)
		return
	}
	h.counts[i]++
	h.inside++
	h.sum += v
	h.carry()
	h.widen(v, v)
}

func (h *Histogram) widen(least, greatest int64) {
	h.min, h.max = min(h.min, least), max(h.max, greatest)
	_, top := h.edges(len(h.counts) - 1)
	lo, hi := max(h.min, 0), min(h.max, top)
	width := uint64(0)
	if lo <= hi {
		width = uint64(hi-lo) + 1
	}
	h.least, h.width = lo, width
}

// FromDurations makes a histogram of the default size with these values.
func FromDurations(all []time.Duration) *Histogram {
	h := New()
	for _, d := range all {
		h.Record(int64(d))
	}
	return h
}

// RecordAll counts many values faster than one call for each.
func (h *Histogram) RecordAll(values []int64) {
	if h.counts == nil {
		h.allocate(h.options)
	}
	const most = (math.MaxInt64 - spill) / highest // values whose sum fits
	for len(values) > 0 {
		some := values[:min(len(values), most/2)]
		values = values[len(some):]
		h.recordSome(some)
	}
}

func (h *Histogram) recordSome(values []int64) {
	counts, l := h.counts, h.layout
	sum, inside, least, greatest := int64(0), uint64(0), h.min, h.max
	for _, v := range values {
		i := l.index(v)
		if i >= uint64(len(counts)) {
			h.recordTail(v, 1)
			continue
		}
		counts[i]++
		inside++
		sum += v
		least, greatest = min(least, v), max(greatest, v)
	}
	h.inside += inside
	h.sum += sum
	h.carry()
	h.widen(least, greatest)
}

// RecordMany counts the value v n times, for an import of counts. It ignores n
// ≤ 0, and counts beyond MaxInt64 values in all.
func (h *Histogram) RecordMany(v, n int64) {
	n = min(n, math.MaxInt64-h.Count())
	if n <= 0 {
		return
	}
	if h.counts == nil {
		h.allocate(h.options)
	}
	i := h.index(v)
	if i >= uint64(len(h.counts)) {
		h.recordTail(v, n)
		return
	}
	h.counts[i] += uint64(n)
	h.inside += uint64(n)
	h.total.addSum(product(v, n))
	h.widen(v, v)
}

// spill leaves room for one more value, of at most highest, below MaxInt64.
const spill = 1 << 62

func (h *Histogram) carry() {
	if h.sum > spill {
		h.total.add(h.sum)
		h.sum = 0
	}
}

func (h *Histogram) recordTail(v, n int64) {
	if v < 0 {
		h.tails.below += uint64(n)
	} else {
		h.tails.above += uint64(n)
	}
	h.total.addSum(product(v, n))
	h.widen(v, v)
}

// Merge adds the values of other. Both must have been made with the same
// options. A nil or zero Histogram adds nothing.
func (h *Histogram) Merge(other *Histogram) error {
	if other == nil || other.counts == nil {
		return nil
	}
	if h.counts == nil {
		h.allocate(other.options)
	}
	if h.precision != other.precision || len(h.counts) != len(other.counts) {
		return errors.New("merge histograms: they have different options")
	}
	if h.Count() > math.MaxInt64-other.Count() {
		return errors.New("merge histograms: more than MaxInt64 values in all")
	}
	if other.inside > 0 {
		first, last := other.bounds()
		for i := first; i <= last; i++ {
			h.counts[i] += other.counts[i]
		}
	}
	h.inside += other.inside
	h.tails.below += other.tails.below
	h.tails.above += other.tails.above
	h.total.addSum(other.total)
	h.total.add(other.sum)
	h.widen(other.min, other.max)
	return nil
}

// Count is the number of values. A nil histogram has 0.
func (h *Histogram) Count() int64 {
	if h == nil {
		return 0
	}
	return int64(h.inside + h.tails.below + h.tails.above)
}

// bounds returns the first and the last bucket that may contain a value.
func (h *Histogram) bounds() (first, last int) {
	last = len(h.counts) - 1
	if i := h.index(max(0, h.min)); i < uint64(last) {
		first = int(i)
	}
	if i := h.index(max(0, h.max)); i < uint64(last) {
		last = int(i)
	}
	return first, last
}

// Outside returns the number of values below 0 and above [Options.Max]. They
// count in every result. Only their position within the tail is unknown.
func (h *Histogram) Outside() (below, above int64) {
	return int64(h.tails.below), int64(h.tails.above)
}

// Min is the exact least value, or 0 without values.
func (h *Histogram) Min() int64 {
	if h.Count() == 0 {
		return 0
	}
	return h.min
}

// Max is the exact greatest value, or 0 without values.
func (h *Histogram) Max() int64 {
	if h.Count() == 0 {
		return 0
	}
	return h.max
}

// Mean is the exact sum of the values divided by their number, or NaN without
// values.
func (h *Histogram) Mean() float64 {
	if h.Count() == 0 {
		return math.NaN()
	}
	sum := h.total
	sum.add(h.sum)
	return sum.float() / float64(h.Count())
}

type bucket struct {
	lo, hi int64 // the lowest and the highest value
	count  int64
	tail   bool // outside the range of the histogram
}

func (h *Histogram) buckets() []bucket {
	var all []bucket
	if h.Count() == 0 {
		return nil
	}
	if h.tails.below > 0 {
		all = append(all, bucket{h.min, min(h.max, -1), int64(h.tails.below), true})
	}
	first, last := h.bounds()
	for i := first; i <= last; i++ {
		if n := h.counts[i]; n > 0 {
			lo, hi := h.edges(i)
			all = append(all, bucket{max(lo, h.min), min(hi, h.max), int64(n), false})
		}
	}
	if h.tails.above > 0 {
		_, last := h.edges(len(h.counts) - 1)
		all = append(all, bucket{max(h.min, last+1), h.max, int64(h.tails.above), true})
	}
	return all
}
