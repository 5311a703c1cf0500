package main

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
	"time"

	"github.com/tarebench/tare/clock"
	"github.com/tarebench/tare/finding"
	"github.com/tarebench/tare/internal/hostlock"
	"github.com/tarebench/tare/internal/lockstep"
	"github.com/tarebench/tare/internal/report"
	"github.com/tarebench/tare/internal/result"
	"github.com/tarebench/tare/internal/study"
)

// measured is a study that ran, and where it is kept.
type measured struct {
	rec    *result.Recording
	folder string
	// proofs say what the machine code has left of benchmarks that take less
	// than a cycle.
	proofs []finding.Finding
	// interrupted is set when the user ended it early.
	interrupted bool
}

// measure builds the variants and runs the study: the part that run and
// compare share.
func measure(ctx context.Context, s streams, kind string, specs, patterns []string, o measureOptions) (m measured, err error) {
	defer func() { err = advise(err, kind, m) }()
	dir, err := os.Getwd()
	if err != nil {
		return m, fmt.Errorf("find working folder: %w", err)
	}
	release, err := hostlock.Lock(ctx, o.lock, func(holder string) {
		fmt.Fprintf(s.err, "tare: waiting: %s measures on this machine now (-lock=off measures beside it)\n", holder)
	})
	if err != nil {
		return m, err
	}
	defer release()

	live := report.NewLive(s.err, liveOptions(s.err))
	defer live.Close()
	say := func(string) {}
	if o.verbose {
		say = func(text string) {
			live.Close()
			fmt.Fprintln(s.err, text)
		}
	}
	live.Update(report.Progress{Phase: "building", Ratio: math.NaN()})
	built, err := openVariants(ctx, dir, specs, patterns, o.tags, say)
	if err != nil {
		return m, err
	}
	defer func() {
		if cerr := built.close(); err == nil {
			err = cerr
		}
	}()

	var folder *studyFolder
	var before *result.Recording
	if s.resume != nil {
		folder, before, err = s.resume.open(built.variants)
	} else {
		folder, err = newStudyFolder(dir, kind, time.Now())
	}
	if err != nil {
		return m, err
	}
	defer folder.close()
	m.folder = folder.path
	if o.seed == 0 {
		o.seed = rand.Uint64()>>11 + 1 // exact in every JSON reader
	}
	facts, unfit := lookAtMachine(ctx, dir)
	if runtime.GOARCH == "amd64" { // elsewhere the counter does not tick with the core
		if _, rate, err := clock.CalibrateCycles(); err == nil {
			facts.CPU.CounterHz = 1e9 / rate.NanosPerTick
		}
	}
	head := result.Study{
		Schema: result.Schema, Kind: kind, Created: time.Now().UTC(), Command: s.typed,
		Variants: built.variants, Seed: o.seed, Alpha: o.alpha, Delta: o.delta,
		MaxBlocks: o.blocks, BudgetSeconds: o.budget.Seconds(), Machine: &facts,
	}
	if before != nil {
		head = before.Study
		built.findings = nil // on record already
	}
	for _, f := range built.findings {
		if err := folder.Write(result.Line{Finding: &f}); err != nil {
			return m, err
		}
	}
	spoilt := &disturbances{machine: s.machine}
	watch := &watcher{live: live, head: head, last: make(map[result.Key]report.Progress)}
	runErr := study.Run(ctx, study.Options{
		Study: head, Sources: built.sources, Packages: built.packages,
		Bench: o.bench, Skip: o.skip, Procs: o.procs, Args: o.args,
		Counters: o.count.counters, Iterations: o.iterations, BlockTime: o.blockTime, Timeout: o.timeout,
		Layouts: o.layouts && o.blocks > 1, // one random layout is as good as the default one
		Write:   spoilt.before(unfit, folder.Write), Judge: watch.judge, Event: watch.event,
		Disturbed: spoilt.bracket, Resume: before,
	})
	m.interrupted = ctx.Err() != nil
	if runErr != nil && !m.interrupted && !errors.Is(runErr, study.ErrNothing) {
		return m, runErr
	}
	if m.rec, err = folder.read(); err != nil {
		return m, err
	}
	if err := built.keep(folder.path); err != nil {
		return m, err
	}
	after := afterwards{dir: dir, specs: specs, patterns: patterns, o: o, built: built, folder: folder, live: live, say: say}
	if m.rec, err = after.run(ctx, m.rec); err != nil {
		return m, err
	}
	m.proofs = after.prove(ctx, m.rec)
	live.Close()
	if err := writeFile(filepath.Join(folder.path, "benchmark.txt"), func(w io.Writer) error {
		return result.WriteBenchmarks(w, m.rec)
	}); err != nil {
		return m, err
	}
	if err := writeFile(filepath.Join(folder.path, "machine.json"), func(w io.Writer) error {
		return report.JSON(w, facts)
	}); err != nil {
		return m, err
	}
	if errors.Is(runErr, study.ErrNothing) && !m.interrupted {
		return m, nothingMeasured(m.rec, o.bench)
	}
	return m, nil
}

