package session

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/tarebench/tare/cmd/tare/internal/build"
	"github.com/tarebench/tare/cmd/tare/internal/file"
	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/study"
	"github.com/tarebench/tare/cmd/tare/internal/words"
)

type resumed struct {
	folder string
	lock   *os.File
	lines  []result.Line // as they are in the file
	before *result.Recording
}

// ErrOther is wrapped by the errors of Resume, Adopt and Read for a recording of other
// variants or of another plan.
var ErrOther = errors.New("which is another study")

// Resume makes a specification continue the study in a directory (or of its
// result.jsonl), which was interrupted, or whose budget ended before all benchmarks
// were decided.
//
// The recording is data: the variants, packages, commands, tags and arguments are
// those of the specification, and have to be the recorded ones. The rest of the
// plan, such as the seed, is the recorded one. A setting whose flag was typed has to
// be the same if the error rate depends on it. Blocks may only become fewer.
//
// Only then is the study locked, since a refused directory stays as it is, and read
// again, with the blocks that another process added.
func (s *Spec) Resume(path string, typed func(flag string) bool) (err error) {
	folder := folderOf(path)
	if _, err := os.Stat(filepath.Join(folder, "result.jsonl")); err != nil {
		return fmt.Errorf("resume study: %w", err)
	}
	defer func() {
		if err != nil {
			err = fmt.Errorf("resume study: %w", err)
		}
	}()
	lines, err := readLines(folder)
	if err != nil {
		return err
	}
	before := result.NewRecording(lines)
	if len(before.Machines) > 0 {
		return fmt.Errorf("%s: it was measured on several machines, which are not here: start a new study", path)
	}
	for _, v := range before.Study.Variants {
		if v.Revision == "" && v.Digest == "" {
			return fmt.Errorf("%s: variant %s was a working tree that git cannot identify, so its files may have changed: start again", path, v.Label)
		}
	}
	if !slices.Equal(labelsOf(s.Variants), recordedLabels(before)) {
		return differs("variants", words.Shell(labelsOf(s.Variants)), words.Shell(recordedLabels(before)))
	}
	if err := s.Adopt(before.Study.Plan, typed); err != nil {
		return err
	}
	lock, err := lockFolder(folder)
	if err != nil {
		return err
	}
	if lines, err = readLines(folder); err == nil && !reflect.DeepEqual(result.NewRecording(lines).Study, before.Study) {
		err = fmt.Errorf("%s: another process writes it", path)
	}
	if err != nil {
		return errors.Join(err, lock.Close())
	}
	s.resumed = &resumed{folder: folder, lock: lock, lines: lines, before: result.NewRecording(lines)}
	return nil
}

// Resumed is the recording of the study that a specification resumes.
func (s Spec) Resumed() *result.Recording { return s.resumed.before }

// Leave leaves the study that a specification resumes as it is.
func (s Spec) Leave() error { return s.resumed.lock.Close() }

// Adopt takes a recorded plan, except for what names programs and files, and for
// the typed flags.
func (s *Spec) Adopt(recorded result.Plan, typed func(flag string) bool) error {
	if err := s.sameNames(recorded); err != nil {
		return err
	}
	mine := s.Plan
	mine.Procs, _ = onThisMachine(mine.Procs, runtime.NumCPU())
	for _, f := range []struct{ flag, mine, recorded string }{
		{"bench", mine.Bench, recorded.Bench}, {"skip", mine.Skip, recorded.Skip}, {"cpu", fmt.Sprint(mine.Procs), fmt.Sprint(recorded.Procs)},
		{"units", unitsOf(mine), unitsOf(recorded)}, {"alpha", fmt.Sprint(mine.Alpha), fmt.Sprint(recorded.Alpha)},
		{"delta", fmt.Sprint(mine.Delta), fmt.Sprint(recorded.Delta)}, {"seed", fmt.Sprint(mine.Seed), fmt.Sprint(recorded.Seed)},
		{"benchtime", lengthOf(mine), lengthOf(recorded)}, {"layouts", fmt.Sprint(mine.FuncOrders), fmt.Sprint(recorded.FuncOrders)},
		{"measure-all", fmt.Sprint(mine.MeasureAll), fmt.Sprint(recorded.MeasureAll)}, {"alone", fmt.Sprint(mine.Alone), fmt.Sprint(recorded.Alone)},
		{"split", fmt.Sprint(mine.Split), fmt.Sprint(recorded.Split)},
	} {
		if typed(f.flag) && f.mine != f.recorded {
			return differs("-"+f.flag, f.mine, f.recorded)
		}
	}
	if mine.Part == nil != (recorded.Part == nil) || mine.Part != nil && *mine.Part != *recorded.Part {
		return differs("-shard", partOf(mine), partOf(recorded))
	}
	s.Plan = recorded
	s.Packages, s.Exec, s.Tags, s.Args = mine.Packages, mine.Exec, mine.Tags, mine.Args
	s.Profiles, s.Output, s.Command = mine.Profiles, mine.Output, mine.Command
	s.Explain, s.Audit, s.Instructions = mine.Explain || recorded.Explain, mine.Audit || recorded.Audit, mine.Instructions || recorded.Instructions
	if typed("budget") {
		s.BudgetSeconds = mine.BudgetSeconds
	}
	if typed("total") {
		s.TotalSeconds = mine.TotalSeconds
	}
	if typed("timeout") {
		s.TimeoutSeconds = mine.TimeoutSeconds
	}
	if typed("blocks") || typed("count") {
		if s.MaxBlocks = mine.MaxBlocks; mine.MaxBlocks > recorded.MaxBlocks {
			return differs("-blocks", fmt.Sprint(mine.MaxBlocks), fmt.Sprintf("at most %d", recorded.MaxBlocks))
		}
	}
	return nil
}

