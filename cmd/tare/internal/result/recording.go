package result

import (
	"cmp"
	"reflect"
	"slices"
	"time"

	"github.com/tarebench/tare/internal/finding"
)

// Schema is the version of the JSON documents that tare prints, and
// RecordingSchema the version of result.jsonl (docs/format.md).
const (
	Schema          = 1
	RecordingSchema = 2
)

// Method is the version of the rules by which a recording is judged. It changes
// if the same rounds lead to another verdict.
const Method = 2

// Variant is one way to build and run the code of a study.
type Variant struct {
	// Label is the variant as the user typed it.
	Label string `json:"label"`
	// Revision is the full commit hash. It is empty for a working tree or a file.
	Revision string `json:"revision,omitempty"`
	// Dirty is true for a working tree that differs from its commit.
	Dirty bool `json:"dirty,omitempty"`
	// Go is the toolchain's version ("go1.26.8").
	Go string `json:"go,omitempty"`
	// Tags, Flags and Env are the variant's additions to the build and the run.
	Tags  string   `json:"tags,omitempty"`
	Flags []string `json:"flags,omitempty"`
	Env   []string `json:"env,omitempty"`
	// Digest is the SHA-256 of a kept test binary, or of the changes in a working
	// tree, in hexadecimal.
	Digest string `json:"digest,omitempty"`
	// Code is a hash of the machine code that the benchmarks of a working tree
	// reach, if its comparison may share function orders with others.
	Code string `json:"code,omitempty"`
	// Files are the benchmark files of the variant (tare stat).
	Files []string `json:"files,omitempty"`
}

// Key names a benchmark: without the Benchmark prefix and the -N suffix.
type Key struct {
	Pkg   string `json:"pkg"`
	Name  string `json:"name"`
	Procs int    `json:"procs"`
}

// Study is the head of a recording: the plan, and its variants, machine and so
// on.
type Study struct {
	// Schema is [RecordingSchema].
	Schema int `json:"schema"`
	// Method is [Method] at the time.
	Method  int       `json:"method,omitempty"`
	Created time.Time `json:"created"`
	Plan
	Variants []Variant `json:"variants"`
	// Family is the number of comparisons judged together: benchmarks times new
	// variants. If it is above 1, a benchmark stops only at a difference that
	// remains after the correction for that many tests.
	Family  int      `json:"family,omitempty"`
	Machine *Machine `json:"machine,omitempty"`
}

// Benchmark is a benchmark of a study. Other lines refer to it by its index,
// which is the number of benchmark lines before it.
type Benchmark struct {
	Key
	// Missing are the indexes of variants that lack it.
	Missing []int `json:"missing,omitempty"`
	// Loop is the kind of its loop: "b.N" or "b.Loop".
	Loop string `json:"loop,omitempty"`
	// FuncOrders is the number of function orders per variant if it is smaller than
	// the number of blocks. 0 means one per block.
	FuncOrders int `json:"link_sets,omitempty"`
	// Looked are the numbers of good blocks at which an earlier end of the
	// study was judged, before it was resumed: looks that were not planned.
	Looked []int `json:"looked,omitempty"`

	// Pilot is the choice of the pilot, nil before it. Blocks are the blocks that
	// ended, in the order of their numbers, the last try of each.
	Pilot  *Pilot  `json:"-"`
	Blocks []Block `json:"-"`
}

