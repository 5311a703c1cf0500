package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/tarebench/tare/finding"
	"github.com/tarebench/tare/internal/prove"
	"github.com/tarebench/tare/internal/result"
	"github.com/tarebench/tare/internal/suspect"
	"github.com/tarebench/tare/internal/variant"
)

// prove looks at the machine code of benchmarks that take less than a clock
// cycle, and says what is left of their work. It builds them once more, with
// debug information; what cannot be built or read is left unsaid, for the
// suspicion stands without it.
func (a afterwards) prove(ctx context.Context, rec *result.Recording) []finding.Finding {
	var out []finding.Finding
	for v := range rec.Study.Variants {
		var suspects []result.Benchmark
		for i, b := range rec.Benchmarks {
			rounds, _ := rec.Of(i)
			below := func(f finding.Finding) bool { return f.ID == "below-one-cycle" }
			if slices.ContainsFunc(suspect.Suspicions(b, rounds, v, suspect.Cycle(rec.Study.Machine)), below) {
				suspects = append(suspects, b)
			}
		}
		if len(suspects) > 0 {
			out = append(out, a.proveSide(ctx, v, rec.Study.Variants[v].Label, suspects)...)
		}
	}
	return out
}

func (a afterwards) proveSide(ctx context.Context, v int, label string, suspects []result.Benchmark) []finding.Finding {
	b := &variant.Builder{Dir: a.dir, Debug: true, Plain: true}
	defer b.Close()
	if len(a.o.tags) > 0 {
		b.Flags = []string{"-tags=" + strings.Join(a.o.tags, ",")}
	}
	spec, err := variant.Parse(a.specs[v])
	if err != nil {
		return nil
	}
	side, err := b.Open(ctx, spec)
	if err != nil {
		return nil
	}
	if _, err := side.Packages(ctx, a.patterns...); err != nil {
		return nil
	}
	var out []finding.Finding
	for _, s := range suspects {
		bin, err := side.Build(ctx, s.Pkg, 0)
		if err != nil {
			continue
		}
		proof, err := prove.Benchmark(bin.Path, s.Pkg, s.Name)
		if err != nil {
			continue
		}
		f := finding.Finding{ID: "proof", Severity: finding.Info, Subject: s.Name, Message: fmt.Sprintf("the machine code of %s: %s", label, proof)}
		if !slices.ContainsFunc(out, func(o finding.Finding) bool { return o.Message == f.Message && o.Subject == f.Subject }) {
			out = append(out, f)
		}
	}
	return out
}
