package bisect

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/session"
)

// question is a question of the search.
type question struct {
	// Kind is "compare" (the ordinary rule), "blocks" (a number of blocks),
	// "count" (an exact count), or "code" (machine code, without a run).
	Kind string `json:"kind"`
	// Series is the history of a merge. It is empty for the whole history.
	Series string `json:"series,omitempty"`
	A      int    `json:"a"` // a point

	B int `json:"b"`
	N int `json:"n,omitempty"`
}

// answer is a line of bisect.jsonl.
type answer struct {
	question
	Logs    []float64 `json:"logs,omitempty"`
	Center  float64   `json:"center,omitempty"`
	Lo      float64   `json:"lo,omitempty"`
	Hi      float64   `json:"hi,omitempty"`
	Differs bool      `json:"differs,omitempty"`
	Same    bool      `json:"same,omitempty"`
	// SameCode is set if both points run the same machine code.
	SameCode bool `json:"same_code,omitempty"`
	// NeedsSeconds is about the budget that would decide an undecided comparison. It
	// is 0 if no budget would.
	NeedsSeconds float64 `json:"needs_seconds,omitempty"`
	// Exact is set if Old and New are counts that do not vary.
	Exact bool    `json:"exact,omitempty"`
	Old   float64 `json:"old,omitempty"`
	New   float64 `json:"new,omitempty"`
	// Causes are the differences in the machine code.
	Causes []string `json:"causes,omitempty"`
	// Reason is set if BrokenPoint cannot be measured.
	Reason      string      `json:"reason,omitempty"`
	BrokenPoint int         `json:"broken,omitempty"`
	Benchmark   *result.Key `json:"benchmark,omitempty"`
	Others      []string    `json:"others,omitempty"`
}

func (a answer) outcome() Outcome {
	return Outcome{Center: a.Center, Lo: a.Lo, Hi: a.Hi, Differs: a.Differs, Same: a.Same,
		SameCode: a.SameCode, Exact: a.Exact, Old: a.Old, New: a.New, Logs: a.Logs}
}

func (a answer) broken() error {
	if a.Reason == "" {
		return nil
	}
	return &BrokenError{Commit: a.BrokenPoint, Reason: a.Reason}
}

// head is the first line of bisect.jsonl. A resumed search must have its
// settings.
type head struct {
	Schema int            `json:"schema"`
	Of     string         `json:"of"`
	Axis   []result.Point `json:"axis"`
	Unit   string         `json:"unit"`
	Plan   result.Plan    `json:"plan"`
}

// headOf returns the settings of a search.
func headOf(spec Spec) head {
	return head{Schema: schema, Of: spec.Of, Axis: spec.Axis, Unit: spec.Unit, Plan: spec.Session.Plan}
}

// apply gives a specification the settings of the search.
func (h head) apply(spec *Spec) {
	spec.Of, spec.Axis, spec.Unit, spec.Session.Plan = h.Of, h.Axis, h.Unit, h.Plan
}

// answers are the answers so far, in the order of the questions.
type answers struct {
	folder string
	file   *os.File
	all    []answer
	replay int // answers of an earlier run that this run has used
}

const schema = 3

// openLog makes the directory, or reads the answers in it.
func openLog(spec Spec) (*answers, error) {
	l := &answers{folder: spec.Folder}
	h := headOf(spec)
	path := filepath.Join(spec.Folder, "bisect.jsonl")
	fresh := false
	if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
		fresh = true
		if err := os.MkdirAll(spec.Folder, 0o777); err != nil {
			return nil, fmt.Errorf("make directory of the bisection: %w", err)
		}
	} else if err := l.read(path, h); err != nil {
		return nil, err
	}
	var err error
	if l.file, err = os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o666); err != nil {
		return nil, fmt.Errorf("write answers: %w", err)
	}
	if fresh {
		if err := l.line(h); err != nil {
			l.file.Close()
			return nil, err
		}
		if again, err := readHead(spec.Folder); err == nil { // as readers decode it
			session.Sign(spec.Folder, again)
		}
	}
	return l, nil
}

// read reads the answers of an interrupted search. The last line may be incomplete.
func (l *answers) read(path string, want head) error {
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("resume bisection: %w", err)
	}
	defer f.Close()
	in := bufio.NewScanner(f)
	in.Buffer(nil, 64<<20)
	end := int64(0)
	for number := 1; in.Scan(); number++ {
		if number == 1 {
			var got head
			if err := json.Unmarshal(in.Bytes(), &got); err != nil || got.Schema != schema {
				return fmt.Errorf("resume bisection: %s line 1: not a bisection of this tare", path)
			}
			a, _ := json.Marshal(got)
			b, _ := json.Marshal(want)
			if string(a) != string(b) {
				return fmt.Errorf("resume bisection: %s has other variants, benchmarks, seed or delta: start again without -resume", path)
			}
		} else {
			var a answer
			if err := json.Unmarshal(in.Bytes(), &a); err != nil {
				break // the search was interrupted in this line
			}
			l.all = append(l.all, a)
		}
		end += int64(len(in.Bytes())) + 1
	}
	if err := in.Err(); err != nil {
		return fmt.Errorf("resume bisection: %s: %w", path, err)
	}
	if info, err := f.Stat(); err == nil && info.Size() > end {
		if err := os.Truncate(path, end); err != nil {
			return fmt.Errorf("resume bisection: %w", err)
		}
	}
	return nil
}

// readHead returns the settings of the bisection in a directory.
func readHead(folder string) (head, error) {
	path := filepath.Join(folder, "bisect.jsonl")
	f, err := os.Open(path)
	if err != nil {
		return head{}, fmt.Errorf("resume bisection: %w", err)
	}
	defer f.Close()
	var h head
	if err := json.NewDecoder(io.LimitReader(f, 64<<20)).Decode(&h); err != nil || h.Schema != schema {
		return head{}, fmt.Errorf("resume bisection: %s line 1: not a bisection of this tare", path)
	}
	return h, nil
}

// next is the recorded answer to the next question.
func (l *answers) next(q question) (answer, bool) {
	if l.replay < len(l.all) && l.all[l.replay].question == q {
		l.replay++
		return l.all[l.replay-1], true
	}
	return answer{}, false
}

func (l *answers) add(a answer) error {
	l.all = append(l.all, a)
	l.replay = len(l.all)
	return l.line(a)
}

func (l *answers) line(v any) error {
	data, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("encode answer: %w", err)
	}
	if _, err := l.file.Write(append(data, '\n')); err != nil {
		return fmt.Errorf("write answer: %w", err)
	}
	return nil
}

// measured reports whether a point has been measured.
func (l *answers) measured(series string, k int) bool {
	for _, a := range l.all {
		if a.Reason == "" && a.Series == series && (a.A == k || a.B == k) {
			return true
		}
	}
	return false
}

// folderOf is the directory of the study of a question.
func (l *answers) folderOf(number int) string {
	return filepath.Join(l.folder, fmt.Sprintf("%03d", number+1))
}