// nothingMeasured says why no benchmark was: the findings of the study, or
// that none matched.
func nothingMeasured(rec *result.Recording, pattern string) error {
	for _, s := range rec.Stops {
		if s.Reason == "failed" {
			return nil // the table says it, and the exit code
		}
	}
	for _, f := range rec.Findings {
		if f.Severity == finding.Severe {
			return fmt.Errorf("measure benchmarks: %s", f.Message)
		}
	}
	if len(rec.Benchmarks) > 0 {
		return nil // skipped, or on one side only: the table says so
	}
	return fmt.Errorf("measure benchmarks: none matches -bench %q: list them with go test -list Benchmark; a sub-benchmark is named behind its parent, as in Sort/n=100", pattern)
}

// watcher turns the events of a study into the live line.
type watcher struct {
	live *report.Live
	head result.Study
	// last is what was known of each benchmark at its last block: they take
	// turns, and one may be finished while another is measured.
	last map[result.Key]report.Progress
}

func (w *watcher) judge(b result.Benchmark, rounds []result.Round, blocks []result.Block) (done bool, reason string) {
	p := report.Progress{Name: b.Name, Ratio: math.NaN(), Rounds: len(rounds), Blocks: len(blocks), Unit: "sec/op"}
	if len(w.head.Variants) == 1 {
		if rows := lockstep.Measure(w.head, b, rounds, blocks); len(rows) > 0 {
			p.Value = rows[0].Value
		}
		w.last[b.Key] = p
		return false, ""
	}
	done = true
	for v := 1; v < len(w.head.Variants); v++ {
		j := lockstep.Judge(w.head, b, rounds, blocks, 0, v)
		done = done && j.Done
		reason = j.Reason
		if v == 1 && len(j.Rows) > 0 {
			c := j.Rows[0].Change
			p.Ratio, p.Lo, p.Hi, p.Verdict = c.Ratio, c.Lo, c.Hi, j.Rows[0].Verdict
		}
	}
	w.last[b.Key] = p
	return done, reason
}

func (w *watcher) event(e study.Event) {
	// A table of many benchmarks stops at a difference only once it outlasts
	// the correction for them; else no gate over two could ever see one.
	w.head.Family = e.Total * (len(w.head.Variants) - 1)
	p, known := w.last[e.Benchmark.Key]
	if !known || e.Phase != "measuring" && e.Phase != "finished" {
		p = report.Progress{Ratio: math.NaN()}
	}
	p.Index, p.Total, p.Name, p.Phase = e.Index+1, e.Total, e.Benchmark.Name, e.Phase
	if p.Name == "" {
		p.Name = e.Benchmark.Pkg
	}
	p.Rounds, p.Blocks, p.Left = e.Rounds, e.Blocks, e.Left
	if e.Phase != "finished" {
		w.live.Update(p)
		return
	}
	switch e.Reason {
	case "failed":
		p.Verdict = result.Failed
	case "skipped", "one side only", "interrupted":
		return
	}
	w.live.Done(p)
}
