package study

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/words"
	"github.com/tarebench/tare/internal/finding"
)

// Recorded is the recording of a part, with the name that the user gave it.
type Recorded struct {
	Name      string
	Recording *result.Recording
}

func (r Recorded) part() *result.Part { return r.Recording.Study.Part }

// Merge makes the lines of one recording from all parts of a study, in the
// order of their numbers. Command is the command line of the user. It rejects
// recordings that are not parts, did not end, overlap, or belong to different
// studies. It also rejects an incomplete set of parts.
func Merge(parts []Recorded, command []string) ([]result.Line, error) {
	if err := check(parts); err != nil {
		return nil, fmt.Errorf("merge parts: %w", err)
	}
	parts = slices.Clone(parts)
	slices.SortFunc(parts, func(a, b Recorded) int { return cmp.Compare(a.part().Number, b.part().Number) })
	m := merged{from: make(map[result.Key]string), read: make(map[finding.Reading]bool)}
	for machine, p := range parts {
		if err := m.add(machine, p); err != nil {
			return nil, fmt.Errorf("merge parts: %w", err)
		}
	}
	return m.lines(head(parts, command)), nil
}

func head(parts []Recorded, command []string) result.Study {
	h := parts[0].Recording.Study
	h.Part, h.Command, h.Machine = nil, command, nil
	for _, p := range parts {
		if at := p.Recording.Study.Created; at.Before(h.Created) {
			h.Created = at
		}
	}
	return h
}

// merged are the lines of the whole, in the order in which it has them.
type merged struct {
	machines, benchmarks, findings, blocks, rest []result.Line

	from       map[result.Key]string // the part with a benchmark
	sameCode   int
	read       map[finding.Reading]bool
	production *result.Production
	seconds    float64
}

func (m *merged) add(machine int, p Recorded) error {
	rec := p.Recording
	of := result.Machine{}
	if rec.Study.Machine != nil {
		of = *rec.Study.Machine
	}
	of.Name = fmt.Sprintf("part %d", p.part().Number)
	m.machines = append(m.machines, result.Line{Machine: &of})
	stops := make(map[int]result.Stop)
	for _, s := range rec.Stops {
		stops[s.Benchmark] = s
	}
	here := make(map[int]int) // a benchmark's index in the whole, by its index in the part
	for i, b := range rec.Benchmarks {
		if other, known := m.from[b.Key]; known {
			return fmt.Errorf("%s is in %s and in %s: the parts come from different lists of benchmarks: measure both again", b.Name, other, p.Name)
		}
		at := len(m.benchmarks)
		here[i], m.from[b.Key] = at, p.Name
		blocks := b.Blocks
		b.Blocks = nil // lines of their own
		m.benchmarks = append(m.benchmarks, result.Line{Benchmark: &b})
		if b.Pilot != nil {
			plan := *b.Pilot
			plan.Benchmark = at
			m.blocks = append(m.blocks, result.Line{Pilot: &plan})
		}
		for _, k := range blocks {
			k.Benchmark, k.Machine = at, machine
			m.blocks = append(m.blocks, result.Line{Block: &k})
		}
		if s, ok := stops[i]; ok {
			s.Benchmark = at
			m.blocks = append(m.blocks, result.Line{Stop: &s})
			if s.Reason == result.SameCode {
				m.sameCode++
			}
		}
	}
	for _, f := range rec.Findings {
		if r := f.Reading(); !m.read[r] {
			m.findings, m.read[r] = append(m.findings, result.Line{Finding: &f}), true
		}
	}
	for _, c := range rec.Counts {
		c.Benchmark = here[c.Benchmark]
		m.rest = append(m.rest, result.Line{Count: &c})
	}
	for _, c := range rec.Changed {
		c.Sampled, c.Benchmarks = slices.Clone(c.Sampled), slices.Clone(c.Benchmarks)
		for i := range c.Benchmarks {
			c.Benchmarks[i] = here[c.Benchmarks[i]]
		}
		for i := range c.Sampled {
			c.Sampled[i].Benchmark = here[c.Sampled[i].Benchmark]
		}
		m.rest = append(m.rest, result.Line{Changed: &c})
	}
	m.production = cmp.Or(m.production, rec.Production)
	m.seconds = max(m.seconds, rec.End.Seconds)
	return nil
}

func (m *merged) lines(head result.Study) []result.Line {
	head.Family = (len(m.benchmarks) - m.sameCode) * max(1, len(head.Variants)-1)
	if m.production != nil {
		m.rest = append(m.rest, result.Line{Production: m.production})
	}
	end := &result.End{Seconds: m.seconds}
	return slices.Concat([]result.Line{{Study: &head}}, m.machines, m.benchmarks, m.findings, m.blocks, m.rest, []result.Line{{End: end}})
}

// check rejects parts that cannot be merged.
func check(parts []Recorded) error {
	for _, p := range parts {
		study := p.Recording.Study
		if study.Part == nil {
			return fmt.Errorf("%s is a whole study, not a part: measure parts with tare compare -shard", p.Name)
		}
		if q := p.part(); q.Number < 1 || q.Number > q.Of || q.Of > mostParts {
			return fmt.Errorf("%s is part %d of %d, which is impossible", p.Name, q.Number, q.Of)
		}
		if end := p.Recording.End; end == nil || end.Interrupted {
			return fmt.Errorf("%s did not finish: resume it on its machine (its command line with tare compare -resume FOLDER), or measure the part again", p.Name)
		}
		if err := differ(parts[0], p); err != nil {
			return err
		}
	}
	return complete(parts)
}

func complete(parts []Recorded) error {
	names := make(map[int]string)
	for _, p := range parts {
		n := p.part().Number
		if other, twice := names[n]; twice {
			return fmt.Errorf("part %d is given twice, %s and %s: remove one of them", n, other, p.Name)
		}
		names[n] = p.Name
	}
	first := parts[0]
	var missing []string
	for n := 1; n <= first.part().Of; n++ {
		if names[n] == "" {
			missing = append(missing, fmt.Sprintf("%d/%d", n, first.part().Of))
		}
	}
	if len(missing) == 0 {
		return nil
	}
	return fmt.Errorf("the parts %s are missing: measure them like %s (%s), each with its -shard",
		strings.Join(missing, ", "), first.Name, words.Shell(first.Recording.Study.Command))
}
