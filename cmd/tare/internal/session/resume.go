package session

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/study"
)

// resumed is the study that a session resumes.
type resumed struct {
	folder string
	lock   *os.File
	lines  []result.Line // as they are in the file
	before *result.Recording
}

// Resume reads the specification of a study in a directory (or of its
// result.jsonl). The study was interrupted, or its budget ended before all
// benchmarks were decided. The caller may change it for the rest of the study,
// except for the inputs of the error rate: the variants, the benchmarks, Alpha,
// Delta and Seed. Blocks may only become fewer.
//
// The study is locked before it is read. Otherwise blocks that another process
// adds later would be lost.
//
// A study that someone else measured needs trust, since its labels and paths
// decide which commands run and which files are written.
func Resume(path string, trust bool) (spec Spec, err error) {
	path = recordingOf(path)
	if _, err := os.Stat(path); err != nil {
		return Spec{}, fmt.Errorf("resume study: %w", err)
	}
	lock, err := lockFolder(filepath.Dir(path))
	if err != nil {
		return Spec{}, fmt.Errorf("resume study: %w", err)
	}
	defer func() {
		if err != nil {
			lock.Close()
		}
	}()
	spec, lines, err := readStudy(path, trust, func(rec *result.Recording) error {
		if len(rec.Machines) > 0 {
			return errors.New("it was measured on several machines, which are not here: start a new study")
		}
		for _, v := range rec.Study.Variants {
			if v.Revision == "" && v.Digest == "" {
				return fmt.Errorf("variant %s was a working tree that git cannot identify, so its files may have changed: start again", v.Label)
			}
		}
		return nil
	})
	if err != nil {
		return Spec{}, fmt.Errorf("resume study: %w", err)
	}
	// A total applies to each session.
	spec.resumed = &resumed{folder: filepath.Dir(path), lock: lock, lines: lines, before: result.NewRecording(lines)}
	return spec, nil
}

// Finished reads the specification and the recording of a finished comparison in a
// directory. A study that someone else measured needs trust.
func Finished(path string, trust bool) (Spec, *result.Recording, error) {
	spec, lines, err := readStudy(recordingOf(path), trust, func(rec *result.Recording) error {
		if len(rec.Study.Variants) < 2 {
			return errors.New("it is not a comparison: give the variants, as in tare explain v1.2.0 HEAD")
		}
		return nil
	})
	if err != nil {
		return Spec{}, nil, fmt.Errorf("explain study: %w", err)
	}
	return spec, result.NewRecording(lines), nil
}

// recordingOf is the recording in a directory, or the path of a recording.
func recordingOf(path string) string {
	if isFolder(path) {
		return filepath.Join(path, "result.jsonl")
	}
	return path
}

