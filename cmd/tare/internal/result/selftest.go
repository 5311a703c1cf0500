package result

import (
	"math"

	"github.com/tarebench/tare/cmd/tare/internal/stats"
)

// SelfTest counts right verdicts for known truths.
type SelfTest struct {
	Schema     int                `json:"schema"`
	Seed       uint64             `json:"seed"`
	Alpha      float64            `json:"alpha"`
	Truths     []SelfTestTruth    `json:"truths"`
	Sequential SelfTestSequential `json:"sequential"`
	// Packages are the packages of the user's benchmarks. Without any, the
	// benchmarks are built in. Benchmarks is the number of the user's benchmarks.
	Packages   []string `json:"packages,omitempty"`
	Benchmarks int      `json:"benchmarks,omitempty"`
	Machine    *Machine `json:"machine,omitempty"`
	Seconds    float64  `json:"seconds"`
	// Incomplete is true when the self-test was interrupted.
	Incomplete bool `json:"incomplete,omitempty"`
}

// Stratum is a kind of comparison of the self-test.
type Stratum string

const (
	// Copies are two copies of one binary.
	Copies Stratum = "copies"
	// Moved are two binaries that differ in a function that no benchmark
	// runs.
	Moved Stratum = "moved"
	// Commit is a commit against the working tree, which has not changed.
	Commit Stratum = "commit"
	// Changed is a change of known size.
	Changed Stratum = "changed"
)

// Null reports whether a difference would be wrong.
func (s Stratum) Null() bool { return s == Copies || s == Moved || s == Commit }

// SelfTestTruth counts comparisons whose true change is Change (new/old − 1). Their
// δ is half of it, so 0 without a change.
type SelfTestTruth struct {
	Stratum Stratum `json:"stratum"`
	Change  float64 `json:"change"`
	// Runs counts runs of tare compare, each over all benchmarks, FalseRuns
	// those with a wrong verdict.
	Runs        int `json:"runs"`
	FalseRuns   int `json:"false_runs"`
	Comparisons int `json:"comparisons"`
	// Right counts verdicts that agree with the truth. Wrong counts claims of a
	// difference that does not exist, or in the wrong direction. The others are
	// undecided, or "same" for a change.
	Right int `json:"right"`
	Wrong int `json:"wrong"`
	Same  int `json:"same"`
	// Covered counts intervals that contain the true change, Intervals all.
	// MissedRuns counts runs with another one.
	Covered    int `json:"covered"`
	Intervals  int `json:"intervals"`
	MissedRuns int `json:"missed_runs"`
	// Seconds and Blocks are the cost of each comparison, in the order made.
	Seconds []float64 `json:"seconds"`
	Blocks  []int     `json:"blocks"`
	// Benchmarks are the same counts by name, because some code is harder to judge.
	Benchmarks map[string]SelfTestCount `json:"benchmarks"`
}

// SelfTestCount counts the comparisons of one benchmark.
type SelfTestCount struct {
	Comparisons int `json:"comparisons"`
	Right       int `json:"right"`
	Wrong       int `json:"wrong"`
	// Missed counts intervals that do not contain the true change.
	Missed int `json:"missed,omitempty"`
}

// AddRun counts the rows of one run.
func (t *SelfTestTruth) AddRun(rows []BenchmarkComparison) {
	wrong, missed := t.Wrong, t.Intervals-t.Covered
	for _, row := range rows {
		t.Add(row)
	}
	t.Runs++
	if t.Wrong > wrong {
		t.FalseRuns++
	}
	if t.Intervals-t.Covered > missed {
		t.MissedRuns++
	}
}

// Add counts one row of a comparison.
func (t *SelfTestTruth) Add(row BenchmarkComparison) {
	t.Comparisons++
	t.Seconds = append(t.Seconds, row.Seconds)
	t.Blocks = append(t.Blocks, row.Blocks)
	count := t.Benchmarks[row.Name]
	if known(row.Change.Lo) != nil && known(row.Change.Hi) != nil {
		t.Intervals++
		if row.Change.Lo <= 1+t.Change && 1+t.Change <= row.Change.Hi {
			t.Covered++
		} else {
			count.Missed++
		}
	}
	claimed := row.Verdict == Faster || row.Verdict == Slower
	if row.Verdict == Same {
		t.Same++
	}
	count.Comparisons++
	switch {
	case t.Stratum.Null() && claimed, t.Change > 0 && row.Verdict == Faster:
		t.Wrong++
		count.Wrong++
	case t.Stratum.Null() && !claimed && row.Verdict != Failed, t.Change > 0 && row.Verdict == Slower:
		t.Right++
		count.Right++
	}
	if t.Benchmarks == nil {
		t.Benchmarks = make(map[string]SelfTestCount)
	}
	t.Benchmarks[row.Name] = count
}

// Errors sums the comparisons without a change. The rows of a run share its
// function orders and its hour, so runs are the units of both rates. FalseShare and
// MissedShare are 95% upper bounds: of runs with a false verdict, and of intervals
// that do not contain the truth. Broken reports that one of the rates is above
// Alpha, which happens by chance in at most one self-test of twenty.
type Errors struct {
	SelfTestTruth
	FalseShare, MissedShare float64
	Broken                  bool
}

// Errors are the errors of the self-test.
func (t *SelfTest) Errors() (e Errors) {
	for _, r := range t.Truths {
		if r.Stratum.Null() {
			e.Runs, e.FalseRuns, e.MissedRuns = e.Runs+r.Runs, e.FalseRuns+r.FalseRuns, e.MissedRuns+r.MissedRuns
			e.Intervals, e.Covered = e.Intervals+r.Intervals, e.Covered+r.Covered
		}
	}
	missed := int(math.Ceil(float64(e.Runs*(e.Intervals-e.Covered)) / float64(max(1, e.Intervals))))
	e.FalseShare, e.MissedShare = stats.UpperShare(e.FalseRuns, e.Runs), stats.UpperShare(missed, e.Runs)
	e.Broken = stats.AtLeast(e.FalseRuns, e.Runs, t.Alpha) < 0.025 || stats.AtLeast(missed, e.Runs, t.Alpha) < 0.025
	return e
}

// SelfTestSequential counts false alarms of the sequential method.
type SelfTestSequential struct {
	// Benchtime is the benchtime of each of ten counts.
	Benchtime string `json:"benchtime,omitempty"`
	// Comparisons counts comparisons without a change. Wrong of them claim one.
	Comparisons int `json:"comparisons"`
	Wrong       int `json:"wrong"`
	// Known counts comparisons with a known change. Found of them claim it, and
	// Reversed the opposite.
	Known    int `json:"known,omitempty"`
	Found    int `json:"found,omitempty"`
	Reversed int `json:"reversed,omitempty"`
	// Seconds is the time of all comparisons.
	Seconds float64 `json:"seconds"`
}
