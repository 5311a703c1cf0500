package part

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/internal/finding"
)

// Recorded is the recording of a part, by the name that the user gave it.
type Recorded struct {
	Name      string
	Recording *result.Recording
}

func (r Recorded) part() *result.Part { return r.Recording.Study.Request.Part }

// Merge makes the lines of one recording of all parts of a study, in the order
// of their numbers. Command is what the user typed. It refuses what is no part,
// parts that did not end, that are of different studies, that overlap, and
// parts that are not all there.
func Merge(parts []Recorded, command []string) ([]result.Line, error) {
	if err := check(parts); err != nil {
		return nil, fmt.Errorf("merge parts: %w", err)
	}
	parts = slices.Clone(parts)
	slices.SortFunc(parts, func(a, b Recorded) int { return cmp.Compare(a.part().Number, b.part().Number) })
	m := merged{index: make(map[result.Key]int), stops: make(map[int]result.Stop)}
	for machine, p := range parts {
		if err := m.add(machine, p); err != nil {
			return nil, fmt.Errorf("merge parts: %w", err)
		}
	}
	return m.lines(head(parts, command)), nil
}

// head is the study line of the whole, but for its family.
func head(parts []Recorded, command []string) result.Study {
	h := parts[0].Recording.Study
	request := *h.Request
	h.Once = request.Part.By == result.ByBlock
	request.Part = nil
	h.Request, h.Command, h.Machine = &request, command, nil
	for _, p := range parts {
		if at := p.Recording.Study.Created; at.Before(h.Created) {
			h.Created = at
		}
	}
	return h
}

// merged is what the parts have, so far.
type merged struct {
	machines   []result.Machine
	benchmarks []result.Benchmark
	index      map[result.Key]int
	from       []string // the part that a benchmark was first seen in
	stops      map[int]result.Stop
	findings   []finding.Finding
	counts     []result.Count
	seconds    float64
}

func (m *merged) add(machine int, p Recorded) error {
	rec, by := p.Recording, p.part().By
	of := result.Machine{}
	if rec.Study.Machine != nil {
		of = *rec.Study.Machine
	}
	of.Name = fmt.Sprintf("part %d", p.part().Number)
	m.machines = append(m.machines, of)
	here := make(map[int]int) // index in the whole of a benchmark of the part
	for i, b := range rec.Benchmarks {
		at, known := m.index[b.Key]
		switch {
		case known && by == result.ByBenchmark:
			return fmt.Errorf("%s is in %s and in %s: the parts were not cut from the same list of benchmarks; measure both again", b.Name, m.from[at], p.Name)
		case !known:
			at = len(m.benchmarks)
			m.index[b.Key] = at
			m.from = append(m.from, p.Name)
			m.benchmarks = append(m.benchmarks, result.Benchmark{Key: b.Key, Missing: b.Missing, Loop: b.Loop, Looked: b.Looked})
		case !slices.Equal(m.benchmarks[at].Missing, b.Missing):
			return fmt.Errorf("%s is not on the same sides in %s and in %s: measure both again", b.Name, m.from[at], p.Name)
		}
		here[i] = at
		if err := m.benchmark(at, machine, b); err != nil {
			return fmt.Errorf("%s: %w", p.Name, err)
		}
	}
	for _, s := range rec.Stops {
		s.Benchmark = here[s.Benchmark]
		if before, known := m.stops[s.Benchmark]; !known || rank(s.Reason) < rank(before.Reason) {
			m.stops[s.Benchmark] = s
		}
	}
	for _, f := range rec.Findings {
		if !slices.ContainsFunc(m.findings, f.Same) {
			m.findings = append(m.findings, f)
		}
	}
	if machine == 0 || by == result.ByBenchmark { // counts are the same everywhere
		for _, c := range rec.Counts {
			c.Benchmark = here[c.Benchmark]
			m.counts = append(m.counts, c)
		}
	}
	m.seconds = max(m.seconds, rec.End.Seconds)
	return nil
}

