package bisect

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/tarebench/tare/cmd/tare/internal/file"
	"github.com/tarebench/tare/cmd/tare/internal/result"
)

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

type answer struct {
	question
	outcome
	// Causes are the differences in the machine code.
	Causes []string `json:"causes,omitempty"`
	// Reason is set if BrokenPoint cannot be measured.
	Reason      string      `json:"reason,omitempty"`
	BrokenPoint int         `json:"broken,omitempty"`
	Benchmark   *result.Key `json:"benchmark,omitempty"`
	Others      []string    `json:"others,omitempty"`
}

func (a answer) broken() error {
	if a.Reason == "" {
		return nil
	}
	return &brokenError{Commit: a.BrokenPoint, Reason: a.Reason}
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

type answers struct {
	folder string
	file   *os.File
	all    []answer
	replay int // answers of an earlier run that this run has used
}

const schema = 3

func openLog(spec Spec) (*answers, error) {
	l := &answers{folder: spec.Folder}
	h := head{Schema: schema, Of: spec.Of, Axis: spec.Axis, Unit: spec.Unit, Plan: spec.Session.Plan}
	if err := os.MkdirAll(spec.Folder, 0o777); err != nil {
		return nil, fmt.Errorf("make directory of the bisection: %w", err)
	}
	err := file.Own(spec.Folder)
	if err == nil {
		l.file, err = file.Change(spec.Folder, answersName, os.O_CREATE|os.O_APPEND|os.O_RDWR)
	}
	if err != nil {
		return nil, fmt.Errorf("open answers: %w", err)
	}
	info, err := l.file.Stat()
	switch {
	case err != nil:
	case info.Size() == 0:
		err = l.line(h)
	default:
		err = l.read(h)
	}
	if err != nil {
		return nil, errors.Join(err, l.file.Close())
	}
	return l, nil
}

// read reads the answers of an interrupted search. The last line may be incomplete.
func (l *answers) read(want head) error {
	f, path := l.file, l.file.Name()
	in := bufio.NewScanner(f)
	in.Buffer(nil, 64<<20)
	end := int64(0)
	for number := 1; in.Scan(); number++ {
		if number == 1 {
			var got head
			if err := json.Unmarshal(in.Bytes(), &got); err != nil || got.Schema != schema {
				return fmt.Errorf("resume bisection: %s line 1: not a bisection of this tare", path)
			}
			got.Plan.Command, want.Plan.Command = nil, nil // one has -resume
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
		if err := f.Truncate(end); err != nil {
			return fmt.Errorf("resume bisection: %w", err)
		}
	}
	return nil
}

const answersName = "bisect.jsonl"

// Is reports whether a directory is of a bisection.
func Is(folder string) bool {
	info, err := os.Lstat(filepath.Join(folder, answersName))
	return err == nil && info.Mode().IsRegular()
}

// Resume makes a specification continue the search in its directory. It names the
// points and the packages; the rest of the plan, such as the seed, is the recorded
// one.
func (s *Spec) Resume(ctx context.Context, typed func(flag string) bool) error {
	f, err := file.Open(s.Folder, answersName)
	if err != nil {
		return fmt.Errorf("resume bisection: %w", err)
	}
	defer f.Close()
	var h head
	if err := json.NewDecoder(io.LimitReader(f, file.Small)).Decode(&h); err != nil || h.Schema != schema {
		return fmt.Errorf("resume bisection: %s line 1: not a bisection of this tare", f.Name())
	}
	if s.hunksOf != nil && s.Of == h.Of && !slices.Equal(s.Axis, h.Axis) { // it may have the tests of the old end
		if s.Axis, err = hunksBetween(ctx, s.Session.Dir, s.hunksOf[0], s.hunksOf[1], true); err != nil {
			return fmt.Errorf("resume bisection: %w", err)
		}
		s.hunksOf = nil
	}
	search := func(of, unit string, axis []result.Point) string {
		if len(axis) == 0 {
			return "nothing"
		}
		return fmt.Sprintf("%d points of %s, %q to %q, for %s", len(axis), of, axis[0].Variant, axis[len(axis)-1].Variant, unit)
	}
	if s.Of != h.Of || s.Unit != h.Unit || !slices.Equal(s.Axis, h.Axis) {
		return fmt.Errorf("resume bisection: %s in %s, and %s on the command line: type the one that began the search, or start a new one",
			search(h.Of, h.Unit, h.Axis), f.Name(), search(s.Of, s.Unit, s.Axis))
	}
	if err := s.Session.Adopt(h.Plan, typed); err != nil {
		return fmt.Errorf("resume bisection: %w", err)
	}
	s.Folder, err = filepath.Abs(s.Folder)
	return err
}

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

func (l *answers) measured(series string, k int) bool {
	return slices.ContainsFunc(l.all, func(a answer) bool { return a.Reason == "" && a.Series == series && (a.A == k || a.B == k) })
}

func (l *answers) folderOf(number int) string {
	return filepath.Join(l.folder, fmt.Sprintf("%03d", number+1))
}
