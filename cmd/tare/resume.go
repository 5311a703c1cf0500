package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tarebench/tare/internal/result"
	"github.com/tarebench/tare/internal/study"
)

// resume goes on with the study in a folder: with the command line that is on
// record there, the same coins, and what was measured before.
func resume(ctx context.Context, s streams, path string) error {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		path = filepath.Join(path, "result.jsonl")
	}
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("resume study: %w", err)
	}
	lines, _, err := result.Lines(f)
	f.Close()
	if err != nil {
		return fmt.Errorf("resume study: %s: %w", path, err)
	}
	rec := new(result.Recording)
	for _, l := range lines {
		rec.Append(l)
	}
	if rec.End != nil && !rec.End.Interrupted {
		return fmt.Errorf("resume study: %s is complete: tare show %s", path, filepath.Dir(path))
	}
	if len(rec.Study.Command) < 2 {
		return fmt.Errorf("resume study: %s does not say how it was started", path)
	}
	for _, v := range rec.Study.Variants {
		if v.Dirty || v.Revision == "" && !strings.HasPrefix(v.Label, "bin=") {
			return fmt.Errorf("resume study: variant %s was a working tree with changes or without git, whose files may be others now: start again", v.Label)
		}
	}
	s.typed = rec.Study.Command
	s.resume = &resumption{folder: filepath.Dir(path), lines: study.Trim(lines)}
	if code := s.run(ctx); code != exitDone {
		return &exitError{code: code}
	}
	return nil
}

// resumption is the study to go on with.
type resumption struct {
	folder string
	lines  []result.Line
}

// open replaces result.jsonl by what can be gone on from, and opens it to be
// appended to. Variants must be what they were.
func (r *resumption) open(variants []result.Variant) (*studyFolder, *result.Recording, error) {
	rec := new(result.Recording)
	for _, l := range r.lines {
		rec.Append(l)
	}
	same := func(a, b result.Variant) bool {
		return a.Label == b.Label && a.Revision == b.Revision && a.Go == b.Go && !b.Dirty
	}
	if !slices.EqualFunc(rec.Study.Variants, variants, same) {
		return nil, nil, errors.New("resume study: the variants are not what they were (a branch moved, the working tree or the toolchain changed): start again")
	}
	path := filepath.Join(r.folder, "result.jsonl")
	next := path + ".next"
	if err := writeFile(next, func(w io.Writer) error {
		out := result.NewWriter(w)
		for _, l := range r.lines {
			if err := out.Write(l); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		return nil, nil, err
	}
	if err := os.Rename(next, path); err != nil {
		return nil, nil, fmt.Errorf("resume study: %w", err)
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0o666)
	if err != nil {
		return nil, nil, fmt.Errorf("resume study: %w", err)
	}
	return &studyFolder{r.folder, f, result.NewWriter(f)}, rec, nil
}