// benchmark adds the plan and the blocks that a part has of a benchmark.
func (m *merged) benchmark(at, machine int, b result.Benchmark) error {
	whole := &m.benchmarks[at]
	whole.LinkSets = max(whole.LinkSets, b.LinkSets)
	if b.Plan != nil && whole.Plan == nil {
		plan := *b.Plan
		plan.Benchmark = at
		whole.Plan = &plan
	}
	for _, k := range b.Blocks {
		k.Benchmark, k.Machine = at, machine
		i, found := slices.BinarySearchFunc(whole.Blocks, k.Block, func(x result.Block, number int) int { return x.Block - number })
		if found {
			return fmt.Errorf("block %d of %s is in another part too: leave one of them out", k.Block, b.Name)
		}
		whole.Blocks = slices.Insert(whole.Blocks, i, k)
	}
	return nil
}

// reasons are those to stop, by how much they say about a benchmark of which
// parts say different things.
var reasons = []string{"failed", "interrupted", "skipped", "one side only", "budget", "blocks", "decided", result.SameCode}

func rank(reason string) int {
	if i := slices.Index(reasons, reason); i >= 0 {
		return i
	}
	return len(reasons)
}

// lines lay out the whole.
func (m *merged) lines(head result.Study) []result.Line {
	sameCode := 0
	for _, s := range m.stops {
		if s.Reason == result.SameCode {
			sameCode++
		}
	}
	head.Family = (len(m.benchmarks) - sameCode) * max(1, len(head.Variants)-1)
	out := []result.Line{{Study: &head}}
	for i := range m.machines {
		out = append(out, result.Line{Machine: &m.machines[i]})
	}
	for i := range m.benchmarks {
		out = append(out, result.Line{Benchmark: &m.benchmarks[i]})
	}
	for i := range m.findings {
		out = append(out, result.Line{Finding: &m.findings[i]})
	}
	for i := range m.benchmarks {
		b := &m.benchmarks[i]
		if b.Plan != nil {
			out = append(out, result.Line{Plan: b.Plan})
		}
		for k := range b.Blocks {
			out = append(out, result.Line{Block: &b.Blocks[k]})
		}
		if s, ok := m.stops[i]; ok {
			out = append(out, result.Line{Stop: &s})
		}
	}
	for i := range m.counts {
		out = append(out, result.Line{Count: &m.counts[i]})
	}
	return append(out, result.Line{End: &result.End{Seconds: m.seconds}})
}

// check refuses what cannot be put together.
func check(parts []Recorded) error {
	for _, p := range parts {
		study := p.Recording.Study
		if study.Request == nil || study.Request.Part == nil {
			return fmt.Errorf("%s is a whole study, no part of one: tare shard measures parts", p.Name)
		}
		if q := p.part(); q.Number < 1 || q.Number > q.Of || q.By != result.ByBenchmark && q.By != result.ByBlock {
			return fmt.Errorf("%s is part %d of %d by %q, which a newer tare may know", p.Name, q.Number, q.Of, q.By)
		}
		if end := p.Recording.End; end == nil || end.Interrupted {
			return fmt.Errorf("%s did not measure to its end: go on on its machine with tare compare -resume FOLDER, or measure the part again", p.Name)
		}
		if err := differ(parts[0], p); err != nil {
			return err
		}
	}
	return complete(parts)
}

// complete refuses parts that are there twice or not at all.
func complete(parts []Recorded) error {
	names := make(map[int]string)
	for _, p := range parts {
		n := p.part().Number
		if other, twice := names[n]; twice {
			return fmt.Errorf("part %d is there twice, %s and %s: leave one of them out", n, other, p.Name)
		}
		names[n] = p.Name
	}
	first := parts[0]
	var missing, flags []string
	for n := 1; n <= first.part().Of; n++ {
		if names[n] == "" {
			missing, flags = append(missing, fmt.Sprint(n)), append(flags, fmt.Sprintf("-n %d", n))
		}
	}
	if len(missing) == 0 {
		return nil
	}
	are, parts_ := "is", "part"
	if len(missing) > 1 {
		are, parts_ = "are", "parts"
	}
	return fmt.Errorf("%s %s of %d %s missing: measure them as %s was (%s), with %s",
		parts_, strings.Join(missing, ", "), first.part().Of, are, first.Name, strings.Join(first.Recording.Study.Command, " "), strings.Join(flags, ", "))
}
