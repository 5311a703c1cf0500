// Package histogram counts values in bounded memory and answers with their
// distribution.
//
// The pipeline: [New] makes a histogram; [Histogram.Record] counts a value in
// a few nanoseconds without allocating (many goroutines record into a [Sharded]);
// [Histogram.Merge] adds histograms up; [Histogram.Quantile] answers with a
// value and its confidence interval, or says how many values it would need;
// [Histogram.View] shifts and scales the answers, and [View.WriteText] draws
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
// Values are whole numbers, usually nanoseconds. They are counted in buckets
// of which the highest value is at most 1 % above the lowest (one value each
// below 128), after HDR Histogram (G. Tene). Count, minimum, maximum and mean
// are exact.
package histogram

import (
	"errors"
	"fmt"
	"math"
	"time"
)

// Options size a histogram. The zero value means 1 % up to an hour in
// nanoseconds, which takes 35 KiB.
type Options struct {
	// Error bounds how far the highest value of a bucket is above the lowest,
	// relative to that, from 0.0001 to 0.5. What holds is the next power of
	// two at or below it: 1/128 for 0.01. [Histogram.Record] is fastest there.
	Error float64
	// Max is the highest value that is told from others. Higher ones, and
	// negative ones, are counted in the tails: see [Histogram.Outside]. At
	// most 2⁵², 52 days in nanoseconds.
	Max int64
}

// Histogram counts values. It is not safe for concurrent use; [Sharded] is.
type Histogram struct {
	standard []uint64 // counts, where precision is standardPrecision
	min, max int64
	sum      int64 // of the counted values, moved to total before it overflows
	counts   []uint64
	layout
	tails   tails
	total   sum128
	options Options
	// The histograms of a Sharded are written by several processors: none
	// may lie in a cache line of another.
	_ [128]byte
}

// tails is what lies outside the range of a histogram.
type tails struct{ below, above uint64 }

// New makes a histogram of the default size: 1 %, up to an hour.
func New() *Histogram {
	h, err := Options{}.New()
	if err != nil {
		panic(err) // unreachable: the defaults are valid
	}
	return h
}

// New makes a histogram of this size.
func (o Options) New() (*Histogram, error) {
	if o.Error == 0 {
		o.Error = 0.01
	}
	if o.Max == 0 {
		o.Max = int64(time.Hour)
	}
	if !(o.Error >= 0.0001 && o.Error <= 0.5) { // also NaN
		return nil, fmt.Errorf("make histogram: error %v is not between 0.0001 and 0.5", o.Error)
	}
	if o.Max < 1 || o.Max > highest {
		return nil, fmt.Errorf("make histogram: highest value %d is not between 1 and %d", o.Max, int64(highest))
	}
	h := &Histogram{options: o, layout: newLayout(uint(math.Ceil(math.Log2(1 / o.Error))))}
	h.counts = make([]uint64, h.index(o.Max)+1)
	if h.precision == standardPrecision {
		h.standard = h.counts
	}
	h.Reset()
	return h, nil
}

// Reset forgets all values.
func (h *Histogram) Reset() {
	clear(h.counts)
	h.sum, h.total, h.tails = 0, sum128{}, tails{}
	h.min, h.max = math.MaxInt64, math.MinInt64
}

// Record counts one value.
func (h *Histogram) Record(v int64) { recordOr((*Histogram).record, h, v) }

// recordOr counts the usual value in place and leaves the others to rare. The
// compiler puts it where Record is called, as it would not if rare were called
// by name (TestRecordIsInlined), and with the precision written out, which the
// processor would else have to read from h before it can find the bucket. That
// halves the time of Record: see docs/decisions/histogram-layout.md.
func recordOr(rare func(*Histogram, int64), h *Histogram, v int64) {
	moved := math.Float64bits(float64(v + 1<<standardPrecision))
	i := moved>>(mantissa-standardPrecision) - (exponentOfOne+standardPrecision)<<standardPrecision
	if i >= uint64(len(h.standard)) || v < h.min || v > h.max || h.sum > spill {
		rare(h, v)
		return
	}
	h.standard[i]++
	h.sum += v
}

// record counts any value.
func (h *Histogram) record(v int64) {
	i := h.index(v)
	if i >= uint64(len(h.counts)) {
		h.recordTail(v)
		return
	}
	h.counts[i]++
	h.sum += v
	if h.sum > spill {
		h.carry()
	}
	if v < h.min {
		h.min = v
	}
	if v > h.max {
		h.max = v
	}
}

