package session

import (
	"context"
	"fmt"
	"slices"

	"github.com/tarebench/tare/cmd/tare/internal/build"
	"github.com/tarebench/tare/cmd/tare/internal/judge"
	"github.com/tarebench/tare/cmd/tare/internal/kind"
	"github.com/tarebench/tare/cmd/tare/internal/lintdriver"
	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/internal/finding"
)

// findDeletedWork looks at the machine code of benchmarks that take less than a clock
// cycle, and puts on record what is left of their work. It builds them once
// more, with debug information. What cannot be built or read gets no finding,
// for the suspicion stands without it.
func (s *Session) findDeletedWork(ctx context.Context) error {
	for v := range s.rec.Study.Variants {
		var suspects []result.Benchmark
		for _, b := range s.rec.Benchmarks {
			if slices.ContainsFunc(judge.Suspicions(b, v, judge.Cycle(s.rec.Study.Machine)), kind.BelowOneCycle.Is) {
				suspects = append(suspects, b)
			}
		}
		if len(suspects) == 0 || ctx.Err() != nil {
			continue
		}
		for _, f := range s.deletedWork(ctx, s.spec.Variants[v], suspects) {
			if err := s.addFinding(f); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *Session) deletedWork(ctx context.Context, spec build.Spec, suspects []result.Benchmark) (proofs []finding.Finding) {
	builder := &build.Builder{Dir: s.spec.Dir, Debug: true, Plain: true, Flags: TagFlags(s.spec.Tags)}
	defer builder.Close()
	side, err := builder.Open(ctx, spec)
	if err != nil {
		return nil
	}
	packages, err := side.Packages(ctx, s.spec.Packages...)
	if err != nil {
		return nil
	}
	for _, b := range suspects {
		if i := slices.IndexFunc(packages, func(p build.Package) bool { return p.Path == b.Pkg }); i >= 0 {
			if f, ok := judge.Misuse(packages[i].Dir, b.Name); ok {
				proofs = append(proofs, f) // its machine code is irrelevant
				continue
			}
		}
		bin, err := side.Build(ctx, b.Pkg, 0)
		if err != nil {
			continue
		}
		proof, err := lintdriver.BenchmarkWork(bin.Path, b.Pkg, b.Name)
		if err != nil {
			continue
		}
		if len(proof.Mistakes) > 0 {
			for _, m := range proof.Mistakes {
				proofs = append(proofs, kind.Mistake.Of(b.Name, finding.Text("mistake", m.Message), finding.Text("check", m.Check), finding.Text("variant", spec.Label)))
			}
			continue
		}
		proofs = append(proofs, kind.Proof.Of(b.Name, finding.Text("variant", spec.Label), finding.Text("proof", fmt.Sprint(proof))))
	}
	return proofs
}

// benchmarksWithMistakes are the benchmarks whose source shows why they take no time.
func benchmarksWithMistakes(rec *result.Recording) map[string]bool {
	names := make(map[string]bool)
	for _, f := range rec.Findings {
		if kind.ResetInLoop.Is(f) || kind.NoLoop.Is(f) {
			names[f.Subject] = true
		}
	}
	return names
}

// withoutDeletionSuspicion drops the suspicion that the compiler deleted the work.
func withoutDeletionSuspicion(findings []finding.Finding) []finding.Finding {
	return slices.DeleteFunc(slices.Clone(findings), kind.BelowOneCycle.Is)
}
