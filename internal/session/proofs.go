package session

import (
	"context"
	"fmt"
	"slices"

	"github.com/tarebench/tare/finding"
	"github.com/tarebench/tare/internal/kind"
	"github.com/tarebench/tare/internal/prove"
	"github.com/tarebench/tare/internal/result"
	"github.com/tarebench/tare/internal/suspect"
	"github.com/tarebench/tare/internal/variant"
)

// prove looks at the machine code of benchmarks that take less than a clock
// cycle, and puts on record what is left of their work. It builds them once
// more, with debug information. What cannot be built or read gets no finding,
// for the suspicion stands without it.
func (s *Session) prove(ctx context.Context) error {
	for v := range s.rec.Study.Variants {
		var suspects []result.Benchmark
		for _, b := range s.rec.Benchmarks {
			if slices.ContainsFunc(suspect.Suspicions(b, v, suspect.Cycle(s.rec.Study.Machine)), kind.BelowOneCycle.Is) {
				suspects = append(suspects, b)
			}
		}
		if len(suspects) == 0 || ctx.Err() != nil {
			continue
		}
		for _, f := range s.proveSide(ctx, s.spec.Variants[v], suspects) {
			if err := s.find(f); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *Session) proveSide(ctx context.Context, spec variant.Spec, suspects []result.Benchmark) (proofs []finding.Finding) {
	b := &variant.Builder{Dir: s.spec.Dir, Debug: true, Plain: true, Flags: tagFlags(s.spec.Tags)}
	defer b.Close()
	side, err := b.Open(ctx, spec)
	if err != nil {
		return nil
	}
	if _, err := side.Packages(ctx, s.spec.Packages...); err != nil {
		return nil
	}
	for _, suspect := range suspects {
		bin, err := side.Build(ctx, suspect.Pkg, 0)
		if err != nil {
			continue
		}
		proof, err := prove.Benchmark(bin.Path, suspect.Pkg, suspect.Name)
		if err != nil {
			continue
		}
		proofs = append(proofs, kind.Proof.Of(suspect.Name, finding.Text("variant", spec.Label), finding.Text("proof", fmt.Sprint(proof))))
	}
	return proofs
}
