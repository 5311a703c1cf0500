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
// whose width is at most 1 % of the value (one each below 256), after HDR
// Histogram (G. Tene). Count, minimum, maximum and mean are exact.
package histogram

import (
	"errors"
	"fmt"
	"math"
	"math/bits"
	"time"
)

// Options size a histogram. The zero value means 1 % up to an hour in
// nanoseconds, which takes 36 KiB.
type Options struct {
	// Error bounds the width of a bucket relative to its lower edge, from
	// 0.0001 to 0.5. The width is the next power of two at or below it.
	Error float64
	// Max is the highest value that is told from others. Higher ones, and
	// negative ones, are counted in the tails: see [Histogram.Outside]. At
	// most 2⁵², 52 days in nanoseconds.
	Max int64
}

// Histogram counts values. It is not safe for concurrent use; [Sharded] is.
type Histogram struct {
	counts    []uint64
	precision uint  // an octave has 2^precision buckets
	sum       int64 // of the counted values, moved to total before it overflows
	min, max  int64
	tails     tails
	total     sum128
	options   Options
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
	h := &Histogram{options: o, precision: uint(math.Ceil(math.Log2(1 / o.Error)))}
	h.counts = make([]uint64, h.index(o.Max)+1)
	h.Reset()
	return h, nil
}

const (
	mantissa = 52
	// highest is the greatest Options.Max: up to here every whole number is
	// a float64.
	highest = 1 << mantissa
)

// Reset forgets all values.
func (h *Histogram) Reset() {
	clear(h.counts)
	h.sum, h.total, h.tails = 0, sum128{}, tails{}
	h.min, h.max = math.MaxInt64, math.MinInt64
}

// index is the bucket of v. Each octave, from a power of two up to the next,
// has 2^precision buckets of one width; the whole numbers below the first such
// octave have one each. A negative value comes out past every bucket.
func (h *Histogram) index(v int64) uint64 {
	precision := h.precision & 63 // the masks save checks of the shifts
	octave := uint(bits.Len64(uint64(v)>>precision|1)-1) & 63
	return uint64(v)>>octave + uint64(octave)<<precision
}

// bucket returns the lowest and the highest value counted in bucket i.
func (h *Histogram) bucket(i int) (lo, hi int64) {
	octave := max(0, i>>h.precision-1)
	lo = int64(i-octave<<h.precision) << octave
	return lo, lo + 1<<octave - 1
}

// Record counts one value.
func (h *Histogram) Record(v int64) {
	i := h.index(v)
	if i >= uint64(len(h.counts)) {
		h.recordTail(v)
		return
	}
	h.counts[i]++
	h.sum += v
	if h.sum > spill || v < h.min || v > h.max {
		h.rare(v)
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

// recordSome finds buckets in another way than index: a float64 is a logarithm
// already, its exponent followed by the leading bits of its mantissa. That
// takes longer for one value, and less for many beside each other.
func (h *Histogram) recordSome(values []int64) {
	counts, linear, shift := h.counts, uint64(1)<<h.precision, (mantissa-h.precision)&63
	base := math.Float64bits(float64(linear))>>shift - linear
	sum, least, greatest := int64(0), h.min, h.max
	for _, v := range values {
		i := math.Float64bits(float64(v))>>shift - base
		if uint64(v) < linear {
			i = uint64(v)
		}
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

// product multiplies two signed numbers to 128 bits, n being positive.
func product(v, n int64) (hi int64, lo uint64) {
	high, lo := bits.Mul64(uint64(v), uint64(n))
	hi = int64(high)
	if v < 0 {
		hi -= n // uint64(v) is v + 2⁶⁴
	}
	return hi, lo
}

// spill leaves room for one more value of at most highest below MaxInt64.
const spill = 1 << 62

// rare is kept out of the way of Record: tests that are almost never true.
func (h *Histogram) rare(v int64) {
	h.carry()
	h.min, h.max = min(h.min, v), max(h.max, v)
}

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

// sum128 is a sum that no number of values can overflow.
type sum128 struct {
	hi int64
	lo uint64
}

func (s *sum128) add(v int64) { s.addSum(sum128{v >> 63, uint64(v)}) }

func (s *sum128) addSum(o sum128) {
	var carry uint64
	s.lo, carry = bits.Add64(s.lo, o.lo, 0)
	s.hi += o.hi + int64(carry)
}

func (s sum128) float() float64 {
	if s.hi >= 0 {
		return math.Ldexp(float64(s.hi), 64) + float64(s.lo)
	}
	// Negate first: -1 is 2⁶⁴-1 below zero, and float64 would round it.
	lo, borrow := bits.Sub64(0, s.lo, 0)
	hi, _ := bits.Sub64(0, uint64(s.hi), borrow)
	return -(math.Ldexp(float64(hi), 64) + float64(lo))
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