// RecordAll counts many values in less time than it takes to count each.
func (h *Histogram) RecordAll(values []int64) {
	const most = (math.MaxInt64 - spill) / highest // whose sum fits
	for len(values) > 0 {
		some := values[:min(len(values), most/2)]
		values = values[len(some):]
		h.recordSome(some)
	}
}

func (h *Histogram) recordSome(values []int64) {
	counts, l := h.counts, h.layout
	sum, least, greatest := int64(0), h.min, h.max
	for _, v := range values {
		i := l.index(v)
		if i >= uint64(len(counts)) {
			h.recordTail(v)
			continue
		}
		counts[i]++
		sum += v
		least, greatest = min(least, v), max(greatest, v)
	}
	h.sum += sum
	h.carry()
	h.min, h.max = min(h.min, least), max(h.max, greatest)
}

// RecordMany counts the value v n times, as an import of counts needs it.
// n ≤ 0 is nothing.
func (h *Histogram) RecordMany(v, n int64) {
	if n <= 0 {
		return
	}
	var part sum128
	part.hi, part.lo = product(v, n)
	h.total.addSum(part)
	h.min, h.max = min(h.min, v), max(h.max, v)
	switch i := h.index(v); {
	case i < uint64(len(h.counts)):
		h.counts[i] += uint64(n)
	case v < 0:
		h.tails.below += uint64(n)
	default:
		h.tails.above += uint64(n)
	}
}

// spill leaves room for one more value of at most highest below MaxInt64.
const spill = 1 << 62

func (h *Histogram) carry() {
	if h.sum > spill {
		h.total.add(h.sum)
		h.sum = 0
	}
}

func (h *Histogram) recordTail(v int64) {
	if v < 0 {
		h.tails.below++
	} else {
		h.tails.above++
	}
	h.total.add(v)
	h.min, h.max = min(h.min, v), max(h.max, v)
}

// errSize is why two histograms cannot be merged.
var errSize = errors.New("merge histograms: they have different options")

// Merge adds the values of other, which must have been made with the same
// options.
func (h *Histogram) Merge(other *Histogram) error {
	if h.precision != other.precision || len(h.counts) != len(other.counts) {
		return errSize
	}
	for i, n := range other.counts {
		h.counts[i] += n
	}
	h.tails.below += other.tails.below
	h.tails.above += other.tails.above
	h.total.addSum(other.total)
	h.total.add(other.sum)
	h.min, h.max = min(h.min, other.min), max(h.max, other.max)
	return nil
}

// Count is the number of values.
func (h *Histogram) Count() int64 {
	n := h.tails.below + h.tails.above
	for _, c := range h.counts {
		n += c
	}
	return int64(n)
}

// Outside is how many values lay below 0 and above [Options.Max]. They take
// part in everything; only where in their tail they lie is not known.
func (h *Histogram) Outside() (below, above int64) {
	return int64(h.tails.below), int64(h.tails.above)
}

// Min is the least value, exactly; 0 without values.
func (h *Histogram) Min() int64 {
	if h.Count() == 0 {
		return 0
	}
	return h.min
}

// Max is the greatest value, exactly; 0 without values.
func (h *Histogram) Max() int64 {
	if h.Count() == 0 {
		return 0
	}
	return h.max
}

// Mean is the sum of the values, which is exact, divided by their number; NaN
// without values.
func (h *Histogram) Mean() float64 {
	sum := h.total
	sum.add(h.sum)
	return sum.float() / float64(h.Count())
}

// Bucket is a run of values that are counted together.
type Bucket struct {
	// Lo and Hi are the lowest and the highest value.
	Lo, Hi int64
	Count  int64
	// Tail is true for what lies outside the range of the histogram.
	Tail bool
}

// Buckets lists the buckets that hold values, in order, tails included.
func (h *Histogram) Buckets() []Bucket {
	var all []Bucket
	if h.tails.below > 0 {
		all = append(all, Bucket{h.min, min(h.max, -1), int64(h.tails.below), true})
	}
	for i, n := range h.counts {
		if n > 0 {
			lo, hi := h.bucket(i)
			all = append(all, Bucket{max(lo, h.min), min(hi, h.max), int64(n), false})
		}
	}
	if h.tails.above > 0 {
		_, last := h.bucket(len(h.counts) - 1)
		all = append(all, Bucket{max(h.min, last+1), h.max, int64(h.tails.above), true})
	}
	return all
}
