package result

import "slices"

// Plan is the user's plan of a study: the flags of a verb that measures. It is
// recorded, and sent unchanged to workers and to other machines.
type Plan struct {
	// Kind is "run" or "compare".
	Kind string `json:"kind"`
	// Command is the command that the user typed, for a reader who repeats it.
	Command []string `json:"command"`
	// Seed is the random seed. 0 draws one.
	Seed uint64 `json:"seed"`
	// FuncOrderSeed, if not 0, is the seed of the function orders that several comparisons
	// of one commit with different working trees share. A kept binary of the commit
	// can then be used again.
	FuncOrderSeed uint64 `json:"orders,omitempty"`
	// Alpha is the error rate over the whole study of one benchmark, Delta the
	// relative change below which two variants are the same.
	Alpha float64 `json:"alpha"`
	Delta float64 `json:"delta"`
	// Level is the error rate of all differences of the study together, if it is
	// less than Alpha. 0 is Alpha.
	Level float64 `json:"level,omitempty"`
	// PassLevel is the two-sided error rate at which the gate passes at each look.
	// 0 is the share of Alpha of that look. A pass that only ends an attempt needs
	// little proof: it cannot raise the rate of false regressions.
	PassLevel float64 `json:"pass_level,omitempty"`
	// MaxBlocks is the end of the sequential test: the most blocks of a benchmark
	// (docs/statistics.md).
	MaxBlocks int `json:"max_blocks"`
	// BudgetSeconds is the most measuring time for one benchmark. 0 has no bound.
	BudgetSeconds float64 `json:"budget_seconds"`
	// TotalSeconds is the time for the whole study, builds included. 0 has no
	// bound. If it is set, earlier looks choose the benchmarks to continue with, so
	// only planned looks count.
	TotalSeconds float64 `json:"total_seconds,omitempty"`

	// Packages are patterns as in go list, Bench and Skip as in go test.
	Packages []string `json:"packages,omitempty"`
	Bench    string   `json:"bench,omitempty"`
	Skip     string   `json:"skip,omitempty"`
	// Procs are the values of GOMAXPROCS to measure with. If there are none, the
	// runtime and the variants' environments decide.
	Procs []int `json:"procs,omitempty"`
	// Tags are build tags for every variant, Args go to the test binary.
	Tags []string `json:"tags,omitempty"`
	Args []string `json:"args,omitempty"`
	// Iterations is the number in a slice, BlockSeconds is the timed length of a
	// block and variant. 0 chooses them.
	Iterations   int64   `json:"iterations,omitempty"`
	BlockSeconds float64 `json:"block_seconds,omitempty"`
	// TimeoutSeconds bounds every wait for a worker.
	TimeoutSeconds float64 `json:"timeout_seconds,omitempty"`
	// FuncOrders is true when every block is linked in another function order.
	FuncOrders bool `json:"layouts,omitempty"`
	// MeasureAll is true when benchmarks with the same machine code are measured
	// too.
	MeasureAll bool `json:"measure_all,omitempty"`
	// Units are the measured units: "time" with counts, or "counts" alone. None
	// means time. "memory" and "tail" are added to time.
	Units []string `json:"units,omitempty"`
	// NewTests builds the other variants with the tests of the second one, package
	// by package, if tests differ and the build succeeds.
	NewTests bool `json:"new_tests,omitempty"`
	// Accepted are the regressions that the commits of the second variant accept,
	// if the gate reads them.
	Accepted []Accepted `json:"accepted,omitempty"`
	// Split measures four variants: old and new code, each with the old and the new
	// tests.
	Split bool `json:"split,omitempty"`
	// Exec are commands to time instead of benchmarks. $BIN in a single one is the
	// program of a variant. Of several, each is a variant.
	Exec []string `json:"exec,omitempty"`
	// Alone runs one variant at a time.
	Alone bool `json:"alone,omitempty"`
	// Part is the part of the study to measure. It is nil for a whole study.
	// Without a Seed, the seed is made of the rest of the plan, so that all
	// machines have the same.
	Part *Part `json:"part,omitempty"`

	// After the study, Explain looks for causes with profiles, Instructions counts
	// instructions, and Audit looks for work that was moved instead of saved.
	// Profiles are the files of merged profiles, by the flag of go test
	// ("cpuprofile").
	Explain      bool              `json:"explain,omitempty"`
	Audit        bool              `json:"audit,omitempty"`
	Instructions bool              `json:"instructions,omitempty"`
	Profiles     map[string]string `json:"profiles,omitempty"`
	// Weigh is the profile of production that weighs changed functions. "" is the
	// default.pgo of the new variant, and "off" omits the profiles of benchmarks.
	Weigh  string `json:"weigh,omitempty"`
	Output Output `json:"output"`
}

// Measures reports whether the plan has a value of Units.
func (p Plan) Measures(group string) bool {
	return slices.Contains(p.Units, group) || group == "exec" && len(p.Exec) > 0
}

// Timed reports whether the study measures time. A study that does not counts
// allocations in one block of each benchmark.
func (p Plan) Timed() bool { return len(p.Units) == 0 || slices.Contains(p.Units, "time") }

// Part is the number of this part of a study.
type Part struct {
	// Number counts the parts from 1 to Of.
	Number int `json:"number"`
	Of     int `json:"of"`
}

// Output is the form of the result.
type Output struct {
	Format string `json:"format,omitempty"`
	File   string `json:"file,omitempty"`
	// Gate has the limits of the gate. It is empty without a gate.
	Gate Limits `json:"gate,omitempty"`
}
