package session

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/tarebench/tare/clock"
	"github.com/tarebench/tare/cmd/tare/internal/build"
	"github.com/tarebench/tare/cmd/tare/internal/catalog"
	"github.com/tarebench/tare/cmd/tare/internal/file"
	"github.com/tarebench/tare/cmd/tare/internal/judge"
	"github.com/tarebench/tare/cmd/tare/internal/machine"
	"github.com/tarebench/tare/cmd/tare/internal/remote"
	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/study"
	"github.com/tarebench/tare/internal/finding"
)

// Session is a study: open variants, a directory, and the recording.
type Session struct {
	spec    Spec
	watcher Watcher
	sides   *sides
	codes   *Code
	folder  *folder
	rec     *result.Recording
	judged  *result.Comparison // of rec, or nil if a line was added
	// machineWarnings has the reasons not to measure on this machine.
	machineWarnings []finding.Finding
	interrupted     bool
	// edits is true for a comparison of a commit with edits of one package, with
	// random function orders.
	edits    bool
	machines *remote.Machines // nil to measure on this machine
	// begun is when the session got the lock of the machine.
	begun   time.Time
	release func()
}

// Open takes the lock of the machine, opens the variants and makes the
// directory of the study. The caller closes the session, also after a failed
// Run.
func Open(ctx context.Context, spec Spec, w Watcher) (*Session, error) {
	if spec.Dir == "" {
		dir, err := os.Getwd()
		if err != nil {
			return nil, fmt.Errorf("find working directory: %w", err)
		}
		spec.Dir = dir
	}
	if r := spec.resumed; r != nil {
		if err := errors.Join(r.checkTotal(spec), r.complete(spec)); err != nil {
			return nil, err
		}
	}
	drawn := spec.Seed == 0 && spec.Part == nil
	if drawn {
		spec.Seed = rand.Uint64()>>11 + 1 // exact in every JSON reader
	}
	s := &Session{spec: spec, watcher: w}
	if err := s.open(ctx, drawn); err != nil {
		return nil, errors.Join(withAdvice(err, s), s.Close())
	}
	return s, nil
}

// open opens the session. drawn is true if no one chose the seed.
func (s *Session) open(ctx context.Context, drawn bool) (err error) {
	if err := s.spec.Check(ctx); err != nil {
		return err
	}
	if len(s.spec.On) == 0 {
		s.release, err = machine.Lock(ctx, s.spec.Lock, func(holder string) {
			s.watcher.Notice(fmt.Sprintf("waiting: %s measures on this machine now (use -lock=off to measure at the same time)", holder))
		})
	} else { // other machines lock each block
		s.machines, err = remote.Open(s.spec.On, s.watcher.Notice)
	}
	if err != nil {
		return err
	}
	s.begun = time.Now()
	s.watcher.Progress(result.Progress{Phase: "building", Ratio: math.NaN()})
	var left []int
	if s.machines == nil {
		s.spec.Procs, left = onThisMachine(s.spec.Procs, runtime.NumCPU())
	}
	if s.sides, err = openSides(ctx, s.spec, s.watcher.Step); err != nil {
		return err
	}
	if len(left) > 0 {
		s.sides.findings = append(s.sides.findings, catalog.CPUsMissing.Of("", finding.Text("left", strings.Trim(fmt.Sprint(left), "[]")), finding.Count("cpus", runtime.NumCPU(), "CPU")))
	}
	if s.spec.Accepted, err = s.sides.accepted(ctx, s.spec); err != nil {
		return err
	}
	if drawn && s.sides.ownsBuilder && len(s.sides.packages) == 1 && commitAndTree(s.sides.variants) {
		s.edits, s.sides.builder.KeepLinks = true, true
	}
	if s.spec.Part != nil {
		if err := s.selectPart(); err != nil {
			return err
		}
	}
	if r := s.spec.resumed; r != nil {
		s.folder, err = r.open(s.spec, s.sides.variants)
	} else if s.spec.Folder != "" {
		s.folder, err = openFolder(s.spec.Folder)
	} else {
		s.folder, err = newFolder(s.spec.Dir, s.spec.Kind, time.Now())
	}
	return err
}

