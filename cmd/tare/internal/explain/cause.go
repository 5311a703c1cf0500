package explain

import (
	"cmp"
	"slices"

	"github.com/tarebench/tare/cmd/tare/internal/objcode"
)

// Kind is a kind of cause. Its text is part of the JSON output.
type Kind string

// The kinds, from the most specific to the least.
const (
	Settings     Kind = "settings"      // other build flags, toolchain or environment
	Profile      Kind = "profile"       // another profile guides the compiler
	Compile      Kind = "regexp"        // a regular expression is compiled
	Syscall      Kind = "system-call"   // files, processes, the network
	Reflection   Kind = "reflection"    //
	PoolLost     Kind = "pool"          // fewer objects come from a sync.Pool
	Lock         Kind = "lock"          // mutexes and atomic operations
	Channel      Kind = "channel"       // channel operations, goroutines and waiting for them
	Defer        Kind = "defer"         // deferred calls that are not open-coded
	Concat       Kind = "concatenation" // strings are joined
	Map          Kind = "map"           // map accesses
	Format       Kind = "formatting"    // package fmt
	Clock        Kind = "clock"         // time is read
	Growth       Kind = "growth"        // append grows slices
	Allocation   Kind = "allocation"    // memory comes from the heap
	Collector    Kind = "collector"     // the garbage collector takes more or less of the time
	OtherCallee  Kind = "other-callee"  // another function is called instead
	Inlining     Kind = "inlining"      // a call is no longer, or newly, inlined
	Dynamic      Kind = "indirect-call" // calls through interfaces and closures
	Bounds       Kind = "bounds-check"  //
	Division     Kind = "division"      // the compiler checks for division by zero
	Panic        Kind = "panic"         // panics and recovers
	Copy         Kind = "copy"          // blocks of memory are copied
	Clear        Kind = "clear"         // blocks of memory are cleared
	WriteBarrier Kind = "write-barrier" //
	Callee       Kind = "callee"        // a function of the module or a dependency is called
	Data         Kind = "data"          // the code is the same, its data is not
	Operands     Kind = "operands"      // the same instructions with other offsets or constants
	Body         Kind = "body"          // the function changed, nothing else is known
	Layout       Kind = "layout"        // the benchmark runs the same code
)

// kinds are the kinds in the order of the list above.
var kinds = []Kind{
	Settings, Profile, Compile, Syscall, Reflection, PoolLost, Lock, Channel, Defer, Concat, Map, Format, Clock, Growth,
	Allocation, Collector, OtherCallee, Inlining, Dynamic, Bounds, Division, Panic, Copy, Clear, WriteBarrier, Callee, Data, Operands, Body, Layout,
}

// Cause is one suspected cause of a difference.
type Cause struct {
	Kind Kind `json:"kind"`
	// Function is the function that has the cause.
	Function string `json:"function,omitempty"`
	// Subject is the called function, or the symbol that differs.
	Subject string `json:"subject,omitempty"`
	// Instead is the function that was called before instead of Subject.
	// OtherCallee has it, and other kinds if as many places call something else.
	Instead string `json:"instead,omitempty"`
	// Old and New count the places in the machine code of the function.
	Old int `json:"old"`
	New int `json:"new"`
	// Loops is the number of loops around the places that Old and New count, or 0 if
	// they count all places. For Inlining it is the most around one place.
	Loops int `json:"loops,omitempty"`
	// Type is a type of the function whose size in bytes differs, or empty.
	Type    string `json:"type,omitempty"`
	OldSize int    `json:"old_size,omitempty"`
	NewSize int    `json:"new_size,omitempty"`
	// OldInstructions and NewInstructions are the length of the function, or 0
	// if the variant lacks it.
	OldInstructions int `json:"old_instructions,omitempty"`
	NewInstructions int `json:"new_instructions,omitempty"`
	// File and Line are the beginning of the function, or the line that the
	// compiler reports.
	File string `json:"file,omitempty"`
	Line int    `json:"line,omitempty"`
	// Share is the part of the benchmark's time in the function and its
	// callees, 0 to 1, in the variant with the larger part. It is 0 if unknown.
	Share float64 `json:"share,omitempty"`
	// Seconds is the additional time of an operation in the new variant: in the
	// call of the cause, or else in its function alone, or for Inlining in the
	// callee alone. It is nil if the profiles of the variants do not show it. It
	// orders causes.
	Seconds *float64 `json:"seconds_per_op,omitempty"`
	// Reason is the message of the compiler: "cost 83 exceeds budget 80".
	Reason string `json:"reason,omitempty"`
	// Bytes and Objects are the change per operation, from memory profiles.
	Bytes   float64 `json:"bytes_per_op,omitempty"`
	Objects float64 `json:"objects_per_op,omitempty"`
	// OldAmount and NewAmount are the collector's shares of the time, observed while
	// running.
	OldAmount float64 `json:"old_amount,omitempty"`
	NewAmount float64 `json:"new_amount,omitempty"`

	// was is the name of Function in the old variant.
	was string
	// alone is true if only one variant has Function.
	alone bool
	// weight is the additional time of an operation in Function and in its
	// callees in the standard library, or in its causes if they have none.
	weight float64
	// spare is true if the code of Function shows a cause besides its change.
	spare bool
	// heavy is true if weight exceeds the scatter of the profiles.
	heavy bool
	// body is the first line of the function's code in the new variant.
	body objcode.Site
}

