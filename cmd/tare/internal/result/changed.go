package result

import "slices"

// ChangedFunction is a function of the source whose machine code a new variant changed,
// with what the benchmarks of the study run of it. Lines of the same function and
// variant add up.
type ChangedFunction struct {
	Variant int `json:"v"`
	// Unknown is the reason if the changed functions are not known. Elsewhere are
	// the packages that changed and that no measured program contains. These two
	// have no name.
	Unknown   string   `json:"unknown,omitempty"`
	Elsewhere []string `json:"elsewhere,omitempty"`
	// Name is the name of the symbol without type arguments.
	Name string `json:"name"`
	// File, relative to the root of the repository, and Line are its place.
	File string `json:"file,omitempty"`
	Line int    `json:"line,omitempty"`
	// By is what leads to its machine code.
	By By `json:"by"`
	// Never is true if no benchmark of the study can run it, not even where it was
	// folded into a constant.
	Never bool `json:"never,omitempty"`
	// Reached is the number of measured benchmarks that lead to it.
	Reached int `json:"reached,omitempty"`
	// Benchmarks are the first three of these.
	Benchmarks []int `json:"benchmarks,omitempty"`
	// Sampled are profiles of such benchmarks of the new variant.
	Sampled []Sampled `json:"sampled,omitempty"`
	// Weight is its part in a profile of production.
	Weight *Weight `json:"weight,omitempty"`
}

// By is what leads to the machine code of a function, the first of these.
type By string

const (
	ByBenchmark By = "benchmark"
	// ByStart is an init function, a variable or TestMain, ByTest a test or a
	// benchmark that the study did not measure.
	ByStart By = "init"
	ByTest  By = "test"
	// ByNone is a function that the test binaries do not contain, or only where it
	// was folded into others.
	ByNone By = "none"
)

// Sampled is a CPU profile of a benchmark: Samples of Of are in a function, or in
// what it called.
type Sampled struct {
	Benchmark int `json:"b"`
	Samples   int `json:"samples"`
	Of        int `json:"of"`
	// Changed is the number of samples in any changed function, Allocates is true
	// if the function has more calls that allocate.
	Changed   int  `json:"changed"`
	Allocates bool `json:"allocates,omitempty"`
}

// Weight is the part of a function in a profile: Total with what it called, Own
// without what other changed functions took below it. Both are 0 to 1.
type Weight struct {
	Total float64 `json:"total"`
	Own   float64 `json:"own"`
}

// Production is a profile by which changed functions are weighed.
type Production struct {
	File string `json:"file"`
	// Default is true if the user did not name the file.
	Default bool `json:"default,omitempty"`
	// Seconds is its CPU time. Matched is the share of it in functions of the
	// variants' programs, and Unmatched the number of the other functions.
	Seconds   float64 `json:"seconds"`
	Matched   float64 `json:"matched"`
	Unmatched int     `json:"unmatched,omitempty"`
}

type changedKey struct {
	variant int
	name    string
}

func (r *Recording) changed(c ChangedFunction) {
	k := changedKey{c.Variant, c.Name}
	i, known := r.changedAt[k]
	if !known {
		if r.changedAt == nil {
			r.changedAt = make(map[changedKey]int)
		}
		r.changedAt[k] = len(r.Changed)
		r.Changed = append(r.Changed, c)
		return
	}
	o := &r.Changed[i]
	if c.Elsewhere != nil {
		o.Elsewhere = c.Elsewhere
	}
	if c.Unknown != "" {
		o.Unknown = c.Unknown
	}
	order := []By{ByBenchmark, ByStart, ByTest, ByNone}
	if slices.Index(order, c.By) < slices.Index(order, o.By) {
		o.By = c.By
	}
	o.Never, o.Reached = o.Never && c.Never, max(o.Reached, c.Reached)
	if len(o.Benchmarks) == 0 {
		o.Benchmarks = c.Benchmarks
	}
	if c.Weight != nil {
		o.Weight = c.Weight
	}
	of := func(s Sampled) bool {
		return slices.ContainsFunc(c.Sampled, func(n Sampled) bool { return n.Benchmark == s.Benchmark })
	}
	o.Sampled = append(slices.DeleteFunc(slices.Clone(o.Sampled), of), c.Sampled...)
}

// Blind is what a comparison would have seen of the functions that a new variant
// changed, if one of them alone had become slower.
type Blind struct {
	NewVariant int `json:"new_variant"`
	// Unknown is the reason if the changed functions are not known, or not all.
	Unknown string `json:"unknown,omitempty"`
	// Elsewhere are packages of the module that changed, and that no program of this
	// comparison contains.
	Elsewhere []string `json:"elsewhere,omitempty"`
	// Functions are ordered by their weight in production, or else by Smallest.
	Functions []Seen `json:"functions"`
	// Production is nil without a profile. Weight is the share of its time in
	// changed functions, Covered the part of it in functions that benchmarks run,
	// and Worth the change of the whole time that the measured changes make. It is
	// nil if unknown.
	Production *Production `json:"production,omitempty"`
	Weight     float64     `json:"weight,omitempty"`
	Covered    float64     `json:"covered,omitempty"`
	Worth      *Estimate   `json:"worth,omitempty"`
}

// Seen is a changed function, as far as the benchmarks see it.
type Seen struct {
	Name string `json:"name"`
	File string `json:"file,omitempty"`
	Line int    `json:"line,omitempty"`
	By   By     `json:"by"`
	// Never is true if no benchmark can run it.
	Never bool `json:"never,omitempty"`
	// Reached is the number of measured benchmarks that lead to it, ReachedBy the first
	// of them, and Benchmarks are those in whose profiles it is, the one that sees
	// most first.
	Reached    int      `json:"reached"`
	ReachedBy  []Key    `json:"reached_by,omitempty"`
	Benchmarks []SeenIn `json:"benchmarks,omitempty"`
	// Samples is the number of samples in the profiles of benchmarks that lead to
	// it, in whatever function.
	Samples int `json:"samples"`
	// Smallest is the smallest slowdown of the function, 0.1 for 10%, that a
	// benchmark would have called: from Hi on nearly always, below Lo seldom. It
	// is nil if there is none.
	Smallest *Interval `json:"smallest"`
	// Allocates is true if the function has more calls that allocate, and a
	// benchmark that runs it allocates more.
	Allocates bool    `json:"allocates,omitempty"`
	Weight    *Weight `json:"weight,omitempty"`
}

// SeenIn is a benchmark that runs a changed function: the function's share of its
// time, with what the function calls, and the smallest slowdown of the function
// that its row would have called. Without one, the row has no interval.
type SeenIn struct {
	Key
	Share    Estimate  `json:"share"`
	Smallest *Interval `json:"smallest"`
}

// Sees reports whether a slowdown of the function would have been called.
func (s *Seen) Sees(slowdown float64) bool { return s.Smallest != nil && s.Smallest.Hi <= slowdown }