// Close removes the files that the session made outside its directory, and
// releases the lock.
func (s *Session) Close() (err error) {
	if s.machines != nil {
		s.machines.Close()
	}
	if s.sides != nil {
		err = s.sides.close()
	}
	if s.folder != nil {
		err = errors.Join(err, s.folder.close())
	}
	if s.release != nil {
		s.release()
	}
	return err
}

// Folder is the directory of the study.
func (s *Session) Folder() string { return s.folder.path }

// CopyTo copies the recording to a file.
func (s *Session) CopyTo(name string) error {
	return result.WriteFile(name, func(w io.Writer) error {
		f, err := file.Open(s.folder.path, "result.jsonl")
		if err != nil {
			return err
		}
		defer f.Close()
		_, err = io.Copy(w, f)
		return err
	})
}

// Recording is the recording so far, or nil before Run.
func (s *Session) Recording() *result.Recording { return s.rec }

// Interrupted is true if the context ended the study early.
func (s *Session) Interrupted() bool { return s.interrupted }

// Measured is true if at least one block is recorded. Then there is something
// to show, whatever Run returned.
func (s *Session) Measured() bool {
	return s.rec != nil && slices.ContainsFunc(s.rec.Benchmarks, func(b result.Benchmark) bool { return len(b.Blocks) > 0 })
}

// Comparison judges the recording so far. It is judged again after a line was
// added.
func (s *Session) Comparison() result.Comparison {
	if s.judged == nil {
		c := judge.Compare(s.rec)
		s.judged = &c
	}
	c := *s.judged
	c.Folder, c.Benchmarks, c.Findings = s.folder.path, slices.Clone(c.Benchmarks), slices.Clone(c.Findings)
	return c
}

// Run measures, counts and profiles. It records everything measured before an
// error: see [Session.Measured].
func (s *Session) Run(ctx context.Context) error {
	return withAdvice(s.run(ctx), s)
}

func (s *Session) run(ctx context.Context) error {
	s.codes = newCode(s.sides)
	if s.edits {
		_ = s.sides.compile(ctx) // the study reports errors
		s.sides.variants[1].Code = s.codes.Digest(1)
		s.spec.FuncOrderSeed = s.funcOrderSeed()
	}
	facts := s.lookAtMachine(ctx)
	head := result.Study{Schema: result.RecordingSchema, Method: result.Method, Created: time.Now().UTC(), Plan: s.spec.Plan, Variants: s.sides.variants, Machine: &facts}
	s.rec = new(result.Recording)
	var before *result.Recording
	if s.spec.resumed != nil {
		before = result.NewRecording(s.spec.resumed.lines)
		s.rec = result.NewRecording(s.spec.resumed.lines)
		head = before.Study
	}
	if len(s.spec.On) > 0 {
		head.Machine = nil // this one measures nothing
	}
	err := s.study(ctx, head, before)
	s.interrupted = ctx.Err() != nil
	nothing := errors.Is(err, study.ErrNothing)
	if err == nil || nothing || s.interrupted {
		err = s.afterStudy(ctx)
	}
	err = errors.Join(err, writeTexts(s.folder.path, s.rec))
	if err == nil && nothing && !s.interrupted {
		if s.spec.Part != nil {
			return nil // other parts may have benchmarks
		}
		return nothingMeasured(s.rec, s.spec.Bench)
	}
	return err
}

// study measures all benchmarks. A resumed study keeps the plan by which it
// is judged. Only its length may be less than planned.
func (s *Session) study(ctx context.Context, head result.Study, before *result.Recording) error {
	watch := &progress{to: s.watcher, enough: s.spec.Enough, blocks: head.MaxBlocks, last: make(map[result.Key]observed)}
	head.Plan = s.spec.Plan
	options := study.Options{
		Study: head, Sources: s.sides.sources, Packages: s.sides.packages,
		Functions: s.sides.functions, Tree: s.spec.Host.Tree, Write: s.write, Watcher: watch,
		Resume: before, Scratch: s.sides.builder.Scratch(), Rank: s.spec.Rank, Begun: s.begun,
	}
	if s.machines != nil {
		options.Machines = s.machines
	}
	if s.codes.decides(s.spec) && (!s.spec.MeasureAll || s.spec.TotalSeconds > 0) {
		options.Code = s.codes
	}
	return study.Run(ctx, options)
}