// Pilot is the choice of the pilot for a benchmark: the same for all variants. A
// later one of the same benchmark replaces it, from the next block on.
type Pilot struct {
	Benchmark int `json:"b"`
	// Iterations is the number in a slice. Warmup is the number of untimed
	// iterations before each.
	Iterations int64 `json:"n"`
	Warmup     int64 `json:"warm,omitempty"`
	// Rounds is the number in a block, without warm-up rounds.
	Rounds int `json:"rounds"`
	// SliceSeconds is the expected timed length of a slice.
	SliceSeconds float64 `json:"slice_seconds,omitempty"`
	// IterationSeconds is the shortest wall time of an iteration, pauses included.
	// 0 is unknown.
	IterationSeconds float64 `json:"iteration_seconds,omitempty"`
	// Alone is true when two live workers cannot coexist: the variants of a
	// block run one after the other.
	Alone bool `json:"alone,omitempty"`
	// Siblings is true if the benchmark fails unless the sub-benchmarks before it
	// run first. Each process runs one iteration of them.
	Siblings bool `json:"siblings,omitempty"`
	// Stops is true when the timer stops inside a slice, Paused when it does
	// so too often for allocations to be counted in timed slices.
	Stops  bool `json:"stops,omitempty"`
	Paused bool `json:"paused,omitempty"`
	// CPUs lists the CPUs that the workers may use ("0", "0-3,8"). It is empty if
	// the workers may use all CPUs of the tool.
	CPUs string `json:"cpus,omitempty"`
	// Procs is GOMAXPROCS of the workers. 0 is the runtime's choice.
	Procs int `json:"gomaxprocs,omitempty"`
	// Long are the iterations of a long run by variant. If Whole is set, the
	// slices of a block are long runs, because shorter ones do not measure what
	// long runs do.
	Long  []int64 `json:"long,omitempty"`
	Whole bool    `json:"whole,omitempty"`
}

// Equal reports whether two plans are the same.
func (p Pilot) Equal(q Pilot) bool { return reflect.DeepEqual(p, q) }

// Slice is one timed burst of N iterations in one worker. Times are in
// nanoseconds, totals over the slice.
type Slice struct {
	N int64 `json:"n"`
	// Raw is the time between starts and stops of the timer by the clock. Pauses is
	// the number of timed intervals in it.
	Raw    float64 `json:"raw"`
	Pauses int64   `json:"pauses,omitempty"`
	// Delay is the part of Raw in which the thread was ready to run, but other
	// programs had its CPU. It is known if Followed. Otherwise it is 0: the slice
	// ran on several CPUs, on a system that does not count delays, or in many short
	// intervals (docs/decisions/clock.md).
	Followed bool    `json:"followed,omitempty"`
	Delay    float64 `json:"delay,omitempty"`
	// OverheadLo and OverheadHi bound the clock's own share of Raw.
	OverheadLo float64 `json:"ohlo,omitempty"`
	OverheadHi float64 `json:"ohhi,omitempty"`
	// Counted is true when Mallocs and Bytes are known: heap allocations inside the
	// timed part, exact. A slice with many pauses is not counted, because reading
	// the counters stops the world. Counting rounds are counted.
	Counted bool   `json:"counted,omitempty"`
	Mallocs uint64 `json:"mallocs,omitempty"`
	Bytes   uint64 `json:"bytes,omitempty"`
	// SetBytes is the number of bytes that an operation processes, unless the
	// benchmark reports its own rate.
	SetBytes int64 `json:"set_bytes,omitempty"`
	// GCs is the number of collections that ended during the slice.
	GCs uint32 `json:"gcs,omitempty"`
	// Collected is true when a collection ran during a part of the slice. Settle is
	// the CPU time, in nanoseconds, that the process used after such a slice until
	// its collector and the sweeper had finished, before another worker took over.
	// It belongs to the cost of the operations, and is not in Raw.
	Collected bool    `json:"collected,omitempty"`
	Settle    float64 `json:"settle,omitempty"`
	// MaxDelay is the largest part of Raw, in nanoseconds, during which the process
	// had work and no CPU. CPUs is the number that its operations used, or would
	// have used on an idle machine, on average. CPUTime is the CPU time of the
	// process in the timed part, in nanoseconds, or 0 if unknown. All are known of long
	// runs.
	MaxDelay float64 `json:"max_delay,omitempty"`
	CPUs     float64 `json:"cpus,omitempty"`
	CPUTime  float64 `json:"cpu_time,omitempty"`
	// Span is the wall time from the command to its end in nanoseconds, setup and
	// untimed iterations included. It is not kept in the file.
	Span float64 `json:"-"`
	// Metrics are the values that the benchmark reported (ReportMetric) and the
	// counts, in base units.
	Metrics map[string]float64 `json:"metrics,omitempty"`
}

