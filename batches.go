package tare

// batches are laps of many operations. If single operations are short, the mean
// comes from batches: see [AccurateMean]. Batches and single laps alternate at
// varying distances. An operation that is slow in every four-hundredth call
// then falls into both.
type batches struct {
	decided    bool // whether the choice was made
	running    bool // the buffer contains batches
	size       int  // operations of a lap, 0 without batches
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

// next is the number of batches before the next single laps. It varies from
// half to one and a half times the average.
func (b *batches) next() int {
	b.random ^= b.random << 13 // xorshift64 (Marsaglia 2003)
	b.random ^= b.random >> 7
	b.random ^= b.random << 17
	const operations = batchedAmongAll * 256
	want := operations/2 + int(b.random%operations)
	return min(256, max(1, (want+b.size/2)/b.size))
}

func (b *batches) forget() { b.laps, b.operations, b.ticks = 0, 0, 0 }

// chooseBatches decides which laps come next. The first decision depends on how
// long single operations are. Later calls make batches longer until they are
// long enough.
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

// batchSize grows a batch of now operations, which take lap ticks, towards a
// lap of want ticks. It grows in steps, because a first estimate may be near
// zero.
func batchSize(now int, lap, want float64) int {
	growth := min(16, 1.25*want/max(lap, 1))
	return min(mostBatch, max(now+1, int(float64(now)*growth)))
}

// withoutBatches ends the batches when an operation pauses its time: the cost
// of a pause is known less exactly than the mean that batches would improve. It
// drops the current lap. The next lap begins with the next operation.
func (l *laps) withoutBatches() {
	b := l.batches
	under := b.size - l.left // operations of the current lap
	l.batches = batches{decided: true, done: b.done + int64(l.n)*int64(b.size) + int64(under)}
	l.n, l.limit, l.left = 0, 0, 0
}
