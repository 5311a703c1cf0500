package report

import (
	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/words"
)

// Subject is the benchmark of a row, in any unit, with the properties that
// distinguish it from others of its name (tare stat -row, -table).
type Subject struct {
	result.Key
	row, config string
}

// subjectOf returns the subject of a row.
func subjectOf(k result.Key, row string, config map[string]string) Subject {
	return Subject{k, row, configKey(config)}
}

// ComparedSubject returns the subject of a row of a comparison.
func ComparedSubject(b *result.BenchmarkComparison) Subject { return subjectOf(b.Key, b.Row, b.Config) }

// MeasuredSubject returns the subject of a row of a run.
func MeasuredSubject(m *result.Measurement) Subject { return subjectOf(m.Key, m.Row, m.Config) }

// Name returns the Subject as a row shows it.
func (s Subject) Name() string { return words.RowName(s.Key, s.row) }

// Subjects returns the subjects of a document in its order.
func (d Document) Subjects() []Subject {
	var all []Subject
	seen := make(map[Subject]bool)
	add := func(s Subject) {
		if !seen[s] {
			seen[s] = true
			all = append(all, s)
		}
	}
	if c := d.Comparison; c != nil {
		for i := range c.Benchmarks {
			add(ComparedSubject(&c.Benchmarks[i]))
		}
	} else {
		for i := range d.Run.Benchmarks {
			add(MeasuredSubject(&d.Run.Benchmarks[i]))
		}
	}
	return all
}