// Own is Raw without its delay: the time that other programs do not affect.
func (s Slice) Own() float64 { return max(0, s.Raw-s.Delay) }

// Seconds is the corrected time per operation: without delay and the middle of
// the overhead interval, never below zero.
func (s Slice) Seconds() float64 {
	if s.N <= 0 {
		return 0
	}
	return max(0, s.Own()-(s.OverheadLo+s.OverheadHi)/2) / float64(s.N) / 1e9
}

// Round is one slice of every variant, adjacent in time.
type Round struct {
	// At is the time from the begin of the study to the begin of the round, in
	// seconds. The file keeps whole microseconds.
	At float64
	// Order lists the variants in the order their slices ran.
	Order []int
	// Slices has one element per variant. N is 0 if a variant has none.
	Slices []Slice
	// Warmup marks rounds that statistics exclude.
	Warmup bool
}

// Process is the use of resources by the worker process of one variant over a
// block, from its first slice to its last, the untimed parts included. If a
// variant had several processes, it is their sum.
type Process struct {
	// N is the number of iterations, untimed ones included.
	N int64 `json:"n,omitempty"`
	// User and System are CPU time in nanoseconds.
	User   float64 `json:"user,omitempty"`
	System float64 `json:"system,omitempty"`
	// GCs is the number of collections, GCTime the CPU time of the collector
	// in nanoseconds.
	GCs    int64   `json:"gcs,omitempty"`
	GCTime float64 `json:"gc_time,omitempty"`
	// Bytes and Mallocs are the heap allocations.
	Bytes   uint64 `json:"bytes,omitempty"`
	Mallocs uint64 `json:"mallocs,omitempty"`
	// HeapLive is the live heap after the last collection, HeapGoal the size at
	// which the next one begins, in bytes.
	HeapLive uint64 `json:"heap_live,omitempty"`
	HeapGoal uint64 `json:"heap_goal,omitempty"`
	// FirstProcs and Procs are GOMAXPROCS before and after, if known.
	FirstProcs int64 `json:"first_gomaxprocs,omitempty"`
	Procs      int64 `json:"gomaxprocs,omitempty"`
}

// Add adds the later use u to p, and takes the heap and the last GOMAXPROCS from
// u.
func (p *Process) Add(u Process) {
	p.FirstProcs, p.Procs = cmp.Or(p.FirstProcs, u.FirstProcs), cmp.Or(u.Procs, p.Procs)
	p.N += u.N
	p.User += u.User
	p.System += u.System
	p.GCs += u.GCs
	p.GCTime += u.GCTime
	p.Bytes += u.Bytes
	p.Mallocs += u.Mallocs
	p.HeapLive, p.HeapGoal = u.HeapLive, u.HeapGoal
}

// SameCode is the reason to stop at an unmeasured benchmark whose machine code
// and data are the same in all variants.
const SameCode = "same code"

// StopTotal is the reason to stop at a benchmark that is undecided at the end
// of the total. It is StopNotReached if there was no look yet. There is no look
// at that time: see [Plan.TotalSeconds].
const (
	StopTotal      = "total"
	StopNotReached = "not reached"
	// StopCounted is the reason to stop at a benchmark with only counts: see
	// [Plan.Timed].
	StopCounted = "counted"
)

// Stop reports that a benchmark is finished, and why.
type Stop struct {
	Benchmark int `json:"b"`
	// Reason is "decided", "budget", "blocks", "failed", "skipped",
	// "interrupted", [StopTotal] or [StopNotReached].
	Reason string `json:"reason"`
	// Message is the benchmark's message when it failed or was skipped.
	Message string `json:"message,omitempty"`
	// Variant is the one that failed. Everywhere is set if all variants did.
	Variant    int  `json:"variant,omitempty"`
	Everywhere bool `json:"everywhere,omitempty"`
}

