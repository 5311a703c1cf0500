package report

import (
	"slices"

	"github.com/tarebench/tare/cmd/tare/internal/benchtab"
	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/words"
)

// Document is the content of a report.
type Document struct {
	Comparison *result.Comparison
	// Recording has the rounds of the table, if there are any.
	Recording *result.Recording
	// Samples are the values of the table if there is no recording: the lines
	// of benchmark files, in their order.
	Samples []Sample
	// Command makes the document again.
	Command []string
	// Exit is the exit code of the command.
	Exit int
	// ByChange has the rows with the greatest changes first.
	ByChange bool
}

// Sample has the measurements of one benchmark, unit and variant, in the base
// unit and in the order they were taken. Row and Config are from its row.
type Sample struct {
	result.Key
	Row     string
	Config  map[string]string
	Unit    string
	Variant int
	Values  []float64
}

// Title returns a title from the labels of the variants.
func (d Document) Title() string {
	v := slices.Clone(d.Comparison.Variants)
	for i := range v {
		if v[i].Label == "." {
			v[i].Label = "working tree"
		}
	}
	switch {
	case len(v) == 2:
		return v[1].Label + " against " + v[0].Label
	case len(v) == 1 && v[0].Label == "working tree":
		return "Benchmarks of the working tree"
	case len(v) == 1 && v[0].Label != "":
		return "Benchmarks of " + v[0].Label
	}
	return "Benchmarks"
}

// FilesDocument returns the document of files, with the evidence: the blocks of
// one recording, otherwise the values of the tables.
func FilesDocument(c *result.Comparison, recording *result.Recording, tables *benchtab.Tables) Document {
	d := Document{Comparison: c, Recording: recording}
	if tables == nil {
		return d
	}
	foldRates(c)
	for _, table := range tables.Tables {
		for _, row := range table.Rows {
			for i, cell := range row.Cells {
				if cell == nil || cell.Values == nil {
					continue
				}
				d.Samples = append(d.Samples, Sample{
					Key: row.Key, Row: row.OwnLabel(), Config: table.Config,
					Unit: table.Unit, Variant: table.Columns[i], Values: cell.Values,
				})
			}
		}
	}
	return d
}

// Options are the reader's settings of a report.
type Options struct {
	// Color allows ANSI colors. The caller has checked the terminal and
	// NO_COLOR.
	Color bool
	// Width is the width of the terminal in columns. 0 means unlimited.
	Width int
	// Verbose adds p, adjusted p and blocks to the rows of a comparison.
	Verbose bool
	// Quiet leaves all but the tables and the number of verdicts out.
	Quiet bool
}

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
