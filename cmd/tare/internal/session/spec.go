package session

import (
	"fmt"
	"io/fs"
	"os"
	"time"

	"github.com/tarebench/tare/cmd/tare/internal/build"
	"github.com/tarebench/tare/cmd/tare/internal/machine"
	"github.com/tarebench/tare/cmd/tare/internal/result"
)

// What a comparison and a run spend on a benchmark by default.
const (
	CompareBudget = 10 * time.Second
	CompareBlocks = 40
	RunBudget     = 5 * time.Second
	RunBlocks     = 10
	// TotalBlocks is the most blocks of a benchmark where a total bounds them
	// all.
	TotalBlocks = 160
)

// Default error rate of a verdict, and default band of changes that are the
// same.
const (
	DefaultAlpha = 0.05
	DefaultDelta = 0.02
)

// Spec says what to measure and how.
type Spec struct {
	// Kind is "run" or "compare".
	Kind string
	// Variants are the sides, the first one is the baseline.
	Variants []build.Spec
	// Packages are patterns as in go list.
	Packages []string
	// Dir is the folder that relative packages start from; empty for the
	// working directory.
	Dir string
	// Folder is where to keep the study; empty for a new one in .tare.
	Folder string

	// Bench and Skip are patterns as in go test -bench and -skip.
	Bench, Skip string
	// Procs are the values of GOMAXPROCS to measure with; none leaves it to
	// the runtime and to the variants' environments.
	Procs []int
	// Tags are build tags for every variant.
	Tags []string
	// Args go to the test binary.
	Args []string
	// Iterations fixes the iterations of a slice; 0 chooses them.
	Iterations int64
	// BlockTime is the timed length of a block and variant; 0 chooses it.
	BlockTime time.Duration
	// Timeout bounds every wait for a worker.
	Timeout time.Duration
	// Layouts links every block in another random order.
	Layouts bool

	// MeasureAll measures also what runs the same machine code on all sides.
	MeasureAll bool

	// Explain looks for causes of what became faster or slower with profiles
	// and the compilers' words, after the study.
	Explain bool
	// ProveCauses makes Explain measure again with suspected causes, and files
	// that were changed, taken away.
	ProveCauses bool
	// CPUs are the processors that benchmarks run on, "0-3,8"; "all" leaves
	// them to the scheduler, and empty lets the study choose.
	CPUs string

	// Budget is the most measuring time for one benchmark; 0 has no bound.
	Budget time.Duration
	// Blocks is the most blocks for one benchmark.
	Blocks int
	// Total is the time for the whole session, builds included, once it has
	// the machine: it is spent by need, and what is not reached in it says so.
	// 0 has no bound.
	Total time.Duration
	// Rank orders what a total is spent on: benchmarks of a lower rank get
	// their first look before others. It must not depend on what the session
	// measures. Nil leaves the order to the seed.
	Rank func(result.Key) int
	// Alpha is the error rate of one benchmark's verdict, Delta the relative
	// change below which two sides are the same.
	Alpha, Delta float64
	// Seed is the random seed; 0 draws one.
	Seed uint64

	// Alone runs one variant at a time.
	Alone bool
	// Counters reads hardware and software counters around every slice.
	Counters bool
	// Instructions counts instructions per operation after the study,
	Instructions bool
	// Profiles are the files to write merged profiles to, by the name of the
	// flag of go test ("cpuprofile").
	Profiles map[string]string

	// Lock is what to do while another process measures.
	Lock machine.LockMode
	// Command is the command line, for the reader who wants the result again.
	Command []string
	// Output is how the user wants the result, recorded for [Resume].
	Output result.Output
	// Enough, if not nil, replaces the stopping rule: it is asked after every
	// block of a benchmark.
	Enough func(blocks []result.Block) bool
	// Builder builds the variants of all sessions of a command; nil makes one
	// for this session.
	Builder *build.Builder
	// Host is the machine to measure on.
	Host Host

	// On are launchers: commands that run a program on another machine with our
	// standard input and output. With any, blocks are measured there, and none
	// on this machine.
	On []string
	// Part is the part of a study on several machines that this one measures;
	// nil measures all of it. Without a Seed it is made of the rest, so that
	// all machines have the same.
	Part *result.Part

	// resumed is the study to go on with.
	resumed *resumed
}

// DefaultSpec is a comparison with the defaults of the command line.
func DefaultSpec() Spec {
	return Spec{Kind: "compare", Timeout: 10 * time.Minute, Layouts: true, Budget: CompareBudget, Blocks: CompareBlocks, Alpha: DefaultAlpha, Delta: DefaultDelta}
}

// Host is what a session sees of the machine.
type Host struct {
	// Tree has proc and sys in it.
	Tree fs.FS
	// Root is the folder that Tree shows; settings that a killed
	// tare doctor -tune left there are restored. Empty restores nothing.
	Root string
}

// HostAt is the machine that a folder shows.
func HostAt(root string) (Host, error) {
	h := Host{Tree: os.DirFS(root), Root: root}
	if !machine.Readable(h.Tree) {
		return h, fmt.Errorf("%s shows no machine: it needs proc/cpuinfo, proc/meminfo or sys/devices/system/cpu in it", root)
	}
	return h, nil
}
