package result

// Point is one variant of a series that is bisected.
type Point struct {
	// Variant is its specification, as in "1a2b3c…,tags=x".
	Variant string `json:"variant"`
	// Name is a short hash or a version.
	Name string `json:"name"`
	// Title is the subject of a commit, Author its author. It is empty on other
	// axes.
	Title  string `json:"title,omitempty"`
	Author string `json:"author,omitempty"`
	// Diff is the text of a hunk.
	Diff string `json:"diff,omitempty"`
	// Merge is set for a commit of several parents: the change may be in the
	// history that it merges.
	Merge bool `json:"merge,omitempty"`
}

// BisectionStep is a step of the series, confirmed by a separate comparison.
type BisectionStep struct {
	// Points are the points that may bring it: one, unless points between them
	// cannot be measured.
	Points []Point `json:"points"`
	// Parent and First are the points compared.
	Parent Point  `json:"parent"`
	First  Point  `json:"first"`
	Change Change `json:"change"`
	// Exact is set if the unit is a count that does not vary: Old and New are the
	// counts of Parent and First.
	Exact bool    `json:"exact,omitempty"`
	Old   float64 `json:"old,omitempty"`
	New   float64 `json:"new,omitempty"`
	// Files are the files that differ between Parent and First, Causes the
	// differences of their machine code, the most likely first.
	Files  []string `json:"files,omitempty"`
	Causes []string `json:"causes,omitempty"`
	// Hunk describes the part of a hunk in the whole change, nil for other steps.
	Hunk *HunkShare `json:"hunk,omitempty"`
	// Inside are searches of the histories that a merge brought in, one for
	// each parent after the first, up to the first that differs.
	Inside []Bisection `json:"inside,omitempty"`
}

// HunkShare is the part of a hunk in the change between the ends.
type HunkShare struct {
	// Lo and Hi are its share, on the scale of logarithms: 0.83 to 0.97.
	Lo float64 `json:"lo"`
	Hi float64 `json:"hi"`
	// Without is the change from the old end to the new end without the hunk. Alone
	// is the change from the old end to the old end with the hunk alone. They are
	// nil if that does not build or is undecided.
	Without *Change `json:"without,omitempty"`
	Alone   *Change `json:"alone,omitempty"`
	// WhyNot has the reason why a missing one could not be measured.
	WhyNot string `json:"why_not,omitempty"`
	// Together is set if the hunk changes nothing alone: it needs others.
	Together bool `json:"together,omitempty"`
}

// BrokenPoint could not be measured.
type BrokenPoint struct {
	Point  Point  `json:"point"`
	Reason string `json:"reason"`
}

// Bisection is the result of a search.
type Bisection struct {
	Schema int `json:"schema"`
	// Of names the series: "commits", "hunks", "go", "mod=PATH", "merge" or
	// "regrouped".
	Of        string `json:"of"`
	Good      Point  `json:"good"`
	Bad       Point  `json:"bad"`
	Points    int    `json:"points"`
	Benchmark Key    `json:"benchmark"`
	Unit      string `json:"unit"`
	// Ends compares the two ends. Differs is true if the rule found a difference,
	// Same if it found none. Exact, Old and New are as in a step.
	Ends    Change  `json:"ends"`
	Exact   bool    `json:"exact,omitempty"`
	Old     float64 `json:"old,omitempty"`
	New     float64 `json:"new,omitempty"`
	Differs bool    `json:"differs"`
	Same    bool    `json:"same"`
	// Steps are the confirmed ones. Open is the smallest set of points that has 95%
	// of the probability, if the blocks ended first.
	Steps []BisectionStep `json:"steps"`
	Open  []Point         `json:"open,omitempty"`
	// Moved are confirmed steps that explain less than half of the ends' change.
	// MovedBy is the effect of moved code, a standard deviation of the log ratio.
	// If Hidden is set, that explains the change between the ends as well as a step
	// does.
	Moved   []BisectionStep `json:"moved,omitempty"`
	MovedBy float64         `json:"moved_by,omitempty"`
	Hidden  bool            `json:"hidden,omitempty"`
	// Posterior has the probability of each point, from the first after the
	// good end.
	Posterior []float64     `json:"posterior,omitempty"`
	Broken    []BrokenPoint `json:"broken,omitempty"`
	// SameCode are the points that were excluded because they run the same machine
	// code as the one before. They were not measured. The search does not look at
	// points that are improbable for other reasons. If SameCodeEnds is set, both
	// ends run the same machine code, and nothing was measured.
	SameCode     []Point `json:"same_code,omitempty"`
	SameCodeEnds bool    `json:"same_code_ends,omitempty"`
	Blocks       int     `json:"blocks"`
	Seconds      float64 `json:"seconds"`
	// NeedsSeconds is the expected remaining time, if the time ended first. If the
	// ends are undecided, it is the budget that would decide them.
	NeedsSeconds float64 `json:"needs_seconds,omitempty"`
	// Others are further benchmarks that differ between the ends.
	Others []string `json:"others,omitempty"`
	Folder string   `json:"folder"`
	// Again is the command line that continues the search.
	Again string `json:"-"`
}