// readStudy reads a recording that fits, and its specification.
func readStudy(path string, trust bool, fits func(*result.Recording) error) (spec Spec, lines []result.Line, err error) {
	f, err := os.Open(path)
	if err != nil {
		return Spec{}, nil, err
	}
	defer f.Close()
	lines, err = result.Lines(f)
	if err != nil {
		return Spec{}, nil, fmt.Errorf("%s: %w", path, err)
	}
	rec := result.NewRecording(lines)
	if err := fits(rec); err != nil {
		return Spec{}, nil, fmt.Errorf("%s: %w", path, err)
	}
	if err := checkOrigin(filepath.Dir(path), rec.Study, trust); err != nil {
		return Spec{}, nil, err
	}
	spec.Plan = rec.Study.Plan
	if spec.Variants, err = recordedVariants(rec.Study); err != nil {
		return Spec{}, nil, fmt.Errorf("%s: %w", path, err)
	}
	return spec, lines, nil
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

// checkTotal rejects a total for a study that was planned without one. The ends
// of such a study are looks, and with a total they must not be.
func (r *resumed) checkTotal(spec Spec) error {
	if planned := r.before.Study.TotalSeconds > 0; planned != (spec.TotalSeconds > 0) {
		return errors.New("resume study: -total belongs to the plan of the study, which sets its error rate: use -budget, or start a new study")
	}
	return nil
}

// complete is the error of a study in which a specification measures nothing
// more. It is nil if it measures more.
func (r *resumed) complete(spec Spec) error {
	end := r.before.End
	if end == nil || end.Interrupted || slices.ContainsFunc(r.before.Stops, func(s result.Stop) bool { return r.reopens(spec, s) }) {
		return nil
	}
	if slices.ContainsFunc(r.before.Stops, func(s result.Stop) bool { return s.Reason == "budget" }) {
		return fmt.Errorf("resume study: %s is complete: see it with tare show %s, or measure the undecided benchmarks further with -budget above %s", r.folder, r.folder, seconds(r.before.Study.BudgetSeconds))
	}
	return fmt.Errorf("resume study: %s is complete: tare show %s", r.folder, r.folder)
}

// reopens is true for the stop of a benchmark that can be measured further
// under the limits of a specification.
func (r *resumed) reopens(spec Spec, s result.Stop) bool {
	switch s.Reason {
	case "interrupted", result.StopTotal, result.StopNotReached:
		return true
	case "budget":
		return spec.BudgetSeconds > r.before.Study.BudgetSeconds
	case "blocks":
		return r.good(s.Benchmark) < spec.MaxBlocks
	}
	return false
}

// good counts the blocks of a benchmark that are judged.
func (r *resumed) good(benchmark int) (n int) {
	for _, b := range r.before.Benchmarks[benchmark].Blocks {
		if b.Good() {
			n++
		}
	}
	return n
}

// trim removes the lines that ended the study, and the lines that will be
// written again. The benchmarks that are measured further were already judged at
// their present blocks. Their lines record that look, since it spends part of
// the error rate.
func (r *resumed) trim(spec Spec) []result.Line {
	var out []result.Line
	done := make(map[int]bool)
	for _, s := range r.before.Stops {
		done[s.Benchmark] = done[s.Benchmark] || !r.reopens(spec, s)
	}
	benchmark := 0
	for _, l := range study.Trim(r.lines) {
		switch {
		case l.Count != nil, l == (result.Line{}), l.Stop != nil && r.reopens(spec, *l.Stop):
			continue
		case l.Benchmark != nil:
			// With a total, the end of a benchmark is not a look.
			if n := r.good(benchmark); r.before.Study.TotalSeconds == 0 && !done[benchmark] && r.before.End != nil && n > 0 && !slices.Contains(l.Benchmark.Looked, n) {
				b := *l.Benchmark
				b.Looked = append(slices.Clone(b.Looked), n)
				l.Benchmark = &b
			}
			benchmark++
		}
		out = append(out, l)
	}
	return out
}

// open rewrites result.jsonl up to the last line to resume from, and opens it for
// appending. The variants must not have changed.
func (r *resumed) open(spec Spec, variants []result.Variant) (*folder, error) {
	same := func(a, b result.Variant) bool {
		return a.Label == b.Label && a.Revision == b.Revision && a.Go == b.Go && a.Digest == b.Digest
	}
	if !slices.EqualFunc(r.before.Study.Variants, variants, same) {
		return nil, errors.New("resume study: the variants have changed (a branch, the working tree or the toolchain): start again")
	}
	r.lines = r.trim(spec)
	path := filepath.Join(r.folder, "result.jsonl")
	next := path + ".next"
	if err := result.WriteFile(next, func(w io.Writer) error {
		out := result.NewWriter(w)
		for _, l := range r.lines {
			if err := out.Write(l); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		return nil, err
	}
	if err := os.Rename(next, path); err != nil {
		return nil, fmt.Errorf("resume study: %w", err)
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0o666)
	if err != nil {
		return nil, fmt.Errorf("resume study: %w", err)
	}
	return &folder{r.folder, f, r.lock, result.NewWriter(f)}, nil
}