// Place is File and Line. For a function that is only inlined, it is the first
// line of its code in the new variant. It is empty if unknown.
func (c Cause) Place() (file string, line int) {
	if c.File != "" {
		return c.File, c.Line
	}
	return c.body.File, c.body.Line
}

// Costs reports whether the cause adds work to the new variant. The measured
// amounts decide, or else the places in the machine code.
func (c Cause) Costs() bool {
	switch {
	case c.neutral():
		return true
	case c.Objects != 0:
		return c.Objects > 0
	case c.Kind == PoolLost:
		return c.New < c.Old
	}
	return c.New > c.Old || c.NewAmount > c.OldAmount // for Inlining, calls that are not inlined
}

// negligible is the share of the time below which a function is not a cause.
const negligible = 0.01

// inHotFunctions sets the share of each cause: the greater share of its
// function in both variants, from [profileTimes]. It drops causes below 1%. A function
// in neither has no share. A new or inlined call has the share of the callee.
func inHotFunctions(causes []Cause, old, new map[string]float64) []Cause {
	var hot []Cause
	share := func(function string) float64 {
		function = withoutTypes(function)
		return max(old[function], new[function])
	}
	for _, c := range causes {
		c.Share = share(c.Function)
		if c.Kind == Callee || c.Kind == OtherCallee || c.Kind == Inlining || c.Kind == Body && c.Subject != "" {
			c.Share = share(c.Subject)
		}
		if c.Share >= negligible || c.Function == "" {
			hot = append(hot, c)
		}
	}
	return hot
}

// rank orders causes for a benchmark that became slower (slower) or faster, by
// the difference of the profiles. The functions with the greatest difference
// come first, and in a function the calls with the greatest. Without a
// difference the more specific kind comes first. Rank drops causes that
// contradict the verdict, by the profile of their function or by themselves.
// The cause "function changed" stays if its function has no more specific
// cause, or if it takes the time.
func rank(causes []Cause, slower bool) []Cause {
	sign := -1.0
	if slower {
		sign = 1
	}
	ranked := slices.DeleteFunc(slices.Clone(causes), func(c Cause) bool {
		return c.heavy && sign*c.weight < 0 || !c.neutral() && c.Costs() != slower
	})
	specific := make(map[string]bool)
	for _, c := range ranked {
		specific[c.Function] = specific[c.Function] || !c.vague()
	}
	ranked = slices.DeleteFunc(ranked, func(c Cause) bool {
		return c.vague() && (specific[c.Function] || c.spare && !c.heavy)
	})
	seconds := func(c Cause) float64 {
		if c.Seconds == nil {
			return 0
		}
		return sign * *c.Seconds
	}
	order := func(c Cause) int { return slices.Index(kinds, c.Kind) }
	whole := func(c Cause) int { return min(order(c), slices.Index(kinds, Compile)) } // settings and profiles
	slices.SortStableFunc(ranked, func(a, b Cause) int {
		return cmp.Or(
			cmp.Compare(whole(a), whole(b)),
			-cmp.Compare(sign*a.weight, sign*b.weight),
			-cmp.Compare(seconds(a), seconds(b)),
			cmp.Compare(order(a), order(b)),
			-cmp.Compare(a.Loops, b.Loops),
			-cmp.Compare(a.Share, b.Share),
			-cmp.Compare(size(a), size(b)),
			cmp.Compare(a.Function, b.Function),
		)
	})
	return ranked
}

// vague is true for a cause that reports only that a function changed.
func (c Cause) vague() bool {
	return c.Subject == "" && (c.Kind == Body || c.Kind == Operands)
}

// neutral reports whether the cause can make a benchmark both slower and faster.
func (c Cause) neutral() bool {
	switch c.Kind {
	case Settings, Profile, Data, Operands, Body, OtherCallee, Layout:
		return true
	}
	return c.Instead != ""
}

func size(c Cause) int { return max(c.Old, c.New) - min(c.Old, c.New) }
