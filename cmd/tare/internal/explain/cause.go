package explain

import (
	"cmp"
	"slices"
	"strings"

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
	PoolLost     Kind = "pool"          // objects are no longer taken from a sync.Pool
	Lock         Kind = "lock"          // mutexes and atomic operations
	Channel      Kind = "channel"       // channel operations, goroutines and waiting for them
	Defer        Kind = "defer"         // deferred calls that are not open-coded
	Concat       Kind = "concatenation" // strings are joined
	Map          Kind = "map"           // map accesses
	Format       Kind = "formatting"    // package fmt
	Clock        Kind = "clock"         // time is read
	Growth       Kind = "growth"        // append grows slices
	Allocation   Kind = "allocation"    // memory comes from the heap
	Waiting      Kind = "waiting"       // goroutines wait for locks and channels
	Collector    Kind = "collector"     // the garbage collector takes more or less of the time
	OtherCallee  Kind = "other-callee"  // another function is called in its place
	Inlining     Kind = "inlining"      // a call is no longer, or newly, inlined
	Dynamic      Kind = "indirect-call" // calls through interfaces and closures
	Bounds       Kind = "bounds-check"  //
	Division     Kind = "division"      // the compiler checks for division by zero
	Panic        Kind = "panic"         // panics and recovers
	Copy         Kind = "copy"          // blocks of memory are copied
	Clear        Kind = "clear"         // blocks of memory are cleared
	WriteBarrier Kind = "write-barrier" //
	SystemTime   Kind = "system-time"   // the kernel takes more or less of the time
	PageFaults   Kind = "page-faults"   // pages that the system has to find or to clear
	Callee       Kind = "callee"        // a function of the module or a dependency is called
	Data         Kind = "data"          // code is the same, data it reads is not
	Operands     Kind = "operands"      // the same instructions with other offsets or constants
	Body         Kind = "body"          // the function was changed, nothing more is known
	Layout       Kind = "layout"        // nothing the benchmark runs differs
)

// order is the place of each kind in the list above.
var order = func() map[Kind]int {
	places := make(map[Kind]int)
	for i, k := range []Kind{
		Settings, Profile, Compile, Syscall, Reflection, PoolLost, Lock, Channel, Defer, Concat, Map, Format, Clock, Growth,
		Allocation, Waiting, Collector, OtherCallee, Inlining, Dynamic, Bounds, Division, Panic, Copy, Clear, WriteBarrier, Callee, SystemTime, PageFaults, Data, Operands, Body, Layout,
	} {
		places[k] = i
	}
	return places
}()

// Cause is one suspected cause of a difference.
type Cause struct {
	Kind Kind `json:"kind"`
	// Function is where it is.
	Function string `json:"function,omitempty"`
	// Subject is what it is about: the function that is called, or the symbol
	// that differs.
	Subject string `json:"subject,omitempty"`
	// Instead is what was called before in place of Subject: by OtherCallee, and
	// by other kinds where as many places call something else.
	Instead string `json:"instead,omitempty"`
	// Old and New count the places in the machine code of the function.
	Old int `json:"old"`
	New int `json:"new"`
	// OldInstructions and NewInstructions are the length of the function; 0
	// where it is not in that variant.
	OldInstructions int `json:"old_instructions,omitempty"`
	NewInstructions int `json:"new_instructions,omitempty"`
	// File and Line are where the function begins, or the line itself where
	// the compiler says which.
	File string `json:"file,omitempty"`
	Line int    `json:"line,omitempty"`
	// Share is the part of the benchmark's time that is spent in the function
	// and what it calls, in the variant where that is more: 0 to 1; 0 where it
	// is not known.
	Share float64 `json:"share,omitempty"`
	// Seconds is how much longer an operation takes in what the cause is about,
	// by the profiles of both sides; nil where they do not say. It is an
	// estimate that orders causes, and no proof.
	Seconds *float64 `json:"seconds_per_op,omitempty"`
	// Reason is what the compiler says: "cost 83 exceeds budget 80".
	Reason string `json:"reason,omitempty"`
	// Bytes and Objects are the change per operation, from memory profiles.
	Bytes   float64 `json:"bytes_per_op,omitempty"`
	Objects float64 `json:"objects_per_op,omitempty"`
	// OldAmount and NewAmount are what was observed while running: a share of
	// the time (Collector), seconds (Waiting, SystemTime) or a count
	// (PageFaults) per operation.
	OldAmount float64 `json:"old_amount,omitempty"`
	NewAmount float64 `json:"new_amount,omitempty"`
	// Proof is the result of taking this mechanism alone away; nil where that
	// was not tried.
	Proof *Proof `json:"proof,omitempty"`

	// known are the functions that Function calls by name (Dynamic), or that are
	// inlined into it (Copy, Body), and alone says that one variant alone has Function.
	known map[string]bool
	alone bool
	// spare says that it counts only where the function has no other cause that
	// can have made the difference.
	spare bool
	// heavy says that, by the profiles, it accounts for a good part of the time.
	heavy bool
	// body is the first line of the function's code in the new variant.
	body objcode.Site
}