// afterStudy does the work that needs the binaries and would disturb the
// timing.
func (s *Session) afterStudy(ctx context.Context) error {
	if err := s.sides.keep(s.folder.path); err != nil {
		return err
	}
	var err error
	if s.spec.Instructions && ctx.Err() == nil {
		err = s.instructions(ctx)
	}
	if ctx.Err() == nil {
		err = errors.Join(err, s.profiles(ctx))
	}
	return err
}

// write records a line of the study. Findings about the variants follow the study
// line. Findings about the machine precede the end line, if anything was measured
// here.
func (s *Session) write(l result.Line) error {
	if l.End != nil && s.machines == nil && s.Measured() {
		if err := s.AddFindings(s.machineWarnings...); err != nil {
			return err
		}
	}
	if l.Block != nil { // the study continues with its own rounds
		block := *l.Block
		block.Pack()
		l.Block = &block
	}
	if err := s.Add(l); err != nil || l.Study == nil {
		return err
	}
	return s.AddFindings(s.sides.findings...)
}

// Builder has built the variants.
func (s *Session) Builder() *build.Builder { return s.sides.builder }

// Code is the machine code of the variants, or nil before Run.
func (s *Session) Code() *Code { return s.codes }

// Spec is the specification that the session was opened with.
func (s *Session) Spec() Spec { return s.spec }

// AddFindings records the findings that are not recorded.
func (s *Session) AddFindings(all ...finding.Finding) error {
	for _, f := range all {
		if slices.ContainsFunc(s.rec.Findings, f.Same) {
			continue
		}
		if err := s.Add(result.Line{Finding: &f}); err != nil {
			return err
		}
	}
	return nil
}

// Add records a line, first in memory, so that it can be reported if the disk is
// full.
func (s *Session) Add(l result.Line) error {
	s.rec.Append(l)
	s.judged = nil
	return s.folder.Write(l)
}

// Profiles reports whether the benchmarks may be profiled: they were timed on this
// machine, and -profile is not off.
func (s *Session) Profiles() bool {
	return s.machines == nil && s.spec.Timed() && len(s.spec.Exec) == 0 && s.spec.Weigh != "off"
}

// Elapsed is the time since the session got the lock of the machine.
func (s *Session) Elapsed() time.Duration { return time.Since(s.begun) }

func writeTexts(folder string, rec *result.Recording) error {
	if len(rec.Study.Variants) == 0 {
		return nil
	}
	err := result.WriteFile(filepath.Join(folder, "benchmark.txt"), func(w io.Writer) error {
		return result.WriteBenchmarks(w, rec)
	})
	return errors.Join(err, result.WriteFile(filepath.Join(folder, "machine.json"), func(w io.Writer) error {
		return result.WriteJSON(w, rec.Study.Machine)
	}))
}

// lookAtMachine gathers the facts that a study records, and the obstacles to
// measuring that show at once. It does not wait to observe, so the doctor
// judges load and steal. The doctor also shows the notes (findings of severity
// info).
func (s *Session) lookAtMachine(ctx context.Context) result.Machine {
	facts, unfit := lookAtMachine(ctx, s.spec.Host)
	if runtime.GOARCH == "amd64" { // machines the counter does not tick with the core
		if _, rate, err := clock.CalibrateCycles(); err == nil {
			facts.CPU.CounterHz = 1e9 / rate.NanosPerTick
		}
	}
	s.machineWarnings = unfit
	return facts
}

func nothingMeasured(rec *result.Recording, pattern string) error {
	if len(rec.Benchmarks) > 0 {
		return nil // failed, the same code, skipped, or in one variant only: the table shows it
	}
	for _, f := range rec.Findings {
		if f.Severity == finding.Severe {
			return fmt.Errorf("measure benchmarks: %s: %s", f.Subject, f.Message)
		}
	}
	if i := slices.IndexFunc(rec.Findings, catalog.PackageNotReached.Is); i >= 0 {
		return fmt.Errorf("measure benchmarks: %s: %s; %s", rec.Findings[i].Subject, rec.Findings[i].Message, rec.Findings[i].Action)
	}
	return NoneMatches(pattern)
}

// NoneMatches is the error about a pattern that names no benchmark.
func NoneMatches(pattern string) error {
	return fmt.Errorf("measure benchmarks: none matches -bench %q: list them with go test -list Benchmark; write a sub-benchmark as Sort/n=100", pattern)
}
