package study

import (
	"fmt"
	"iter"
	"slices"
	"time"

	"github.com/tarebench/tare/cmd/tare/internal/result"
)

// Failed is a benchmark's own failure: it failed, was skipped, or ended its
// process. Errors of tare itself are not failures.
type Failed struct {
	Variant int
	// Everywhere is set if every variant so far failed.
	Everywhere      bool
	Reason, Message string
}

const failedReason, skippedReason = "failed", "skipped"

func (f *Failed) Error() string {
	return fmt.Sprintf("variant %d %s: %s", f.Variant, f.Reason, f.Message)
}

type bench struct {
	// turn orders the benchmarks of a total: -1 is early, 1 is late.
	turn  int
	index int
	result.Benchmark
	links *links
	// took is the wall time of its first iteration when it was discovered.
	took time.Duration
	// iteration is the timed part of took.
	iteration time.Duration
	// siblings are the full names of the benchmarks before it that share its
	// function.
	siblings []string
	// pilot is chosen in the first block, so that both variants and all blocks
	// agree. Its iterations are 0 until then.
	pilot result.Pilot
	// processes are the calls that processes counted.
	processes [][]result.Round
	// counted are counts that are not recorded yet.
	counted counts
	// longerTried is set when slices were made longer to measure what long runs do.
	longerTried bool
	// untimed is set if most of a slice without its setup is not timed.
	untimed bool
	// shift moves the start of the workers' stacks in this block.
	shift int
	spent time.Duration
	// once is the time that only the first block needs, to choose the plan.
	once time.Duration
	// setup is what a call spends outside of its timed part, in seconds, if that is
	// more than in it.
	setup float64
	done  bool
	// taken is set while it is measured.
	taken bool
	// wall is the time spent on the benchmark in this session, including
	// pilots. waited is the time that it waited for links, which the package's
	// benchmarks share.
	wall, waited time.Duration
	// decision is the judge's decision at the last look.
	decision Decision
	// lap is the number of operations in a batch of the tail, or 0 before it is
	// chosen.
	lap    int64
	noTail bool // the benchmark has no tail
	// exit is the exit code of a program, or nil before its first process. inits
	// are the init times of its packages in seconds, by package and variant.
	exit  *int
	inits map[string]map[int][]float64
	// direct is set while workers hand the turn to each other. A slice then
	// records whether it met the collector.
	direct bool
	// oneCPU is set if no variant is known to use several CPUs.
	oneCPU bool
}

func (r *runner) cpusOf(b *bench) []int {
	if b.pilot.CPUs == "" {
		return nil
	}
	return r.cpu
}

// measureOn ends the links beside a measurement on some CPUs, nil for all. Workers on
// all CPUs would have to share them, but for a benchmark that uses one of them
// on a system that places no processes.
func (r *runner) measureOn(b *bench, cpus []int) {
	r.lanes.measure(len(cpus) == 0 && (r.cpu != nil || !b.oneCPU))
}

// noteStops notes whether the timer stops inside a slice. Counting rounds then
// also read hardware and software counters.
func (b *bench) noteStops(s result.Slice) { b.pilot.Stops = b.pilot.Stops || s.Pauses > 1 }

// pattern selects the benchmark, and its siblings if they run first.
func (b *bench) pattern() string {
	if b.pilot.Siblings {
		return result.ExactPattern(append(slices.Clone(b.siblings), "Benchmark"+b.Name)...)
	}
	return result.ExactPattern("Benchmark" + b.Name)
}

func findSiblings(all []*bench) {
	for i, b := range all {
		b.siblings = nil
		for _, other := range all[:i] {
			if other.function() == b.function() {
				b.siblings = append(b.siblings, "Benchmark"+other.Name)
			}
		}
	}
}

// grouped are the benchmarks with each key, in the order of their first ones.
func grouped[K comparable](benches []*bench, key func(*bench) K) (groups [][]*bench) {
	at := make(map[K]int)
	for _, b := range benches {
		k := key(b)
		if _, known := at[k]; !known {
			at[k] = len(groups)
			groups = append(groups, nil)
		}
		groups[at[k]] = append(groups[at[k]], b)
	}
	return groups
}

func (b *bench) meanBlockTime() time.Duration {
	if len(b.Blocks) == 0 {
		return 0
	}
	return b.spent / time.Duration(len(b.Blocks))
}

// unpack gets the rounds of the finished blocks, to plan and judge after
// every block. pack frees their memory when another benchmark has its turn.
func (b *bench) unpack() {
	for i := range b.Blocks {
		b.Blocks[i].Unpack()
	}
}

func (b *bench) pack() {
	for i := range b.Blocks {
		b.Blocks[i].Pack()
	}
}

func (b *bench) rounds() (n int) {
	for _, k := range b.Blocks {
		n += k.RoundCount()
	}
	return n
}

func timedSlices(rounds []result.Round, variant int) iter.Seq[result.Slice] {
	return func(yield func(result.Slice) bool) {
		for _, r := range rounds {
			if !r.Warmup && !yield(r.Slices[variant]) {
				return
			}
		}
	}
}
