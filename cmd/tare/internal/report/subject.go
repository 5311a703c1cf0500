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

func subjectOf(k result.Key, row string, config map[string]string) Subject {
	return Subject{k, row, configKey(config)}
}

// SubjectOf returns the subject of a row.
func SubjectOf(b *result.BenchmarkComparison) Subject { return subjectOf(b.Key, b.Row, b.Config) }

// Name returns the Subject as a row shows it.
func (s Subject) Name() string { return words.RowName(s.Key, s.row) }

// Subjects returns the subjects of a document in its order.
func (d Document) Subjects() []Subject {
	var all []Subject
	seen := make(map[Subject]bool)
	for i := range d.Comparison.Benchmarks {
		if s := SubjectOf(&d.Comparison.Benchmarks[i]); !seen[s] {
			seen[s] = true
			all = append(all, s)
		}
	}
	return all
}
