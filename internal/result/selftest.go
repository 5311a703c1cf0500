package result

// SelfTest is how often verdicts were right where the truth is known.
type SelfTest struct {
	Schema     int                `json:"schema"`
	Seed       uint64             `json:"seed"`
	Alpha      float64            `json:"alpha"`
	Delta      float64            `json:"delta"`
	Truths     []SelfTestTruth    `json:"truths"`
	Sequential SelfTestSequential `json:"sequential"`
	Machine    *Machine           `json:"machine,omitempty"`
	Seconds    float64            `json:"seconds"`
	// Incomplete is true when the self-test was interrupted.
	Incomplete bool `json:"incomplete,omitempty"`
}

// SelfTestTruth counts comparisons whose true change is Change (new/old − 1).
type SelfTestTruth struct {
	Change float64 `json:"change"`
	// Moved is true where nothing changed but code that no benchmark runs,
	// so that the two binaries are laid out differently.
	Moved       bool `json:"moved,omitempty"`
	Comparisons int  `json:"comparisons"`
	// Right are verdicts that agree with the truth: no difference claimed
	// where there is none, slower where it is slower. Wrong are claims of a
	// difference that is not there, or in the wrong direction. The others
	// are undecided, or "same" for a change of Delta or more.
	Right int `json:"right"`
	Wrong int `json:"wrong"`
	Same  int `json:"same"`
	// Covered counts intervals that hold the true change, Intervals all.
	Covered   int `json:"covered"`
	Intervals int `json:"intervals"`
	// Seconds and Blocks are what each comparison took, in the order made.
	Seconds []float64 `json:"seconds"`
	Blocks  []int     `json:"blocks"`
	// Benchmarks are the same counts by name: some code is harder to judge
	// than other.
	Benchmarks map[string]SelfTestCount `json:"benchmarks"`
}

// SelfTestCount counts the comparisons of one benchmark.
type SelfTestCount struct {
	Comparisons int `json:"comparisons"`
	Right       int `json:"right"`
	Wrong       int `json:"wrong"`
}

// Add counts one row of a comparison.
func (t *SelfTestTruth) Add(row BenchmarkComparison) {
	t.Comparisons++
	t.Seconds = append(t.Seconds, row.Seconds)
	t.Blocks = append(t.Blocks, row.Blocks)
	if known(row.Change.Lo) != nil && known(row.Change.Hi) != nil {
		t.Intervals++
		if row.Change.Lo <= 1+t.Change && 1+t.Change <= row.Change.Hi {
			t.Covered++
		}
	}
	claimed := row.Verdict == Faster || row.Verdict == Slower
	if row.Verdict == Same {
		t.Same++
	}
	count := t.Benchmarks[row.Name]
	count.Comparisons++
	switch {
	case t.Change == 0 && claimed, t.Change > 0 && row.Verdict == Faster:
		t.Wrong++
		count.Wrong++
	case t.Change == 0 && !claimed && row.Verdict != Failed, t.Change > 0 && row.Verdict == Slower:
		t.Right++
		count.Right++
	}
	if t.Benchmarks == nil {
		t.Benchmarks = make(map[string]SelfTestCount)
	}
	t.Benchmarks[row.Name] = count
}

// SelfTestSequential counts false alarms of the sequential method.
type SelfTestSequential struct {
	Comparisons int     `json:"comparisons"`
	Wrong       int     `json:"wrong"`
	Seconds     float64 `json:"seconds"`
}