func unitsOf(p result.Plan) string {
	units := slices.DeleteFunc(slices.Clone(result.AllUnits), func(u string) bool { return !p.Measures(u) && !(u == "time" && p.Timed()) })
	return strings.Join(units, ",")
}

func lengthOf(p result.Plan) string {
	return fmt.Sprintf("%v, %d iterations", seconds(p.BlockSeconds), p.Iterations)
}

func partOf(p result.Plan) string {
	if p.Part == nil {
		return "none"
	}
	return fmt.Sprintf("%d/%d", p.Part.Number, p.Part.Of)
}

// sameNames checks what a recording names and what would run: the packages, the
// commands, the tags and the arguments of the test binary.
func (s *Spec) sameNames(recorded result.Plan) error {
	for _, f := range []struct {
		name           string
		mine, recorded []string
	}{
		{"packages", s.Packages, recorded.Packages}, {"-exec", s.Exec, recorded.Exec}, {"-tags", s.Tags, recorded.Tags},
		{"arguments after --", s.Args, recorded.Args},
	} {
		if !slices.Equal(f.mine, f.recorded) {
			return differs(f.name, words.Shell(f.mine), words.Shell(f.recorded))
		}
	}
	return nil
}

func differs(name, mine, recorded string) error {
	none := func(text string) string { return cmp.Or(words.Printable(text), "none") }
	return fmt.Errorf("%s: %s here, and %s in the recording, %w: type the command line that began the study, or start a new one",
		name, none(mine), none(recorded), ErrOther)
}

// Read reads the finished comparison in a directory (or its result.jsonl) for
// this specification, which names two of its variants. It returns the number of the
// second one. The packages, tags and arguments have to be the recorded ones.
func (s *Spec) Read(path string) (rec *result.Recording, second int, err error) {
	lines, err := readLines(folderOf(path))
	if err != nil {
		return nil, 0, fmt.Errorf("read study: %w", err)
	}
	rec = result.NewRecording(lines)
	mine, labels := labelsOf(s.Variants), recordedLabels(rec)
	second = slices.Index(labels[min(1, len(labels)):], mine[1]) + 1
	if second == 0 || mine[0] != labels[0] {
		err = differs("variants", words.Shell(mine), words.Shell(labels))
	} else {
		err = s.sameNames(rec.Study.Plan)
	}
	if err != nil {
		return nil, 0, fmt.Errorf("read study: %w", err)
	}
	s.NewTests = rec.Study.NewTests
	return rec, second, nil
}

func labelsOf(variants []build.Spec) (labels []string) {
	for _, v := range variants {
		labels = append(labels, v.Label)
	}
	return labels
}

func recordedLabels(rec *result.Recording) (labels []string) {
	for _, v := range rec.Study.Variants {
		labels = append(labels, v.Label)
	}
	return labels
}

func folderOf(path string) string {
	if isFolder(path) {
		return path
	}
	return filepath.Dir(path)
}

func recordingOf(path string) string {
	if isFolder(path) {
		return filepath.Join(path, "result.jsonl")
	}
	return path
}

func readLines(folder string) ([]result.Line, error) {
	f, err := file.Open(folder, "result.jsonl")
	if err != nil {
		return nil, err
	}
	defer f.Close()
	lines, err := result.Lines(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.Name(), err)
	}
	return lines, nil
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
		return r.before.Benchmarks[s.Benchmark].GoodBlocks() < spec.MaxBlocks
	}
	return false
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
			if n := r.before.Benchmarks[benchmark].GoodBlocks(); r.before.Study.TotalSeconds == 0 && !done[benchmark] && r.before.End != nil && n > 0 && !slices.Contains(l.Benchmark.Looked, n) {
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
	next, err := file.Change(r.folder, "result.jsonl.next", os.O_CREATE|os.O_TRUNC|os.O_APPEND|os.O_WRONLY)
	if err != nil {
		return nil, fmt.Errorf("resume study: %w", err)
	}
	out := result.NewWriter(next)
	for _, l := range r.lines {
		if err = out.Write(l); err != nil {
			break
		}
	}
	// An open file cannot be renamed everywhere.
	if err = errors.Join(err, next.Close()); err == nil {
		err = os.Rename(filepath.Join(r.folder, "result.jsonl.next"), filepath.Join(r.folder, "result.jsonl"))
	}
	if err == nil {
		next, err = file.Change(r.folder, "result.jsonl", os.O_APPEND|os.O_WRONLY)
	}
	if err != nil {
		return nil, fmt.Errorf("resume study: %w", err)
	}
	return &folder{r.folder, next, r.lock, result.NewWriter(next)}, nil
}
