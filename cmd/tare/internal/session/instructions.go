package session

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/tarebench/tare/cmd/tare/internal/build"
	"github.com/tarebench/tare/cmd/tare/internal/catalog"
	"github.com/tarebench/tare/cmd/tare/internal/instrument"
	"github.com/tarebench/tare/cmd/tare/internal/judge"
	"github.com/tarebench/tare/cmd/tare/internal/overlay"
	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/words"
	"github.com/tarebench/tare/internal/finding"
)

func measuredBenchmarks(rec *result.Recording, do func(index int, b result.Benchmark, side int) error) error {
	failed := make(map[int]bool)
	for _, s := range rec.Stops {
		failed[s.Benchmark] = failed[s.Benchmark] || s.Reason == "failed" || s.Reason == "skipped" || s.Reason == result.SameCode
	}
	for i, b := range rec.Benchmarks {
		if failed[i] {
			continue
		}
		for side := range rec.Study.Variants {
			if slices.Contains(b.Missing, side) {
				continue
			}
			if err := do(i, b, side); err != nil {
				return err
			}
		}
	}
	return nil
}

// instructions counts every benchmark of every variant and writes the counts
// to the recording, until the total is over. If a benchmark cannot be counted, it
// adds a finding.
func (s *Session) instructions(ctx context.Context) (err error) {
	if f := instrument.CheckValgrind(ctx, instrument.Run); f != nil {
		return s.AddFindings(*f)
	}
	builder := &build.Builder{Dir: s.spec.Dir, Progress: s.watcher.Step, Generate: overlay.Counting, Debug: true, Flags: TagFlags(s.spec.Tags)}
	defer func() { err = errors.Join(err, builder.Close()) }()
	counter := instrument.Counter{Exec: instrument.Run, Temp: builder.Scratch(), Alpha: judge.CountAlpha(s.rec), Budget: seconds(s.spec.BudgetSeconds)}
	counting, cancel := ctx, func() {}
	if s.spec.TotalSeconds > 0 {
		counting, cancel = context.WithDeadline(ctx, s.begun.Add(seconds(s.spec.TotalSeconds)))
	}
	defer cancel()
	counted, late := make(map[string]bool), make(map[string]bool)
	err = measuredBenchmarks(s.rec, func(i int, b result.Benchmark, side int) error {
		id := fmt.Sprintf("%s\x00%s\x00%d", b.Pkg, b.Name, side)
		if counted[id] {
			return nil // another GOMAXPROCS: one count is enough
		}
		if counting.Err() != nil {
			late[b.Name] = true
			return nil // keep the counts so far
		}
		counted[id] = true
		s.watcher.Progress(result.Progress{Index: i + 1, Total: len(s.rec.Benchmarks), Name: b.Name, Phase: "counting", Ratio: math.NaN()})
		lines, err := s.countOne(counting, counter, builder, i, b, side)
		if err != nil && counting.Err() != nil {
			late[b.Name] = true
			return nil
		}
		if err != nil {
			return s.AddFindings(catalog.CountFailed.Of(b.Name, finding.Text("variant", s.rec.Study.Variants[side].Label), finding.Text("why", firstLines(err.Error(), 3))))
		}
		for _, l := range lines {
			if err := s.write(l); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil && len(late) > 0 && ctx.Err() == nil {
		err = s.AddFindings(catalog.CountFailed.Of("", finding.Text("variant", words.Plural(len(late), "benchmark")), finding.Text("why", "-total was over")))
	}
	return err
}

func (s *Session) countOne(ctx context.Context, counter instrument.Counter, builder *build.Builder, i int, b result.Benchmark, side int) ([]result.Line, error) {
	spec := s.sides.list[side].variantFor(b.Pkg).Spec // with the tests of the other variant, if the package has them
	if spec.Bin != "" {
		return nil, errors.New("a kept binary was not built for counting: compare revisions, which tare builds")
	}
	spec.Tags = append(slices.Clone(spec.Tags), overlay.CountingTag)
	v, err := openListed(ctx, builder, spec, s.spec.Packages)
	if err != nil {
		return nil, err
	}
	bin, err := v.Build(ctx, b.Pkg, 0)
	if err != nil {
		return nil, err
	}
	if !bin.Overlaid {
		return nil, errors.New(bin.WhyNot)
	}
	in, err := counter.Instructions(ctx, instrument.Target{Binary: bin.Path, Dir: bin.Dir, Env: bin.Env, Args: s.spec.Args, Benchmark: b.Name, Timeout: seconds(s.spec.TimeoutSeconds)})
	if err != nil {
		return nil, err
	}
	return instrument.Lines(i, side, in), nil
}

func firstLines(s string, n int) string {
	lines := strings.SplitN(strings.TrimSpace(s), "\n", n+1)
	return strings.Join(lines[:min(n, len(lines))], " / ")
}
