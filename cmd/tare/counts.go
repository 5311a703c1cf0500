package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/tarebench/tare/finding"
	"github.com/tarebench/tare/internal/count"
	"github.com/tarebench/tare/internal/report"
	"github.com/tarebench/tare/internal/result"
	"github.com/tarebench/tare/internal/variant"
)

// countFlags are the flags of what is counted beside the time.
func countFlags() []cli.Flag {
	return []cli.Flag{
		&cli.BoolFlag{Name: "count-instructions", Usage: "count instructions/op under valgrind: the same on a busy machine"},
		&cli.BoolFlag{Name: "count-cycles", Usage: "estimate cycles from simulated caches too; implies -count-instructions"},
		&cli.BoolFlag{Name: "counters", Usage: "read hardware and software counters around every slice"},
		&cli.StringFlag{Name: "cpuprofile", Usage: "write a merged CPU profile to `FILE`, from rounds of its own"},
		&cli.StringFlag{Name: "memprofile", Usage: "write a merged allocation profile to `FILE`"},
		&cli.StringFlag{Name: "blockprofile", Usage: "write a merged profile of blocking to `FILE`"},
		&cli.StringFlag{Name: "mutexprofile", Usage: "write a merged profile of contended mutexes to `FILE`"},
		&cli.StringFlag{Name: "trace", Usage: "write an execution trace to `FILE`"},
	}
}

// countOptions are the flags, read and checked.
type countOptions struct {
	instructions, cycles bool
	counters             bool
	// profiles are the files the user named, by kind.
	profiles map[count.ProfileKind]string
}

func readCountFlags(c *cli.Command) countOptions {
	o := countOptions{
		instructions: c.Bool("count-instructions") || c.Bool("count-cycles"), cycles: c.Bool("count-cycles"),
		counters: c.Bool("counters"), profiles: make(map[count.ProfileKind]string),
	}
	for _, k := range count.ProfileKinds {
		if file := c.String(string(k)); file != "" {
			o.profiles[k] = file
		}
	}
	return o
}

// afterwards is what happens when the study is over and its binaries are still
// there: counting and profiling, which would disturb the timing.
type afterwards struct {
	dir             string
	specs, patterns []string
	o               measureOptions
	built           *variants
	folder          *studyFolder
	live            *report.Live
	say             func(string)
}

func (a afterwards) find(f finding.Finding) error {
	return a.folder.Write(result.Line{Finding: &f})
}

// measuredBenchmarks calls do for every benchmark and side that was measured.
func measuredBenchmarks(rec *result.Recording, do func(index int, b result.Benchmark, side int) error) error {
	failed := make(map[int]bool)
	for _, s := range rec.Stops {
		failed[s.Benchmark] = failed[s.Benchmark] || s.Reason == "failed" || s.Reason == "skipped"
	}
	for i, b := range rec.Benchmarks {
		if failed[i] {
			continue
		}
		for side := range rec.Study.Variants {
			missing := false
			for _, m := range b.Missing {
				missing = missing || m == side
			}
			if missing {
				continue
			}
			if err := do(i, b, side); err != nil {
				return err
			}
		}
	}
	return nil
}

// instructions counts every benchmark of every side and writes the counts to
// the recording. A benchmark that cannot be counted is a finding.
func (a afterwards) instructions(ctx context.Context, rec *result.Recording) (err error) {
	if f := count.CheckValgrind(ctx, count.Run); f != nil {
		return a.find(*f)
	}
	builder := &variant.Builder{Dir: a.dir, Progress: a.say, Generate: count.Overlay, Debug: true, Flags: a.built.builder.Flags}
	defer func() { err = errors.Join(err, builder.Close()) }()
	sides := make([]*variant.Variant, len(a.specs))
	why := make([]error, len(a.specs))
	for i, text := range a.specs {
		sides[i], why[i] = a.countingVariant(ctx, builder, text)
	}
	counter := count.Counter{Exec: count.Run, Temp: builder.Scratch(), Cache: a.o.count.cycles}
	counted := make(map[string]bool)
	return measuredBenchmarks(rec, func(i int, b result.Benchmark, side int) error {
		id := fmt.Sprintf("%s\x00%s\x00%d", b.Pkg, b.Name, side)
		if counted[id] {
			return nil // another GOMAXPROCS: the count is made with one
		}
		counted[id] = true
		a.live.Update(report.Progress{Index: i + 1, Total: len(rec.Benchmarks), Name: b.Name, Phase: "counting", Ratio: math.NaN()})
		lines, err := a.countOne(ctx, counter, sides[side], why[side], i, b, side)
		if ctx.Err() != nil {
			return nil // interrupted: what there is stays
		}
		if err != nil {
			return a.find(finding.Finding{
				ID: "count-failed", Severity: finding.Warning, Subject: b.Name,
				Message: fmt.Sprintf("instructions of %s were not counted: %s", rec.Study.Variants[side].Label, firstLines(err.Error(), 3)),
				Action:  "run its counting build by hand, or leave -count-instructions out for it",
			})
		}
		for _, l := range lines {
			if err := a.folder.Write(l); err != nil {
				return err
			}
		}
		return nil
	})
}

func (a afterwards) countOne(ctx context.Context, counter count.Counter, side *variant.Variant, why error, i int, b result.Benchmark, number int) ([]result.Line, error) {
	if why != nil {
		return nil, why
	}
	bin, err := side.Build(ctx, b.Pkg, 0)
	if err != nil {
		return nil, err
	}
	if !bin.Overlaid && side.Spec.Bin == "" {
		return nil, errors.New(bin.WhyNot)
	}
	in, err := counter.Instructions(ctx, count.Target{Binary: bin.Path, Dir: bin.Dir, Env: bin.Env, Args: a.o.args, Benchmark: b.Name, Timeout: a.o.timeout})
	if err != nil {
		return nil, err
	}
	return count.Lines(i, number, in), nil
}

func (a afterwards) countingVariant(ctx context.Context, b *variant.Builder, text string) (*variant.Variant, error) {
	spec, err := variant.Parse(text)
	if err != nil {
		return nil, err
	}
	if spec.Bin == "" {
		spec.Tags = append(spec.Tags, count.Tag)
	}
	v, err := b.Open(ctx, spec)
	if err != nil {
		return nil, err
	}
	_, err = v.Packages(ctx, a.patterns...)
	return v, err
}

func firstLines(s string, n int) string {
	lines := strings.SplitN(strings.TrimSpace(s), "\n", n+1)
	return strings.Join(lines[:min(n, len(lines))], " / ")
}

// binary is the plain binary of a side, as the study used it.
func (a afterwards) binary(pkg string, side int) (variant.Binary, bool) {
	s, ok := a.built.sources[side].(*source)
	if !ok {
		return variant.Binary{}, false
	}
	return s.base(pkg)
}
