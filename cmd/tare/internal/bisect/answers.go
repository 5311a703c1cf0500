package bisect

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/session"
)

// question is a question of the search.
type question struct {
	// Kind is "compare" (the ordinary rule), "blocks" (that many), "count" (an
	// exact count), or "code" (machine code, nothing is run).
	Kind string `json:"kind"`
	// Series is the history of a merge; empty for the whole one.
	Series string `json:"series,omitempty"`
	A      int    `json:"a"`
	B      int    `json:"b"`
	N      int    `json:"n,omitempty"`
	// From and To are sets of changes, without a series.
	From string `json:"from,omitempty"`
	To   string `json:"to,omitempty"`

	from, to []int
}

// same reports whether two questions are equal.
func (q question) same(other question) bool {
	return q.Kind == other.Kind && q.Series == other.Series && q.A == other.A && q.B == other.B && q.N == other.N && q.From == other.From && q.To == other.To
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
	Seed        uint64      `json:"seed"`
	Command     string      `json:"command"`
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

// head is the first line of bisect.jsonl: the settings that a resumed search
// must keep.
type head struct {
	Schema   int            `json:"schema"`
	Of       string         `json:"of"`
	Axis     []result.Point `json:"axis"`
	Unit     string         `json:"unit"`
	Bench    string         `json:"bench"`
	Packages []string       `json:"packages"`
	Seed     uint64         `json:"seed"`
	Delta    float64        `json:"delta"`
	Alpha    float64        `json:"alpha"`
	Budget   time.Duration  `json:"budget"`
	Tags     []string       `json:"tags,omitempty"`
	Procs    []int          `json:"procs,omitempty"`
	Args     []string       `json:"args,omitempty"`
	// MeasureAll is set if machine code is not compared.
	MeasureAll bool `json:"measure_all,omitempty"`
	// Changes are the names of changes without an order.
	Changes []string `json:"changes,omitempty"`
}

// headOf returns the settings of a search.
func headOf(spec Spec) head {
	o := spec.Session
	var names []string
	if spec.Changes != nil {
		names = spec.Changes.Names()
	}
	return head{Changes: names,
		Schema: schema, Of: spec.Of, Axis: spec.Axis, Unit: spec.Unit, Bench: o.Bench, Packages: o.Packages, Seed: o.Seed,
		Delta: o.Delta, Alpha: o.Alpha, Budget: duration(o.BudgetSeconds), Tags: o.Tags, Procs: o.Procs, Args: o.Args, MeasureAll: o.MeasureAll}
}

func duration(seconds float64) time.Duration { return time.Duration(seconds * float64(time.Second)) }

// apply gives a specification the settings of the search.
func (h head) apply(spec *Spec) {
	o := &spec.Session
	spec.Of, spec.Axis, spec.Unit = h.Of, h.Axis, h.Unit
	o.Bench, o.Packages, o.Seed, o.Delta, o.Alpha, o.BudgetSeconds = h.Bench, h.Packages, h.Seed, h.Delta, h.Alpha, h.Budget.Seconds()
	o.Tags, o.Procs, o.Args, o.MeasureAll = h.Tags, h.Procs, h.Args, h.MeasureAll
}

// answers are those given so far, in the order of the questions.
type answers struct {
	folder string
	file   *os.File
	script *os.File
	all    []answer
	replay int // answers of an earlier run that were given again
}

const schema = 2

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
	if l.script, err = os.OpenFile(filepath.Join(spec.Folder, "log.sh"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o777); err != nil {
		l.file.Close()
		return nil, fmt.Errorf("write script: %w", err)
	}
	if fresh {
		if err := l.line(h); err != nil {
			l.close()
			return nil, err
		}
		if again, err := readHead(spec.Folder); err == nil { // as a reader sees it
			session.Sign(spec.Folder, again)
		}
		fmt.Fprintf(l.script, "#!/bin/sh\n# The questions of a bisection of %s, from %s to %s, and their answers.\n",
			spec.Of, spec.Axis[0].Name, spec.Axis[len(spec.Axis)-1].Name)
	}
	return l, nil
}

// read reads the answers of an interrupted search. Its last line may be cut.
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
				return fmt.Errorf("resume bisection: %s is of other variants, benchmarks, seed or delta: start again without -resume", path)
			}
		} else {
			var a answer
			if err := json.Unmarshal(in.Bytes(), &a); err != nil {
				break // the answer that was being written
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
	if l.replay < len(l.all) && l.all[l.replay].question.same(q) {
		l.replay++
		return l.all[l.replay-1], true
	}
	return answer{}, false
}

func (l *answers) add(a answer) error {
	l.all = append(l.all, a)
	l.replay = len(l.all)
	if text := a.summary(); text != "" {
		fmt.Fprintln(l.script, "#", strings.Map(func(r rune) rune {
			if r < ' ' {
				return ' '
			}
			return r
		}, text))
	}
	fmt.Fprintln(l.script, a.Command)
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

func (l *answers) close() {
	l.file.Close()
	l.script.Close()
}
