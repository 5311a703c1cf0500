package tare

// batches are laps of many operations, from which the mean is taken where
// single operations are short: see [AccurateMean]. They take turns with single
// ones, over distances that vary, so that an operation which is slow in every
// four-hundredth call is not always met by the same of the two.
type batches struct {
	decided    bool // whether there are any
	running    bool // the laps in the buffer are batches
	size       int  // operations of a lap; 0: no batches
	random     uint64
	laps       int64
	operations int64
	ticks      int64
	done       int64 // operations, also those in batches that were too short
}

const (
	lapsBeforeBatches = 1024
	batchedAmongAll   = 7 // times as many operations in batches as alone
)

func (b *batches) add(laps []int64) {
	for _, lap := range laps {
		b.ticks += lap
	}
	b.laps += int64(len(laps))
	b.operations += int64(len(laps)) * int64(b.size)
	b.done += int64(len(laps)) * int64(b.size)
}

// next is the number of batches until single laps have their turn: half as many
// to one and a half times as many as it takes on average.
func (b *batches) next() int {
	b.random ^= b.random << 13 // xorshift64 (Marsaglia 2003)
	b.random ^= b.random >> 7
	b.random ^= b.random << 17
	const operations = batchedAmongAll * 256
	want := operations/2 + int(b.random%operations)
	return min(256, max(1, (want+b.size/2)/b.size))
}

// forget drops the batches so far.
func (b *batches) forget() { b.laps, b.operations, b.ticks = 0, 0, 0 }

// chooseBatches decides which laps come next. The first time it looks at how
// long single operations are; after that it makes batches longer until they
// are long enough.
func (l *laps) chooseBatches() {
	b := &l.batches
	want := leastSteps * l.overhead.resolution
	switch {
	case !b.decided:
		if l.count < max(lapsBeforeBatches, int64(l.keep)) {
			return
		}
		b.decided = true
		median := l.histogram.Quantile(0.5).Value - l.overhead.lap.Typical
		if median < want && l.pausing.laps == 0 {
			b.size = batchSize(1, median, want)
			b.running = true
		}
	case b.size == 0:
	case b.running:
		lap := float64(b.ticks)/float64(b.laps) - l.overhead.lap.Typical
		if lap < 0.8*want && b.size < mostBatch {
			b.size = batchSize(b.size, lap, want)
			b.forget()
			return // more batches
		}
		b.running = false
	default:
		b.running = true
	}
}

// batchSize grows a batch of now operations, which take lap ticks, for a lap of
// want ticks. It grows by steps, because a first estimate may be near zero.
func batchSize(now int, lap, want float64) int {
	growth := min(16, 1.25*want/max(lap, 1))
	return min(mostBatch, max(now+1, int(float64(now)*growth)))
}

// withoutBatches ends the batches when an operation pauses its time: what pausing
// costs is known less exactly than what batches would improve. The lap under way
// is dropped, and the next one begins with the next operation.
func (l *laps) withoutBatches() {
	b := l.batches
	under := b.size - l.left // operations of the lap under way
	l.batches = batches{decided: true, done: b.done + int64(l.n)*int64(b.size) + int64(under)}
	l.n, l.limit, l.left = 0, 0, 0
}
