package attempt

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/tarebench/tare/cmd/tare/internal/result"
)

// Verdict is the answer to an attempt.
type Verdict string

// The answers. Open is the verdict of an attempt whose measurement was interrupted.
const (
	Keep   Verdict = "keep"
	Revert Verdict = "revert"
	Again  Verdict = "again"
	Failed Verdict = "failed"
	Open   Verdict = "open"
)

// Line is one line of a ledger. One field is set.
type Line struct {
	Baseline *Baseline `json:"baseline,omitempty"`
	Attempt  *Attempt  `json:"attempt,omitempty"`
	Total    *Total    `json:"total,omitempty"`
	End      *End      `json:"end,omitempty"`
}

// Baseline is the first tree of the comparisons, and how they are measured. An
// answer applies to one baseline.
type Baseline struct {
	Schema int       `json:"schema"`
	At     time.Time `json:"at"`
	// Commit is the first tree.
	Commit   string   `json:"commit"`
	Settings Settings `json:"settings"`
	// Why is the change since the previous baseline. The first one has none.
	Why string `json:"why,omitempty"`
}

// Settings are the settings of a baseline. They are compared whole.
type Settings struct {
	Go      string `json:"go"`
	Machine string `json:"machine"`
	// Plan is how attempts are measured. Want is the gain that they need. HoldOut
	// is the share of the benchmark functions that are measured only at the end.
	Plan    result.Plan `json:"plan"`
	Want    float64     `json:"want"`
	HoldOut float64     `json:"hold_out,omitempty"`
}

// changed names the first setting that differs.
func (s Settings) changed(before Settings) string {
	list := func(words []string) string { return strings.Join(words, " ") }
	for _, f := range []struct{ name, now, before string }{
		{"toolchain", s.Go, before.Go}, {"machine", s.Machine, before.Machine}, {"-bench", s.Plan.Bench, before.Plan.Bench},
		{"packages", list(s.Plan.Packages), list(before.Plan.Packages)},
	} {
		if f.now != f.before {
			return fmt.Sprintf("%s is %s, it was %s", f.name, f.now, f.before)
		}
	}
	now, _ := json.Marshal(s) // texts and finite numbers
	old, _ := json.Marshal(before)
	if !bytes.Equal(now, old) {
		return "other flags"
	}
	return ""
}

// Attempt is a working tree and its answer. The last line with a number counts.
type Attempt struct {
	N  int       `json:"n"`
	At time.Time `json:"at"`
	// Tree is the git tree of the files. Code is a digest of the machine code and
	// of the test data, empty if it is not known. Commit is a commit of the tree.
	// Best is the commit that it was compared with.
	Tree   string `json:"tree"`
	Code   string `json:"code,omitempty"`
	Commit string `json:"commit"`
	Best   string `json:"best"`
	Answer
	// Same is the attempt with the same machine code, which gave this answer. A
	// new answer has 0.
	Same int `json:"same,omitempty"`
	// Level is the error rate of the test of the attempt. It is 0 without a test.
	Level   float64 `json:"level,omitempty"`
	Seconds float64 `json:"seconds"`
	// Calls counts the calls that measured the attempt. The last of [mostCalls]
	// is final.
	Calls int `json:"calls,omitempty"`
	// Folder is the directory of its study.
	Folder string `json:"folder,omitempty"`
}

// Answer is a verdict with its evidence.
type Answer struct {
	Verdict Verdict `json:"verdict"`
	// Reason is the rest of the sentence: "slower than the best tree". A keep has the other
	// benchmarks that are undecided.
	Reason string `json:"reason,omitempty"`
	// Rows are the improved benchmarks, or the benchmarks that decided against
	// the attempt. The first row is the most important.
	Rows []Row `json:"rows,omitempty"`
	// SecondsNeeded estimates the time to decide, for Again.
	SecondsNeeded float64 `json:"seconds_needed,omitempty"`
}

// Row is one benchmark: new/old of one unit with its interval.
type Row struct {
	result.Key
	Unit   string        `json:"unit"`
	Change result.Change `json:"change"`
}

// Total is the change from the first tree of a baseline to the best one, measured
// in new blocks.
type Total struct {
	At   time.Time `json:"at"`
	Old  string    `json:"old"`
	New  string    `json:"new"`
	Rows []Row     `json:"rows"`
	// HeldOut are benchmarks whose verdicts the session never printed.
	HeldOut []Row  `json:"held_out,omitempty"`
	Folder  string `json:"folder,omitempty"`
}

// End closes a session.
type End struct {
	At time.Time `json:"at"`
}

// Session is the state of a session, read from its ledger.
type Session struct {
	Baseline Baseline
	Attempts []Attempt
	// Current is the index of the first attempt under Baseline.
	Current int
	Total   *Total
	Ended   bool
}

// sessionOf returns the state after the lines of a ledger.
func sessionOf(lines []Line) (s Session) {
	for _, l := range lines {
		switch {
		case l.Baseline != nil:
			s.Baseline, s.Current, s.Total = *l.Baseline, len(s.Attempts), nil
		case l.Attempt != nil:
			if i := slices.IndexFunc(s.Attempts, func(a Attempt) bool { return a.N == l.Attempt.N }); i >= 0 {
				s.Attempts[i] = *l.Attempt
			} else {
				s.Attempts = append(s.Attempts, *l.Attempt)
			}
		case l.Total != nil:
			s.Total = l.Total
		case l.End != nil:
			s.Ended = true
		}
	}
	return s
}

// Best is the commit of the best tree so far.
func (s Session) Best() string {
	if kept := s.Kept(); len(kept) > 0 {
		return kept[len(kept)-1].Commit
	}
	return s.Baseline.Commit
}

func (s Session) commits() []string {
	all := []string{s.Baseline.Commit}
	for _, a := range s.Attempts[s.Current:] {
		all = append(all, a.Best)
		if a.Commit != "" {
			all = append(all, a.Commit)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// Kept are the attempts that were kept under the current baseline.
func (s Session) Kept() (kept []Attempt) {
	for _, a := range s.Attempts[s.Current:] {
		if a.Verdict == Keep {
			kept = append(kept, a)
		}
	}
	return kept
}

// Levels are the levels of all attempts of the session, under any baseline. A
// new baseline gives no level back.
func (s Session) Levels() (l Levels) {
	for _, a := range s.Attempts {
		if a.Level > 0 {
			l.Add(a.Verdict == Keep)
		}
	}
	return l
}

// Known is the earlier attempt with the same files, compared with the same
// tree. Its answer applies again. Without an answer its measurement continues.
// It is nil for a new tree.
func (s Session) Known(tree string) *Attempt {
	return s.find(func(a Attempt) bool {
		return a.Tree == tree && (a.Best == s.Best() || a.Commit == s.Best()) && a.Verdict != Failed
	})
}

// KnownCode is an earlier, decided attempt with the same machine code.
func (s Session) KnownCode(code string) *Attempt {
	return s.find(func(a Attempt) bool {
		return code != "" && a.Code == code && a.Best == s.Best() && a.Verdict == Revert
	})
}

func (s Session) find(match func(Attempt) bool) *Attempt {
	for _, a := range slices.Backward(s.Attempts[s.Current:]) {
		if match(a) {
			return &a
		}
	}
	return nil
}

// Next is the number of the next attempt.
func (s Session) Next() int { return len(s.Attempts) + 1 }