// Line is one line of result.jsonl: exactly one field is set. Lines may be in
// any order, with two exceptions: benchmarks are numbered by the order of their
// lines, and of several plans of a benchmark, or tries of a block, the last
// counts.
type Line struct {
	Study     *Study           `json:"study,omitempty"`
	Benchmark *Benchmark       `json:"benchmark,omitempty"`
	Pilot     *Pilot           `json:"plan,omitempty"`
	Block     *Block           `json:"block,omitempty"`
	Stop      *Stop            `json:"stop,omitempty"`
	Finding   *finding.Finding `json:"finding,omitempty"`
	Count     *Count           `json:"count,omitempty"`
	Changed   *ChangedFunction `json:"changed,omitempty"`
	// Production is the profile of the weights of changed functions.
	Production *Production `json:"production,omitempty"`
	// Machine is a machine that the study line does not have. Blocks refer to it by
	// the number of machine lines before it.
	Machine *Machine `json:"machine,omitempty"`
	// End closes a study that ran to its end.
	End *End `json:"end,omitempty"`
}

// End is the last line of a complete study.
type End struct {
	Seconds     float64 `json:"seconds"`
	Interrupted bool    `json:"interrupted,omitempty"`
}

// Recording is a whole result.jsonl: benchmarks have their blocks, and blocks
// their rounds.
type Recording struct {
	Study Study
	// Machines are the machines of the machine lines. A study on several machines
	// has all of them, and the first is Study.Machine too.
	Machines   []Machine
	Benchmarks []Benchmark
	Stops      []Stop
	Findings   []finding.Finding
	Counts     []Count
	Changed    []ChangedFunction
	Production *Production
	// End is nil if the file ends before the study did.
	End *End

	changedAt map[changedKey]int // index in Changed
}

// NewRecording groups lines, whose indexes must be valid, from a [Writer] or
// from [Lines].
func NewRecording(lines []Line) *Recording {
	// Benchmarks come first, and blocks in their order, since an insertion moves all
	// later ones.
	order := func(l Line) int {
		switch {
		case l.Benchmark != nil:
			return -1
		case l.Block != nil:
			return l.Block.Block
		}
		return 0
	}
	r := new(Recording)
	for _, l := range slices.SortedStableFunc(slices.Values(lines), func(a, b Line) int { return order(a) - order(b) }) {
		r.Append(l)
	}
	return r
}

// Append adds a line. The benchmark that it refers to must have been announced.
func (r *Recording) Append(l Line) {
	switch {
	case l.Study != nil:
		machine := r.Study.Machine
		r.Study = *l.Study
		r.Study.Machine = cmp.Or(r.Study.Machine, machine)
	case l.Machine != nil:
		r.Machines = append(r.Machines, *l.Machine)
		r.Study.Machine = cmp.Or(r.Study.Machine, l.Machine)
	case l.Benchmark != nil:
		r.Benchmarks = append(r.Benchmarks, *l.Benchmark)
	case l.Pilot != nil:
		r.Benchmarks[l.Pilot.Benchmark].Pilot = l.Pilot
	case l.Block != nil:
		r.Benchmarks[l.Block.Benchmark].add(*l.Block)
	case l.Stop != nil:
		r.Stops = append(r.Stops, *l.Stop)
	case l.Finding != nil:
		r.Findings = append(r.Findings, *l.Finding)
	case l.Count != nil:
		r.Counts = append(r.Counts, *l.Count)
	case l.Changed != nil:
		r.changed(*l.Changed)
	case l.Production != nil:
		r.Production = l.Production
	case l.End != nil:
		r.End = l.End
	}
}

// GoodBlocks is the number of blocks that count.
func (b *Benchmark) GoodBlocks() (n int) {
	for _, k := range b.Blocks {
		if k.Good() {
			n++
		}
	}
	return n
}

// add puts a block in its place. A later try replaces an earlier one.
func (b *Benchmark) add(k Block) {
	i, found := slices.BinarySearchFunc(b.Blocks, k.Block, func(x Block, number int) int { return x.Block - number })
	if found {
		b.Blocks[i] = k
		return
	}
	b.Blocks = slices.Insert(b.Blocks, i, k)
}