// Place is File and Line, or, of a function that is only inlined, the first
// line of its code in the new variant; unknown, it is empty.
func (c Cause) Place() (file string, line int) {
	if c.File != "" {
		return c.File, c.Line
	}
	return c.body.File, c.body.Line
}

// Costs says whether the cause adds work to the new variant.
func (c Cause) Costs() bool {
	if c.neutral() {
		return true
	}
	switch c.Kind {
	case PoolLost:
		return c.New < c.Old
	case Inlining: // Old and New count calls that are not inlined
		return c.New > c.Old
	}
	return c.New > c.Old || c.NewAmount > c.OldAmount
}

// negligible is the share of the time below which a function is no cause.
const negligible = 0.01

// InHotFunctions notes with each cause how much of the time goes into its
// function, the greater of both sides, and leaves out those where it is less
// than 1%. The shares are those of [Times]; a function that is in neither has
// none. Of a call that came, or was inlined, the share is that of what is called.
func InHotFunctions(causes []Cause, old, new map[string]float64) []Cause {
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

// Rank orders causes, the first the most likely, for a benchmark that became
// slower (slower) or faster. Causes that work in the other direction come last.
// Of the others, those come first that account for half as much time as the
// first of them, or of which that is not known ([Weigh]); among these the more
// specific kinds.
func Rank(causes []Cause, slower bool) []Cause {
	others := make(map[string]bool)
	for _, c := range causes {
		others[c.Function] = others[c.Function] || !c.spare && (c.neutral() || c.Costs() == slower)
	}
	ranked := slices.DeleteFunc(slices.Clone(causes), func(c Cause) bool { return c.spare && (others[c.Function] || !c.heavy) })
	heaviest := 0.0
	for _, c := range ranked {
		if c.Seconds != nil {
			heaviest = max(heaviest, c.weight(slower))
		}
	}
	// Fewer calls may take longer: those of a map whose size is not known.
	against := func(c Cause) bool {
		return !c.neutral() && c.Costs() != slower && !(c.Seconds != nil && counts(c.Kind) && c.weight(slower) > heaviest/2)
	}
	// What follows from another cause comes after it, and its time is the other's.
	weights, follows := make(map[string]float64), make(map[string]bool)
	key := func(c Cause) string { return string(c.Kind) + " " + c.Function + " " + c.Subject }
	for _, c := range ranked {
		if c.Seconds != nil {
			weights[key(c)] = c.weight(slower)
		}
	}
	for _, c := range ranked {
		for _, of := range ranked {
			if c.Seconds != nil && of.Seconds != nil && !against(c) && !against(of) && c.followsFrom(of) && of.weight(slower) >= leastCause*c.weight(slower) {
				follows[key(c)] = true
				weights[key(of)] += c.weight(slower)
				break
			}
		}
	}
	most := 0.0
	for _, c := range ranked {
		if c.Seconds != nil && !against(c) {
			most = max(most, weights[key(c)])
		}
	}
	place := func(c Cause) int {
		switch {
		case against(c):
			return 2
		case follows[key(c)] || c.Seconds != nil && weights[key(c)] < most/2:
			return 1
		}
		return 0
	}
	slices.SortStableFunc(ranked, func(a, b Cause) int {
		return cmp.Or(
			cmp.Compare(place(a), place(b)),
			cmp.Compare(order[a.Kind], order[b.Kind]),
			-cmp.Compare(a.Share, b.Share),
			-cmp.Compare(size(a), size(b)),
			cmp.Compare(a.Function, b.Function),
		)
	})
	return ranked
}

// leastCause is the part of the time of what follows from a cause that the cause
// itself accounts for.
const leastCause = 0.1

// followsFrom says whether a cause follows from another one: a variable moves to
// the heap because a deferred call needs it; what was inlined is called through
// an interface; a function has more instructions because of what is inlined into
// it.
func (c Cause) followsFrom(of Cause) bool {
	switch {
	case c.Kind == Allocation && of.Kind == Defer:
		return c.Function == of.Function && strings.Contains(c.Reason, "captured by a closure")
	case c.Kind == Body && c.Subject != "":
		return c.Function == of.Function && of.Kind == Dynamic
	case c.Kind == Body:
		return c.known[of.Function] && order[of.Kind] < order[Data]
	}
	return false
}

// weight is the time that the cause accounts for in the direction of the
// change.
func (c Cause) weight(slower bool) float64 {
	if slower {
		return *c.Seconds
	}
	return -*c.Seconds
}

// neutral says whether the cause can make a benchmark both slower and faster.
func (c Cause) neutral() bool {
	switch c.Kind {
	case Settings, Profile, Data, Operands, Body, OtherCallee, Layout:
		return true
	}
	return c.Instead != ""
}

func size(c Cause) int { return max(c.Old, c.New) - min(c.Old, c.New) }
