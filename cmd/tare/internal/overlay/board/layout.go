package board

// This file is part of the overlay too. It joins package testing, under the
// name of that package, so it imports nothing and declares unexported names.

const (
	tareBoardMagic   = 0x6472616f62657261 // "areboard"
	tareBoardVersion = 11

	tareMostSides = 8
	tareMostSlots = 1 << 13
	tareMostUnits = 32
	tareUnitBytes = 96
)

// Values that a slot reads, besides the clock.
const (
	tareReadFew    = 1 << iota // allocations, in a few timed intervals
	tareReadEvery              // allocations, in every timed interval
	tareReadMemory             // the memory of the process, after collections
	tareReadTail               // the time of every iteration; the higher bytes are those of a batch
	tareReadLong               // how often the process had no CPU, between two collections
	tareReadReady              // how many goroutines have work: samples, which slow the slice down
)

// Flags of a result.
const (
	tareDone      = 1 << iota // the slot was taken
	tareCounted               // Mallocs and Bytes are known
	tareCollected             // a collection ran during a part of it
	tareOverflow              // more metrics than the board has room for
	tareFollowed              // Delay is known
)

// tareBoard is the shared memory. All sizes are fixed, so every process that
// maps it uses the same layout.
type tareBoard struct {
	Magic   uint64
	Version uint64

	// Sides is the number of workers, and Slots the number of slots of a batch.
	Sides uint32
	Slots uint32
	// Arrived has a bit for each worker that has come to the batch, and Expected
	// for each that will. The last one to arrive lets the first slot begin.
	Arrived  uint32
	Expected uint32
	// Cancel is set by the parent to end the batch.
	Cancel uint32
	// Running is the index of the running slot. The parent reads it as progress.
	Running uint32
	_       [6]uint32

	Side    [tareMostSides]tareSide
	Slot    [tareMostSlots]tareSlot
	Result  [tareMostSlots]tareResult
	Metrics [tareMostUnits][tareMostSlots]float64
}

type tareSide struct {
	// Turn is the word to wait at. The worker may take slots with a lower index.
	Turn uint32
	// Units counts the metrics that were reported so far. Unit contains their
	// names.
	Units uint32
	_     [14]uint32 // a separate cache line
	Use   tareUse
	Unit  [tareMostUnits]tareUnit
}

type tareUnit struct {
	Len  uint64
	Name [tareUnitBytes]byte
}

// tareSlot is a slice to take: Warm untimed iterations and N timed ones.
type tareSlot struct {
	Side    uint32
	Reading uint32
	N       int64
	Warm    int64
}

// tareResult is a slice that was taken. Times are in nanoseconds.
type tareResult struct {
	Flags uint32
	// GCs is the number of collections that ended.
	GCs    uint32
	N      int64
	Raw    int64
	Pauses int64
	// Delay is the part of Raw in which the thread was ready to run, but others
	// had its CPU.
	Delay int64
	// OverheadLo and OverheadHi bound the clock's share of Raw.
	OverheadLo, OverheadHi float64
	// Span is from the turn to the end of the slice, with setup, untimed
	// iterations and pauses, less such delays.
	Span int64
	// Settle is the CPU time of the process between the slice and the end of its
	// collector's work.
	Settle int64
	// SetBytes is the number of bytes that an operation processes.
	SetBytes int64
	// Metrics has a bit for each reported unit of the side.
	Metrics uint64

	Mallocs, Bytes uint64

	// MaxDelay is at least the share of a long run during which the process had
	// work and no CPU. CPUs is the number that its operations used or would have
	// used.
	MaxDelay, CPUs float64
	// CPUTime is the CPU time of the process in the timed intervals of a long run. It
	// is 0 if they are too short to measure it.
	CPUTime int64
}

// tareUse contains the resources that a process used during its part of a
// batch.
type tareUse struct {
	User, System       int64
	GCs                int64
	GCTime             int64
	Mallocs, Bytes     uint64
	HeapLive, HeapGoal uint64
	// FirstProcs and Procs are GOMAXPROCS at both ends.
	FirstProcs, Procs int64
}
