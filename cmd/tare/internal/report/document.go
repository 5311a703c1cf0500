package report

import (
	"slices"

	"github.com/tarebench/tare/cmd/tare/internal/benchtab"
	"github.com/tarebench/tare/cmd/tare/internal/result"
)

// Document is the content of a report. Comparison or Run is set, not both. A
// Recording alone has no judged table.
type Document struct {
	Comparison *result.Comparison
	Run        *result.Run
	// Recording has the rounds of the table, if there are any.
	Recording *result.Recording
	// Samples are the values of the table if there is no recording: the lines
	// of benchmark files, in their order.
	Samples []Sample
	// Command makes the document again.
	Command []string
	// Exit is the exit code of the command.
	Exit int
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

// Value returns the comparison or the run.
func (d Document) Value() any {
	if d.Comparison != nil {
		return d.Comparison.Document()
	}
	return d.Run.Document()
}

// Variants returns the variants of the comparison or the run.
func (d Document) Variants() []result.Variant {
	switch {
	case d.Comparison != nil:
		return d.Comparison.Variants
	case d.Run != nil:
		return d.Run.Variants
	}
	return nil
}

// Title returns a title from the labels of the variants.
func (d Document) Title() string {
	v := slices.Clone(d.Variants())
	for i := range v {
		if v[i].Label == "." {
			v[i].Label = "working tree"
		}
	}
	switch {
	case d.Comparison != nil && len(v) == 2:
		return v[1].Label + " against " + v[0].Label
	case len(v) == 1 && v[0].Label == "working tree":
		return "Benchmarks of the working tree"
	case len(v) == 1 && v[0].Label != "":
		return "Benchmarks of " + v[0].Label
	}
	return "Benchmarks"
}

// delta returns the relative change below which two variants are the same.
func (d Document) delta() float64 {
	if d.Comparison != nil {
		return d.Comparison.Delta
	}
	return 0
}

// Config returns the configuration that all rows share.
func (d Document) Config() map[string]string {
	if d.Comparison != nil {
		return d.Comparison.Config
	}
	return d.Run.Config
}

// Machine returns the machine that measured the document, or nil if it is not
// known.
func (d Document) Machine() *result.Machine {
	if d.Comparison != nil {
		return d.Comparison.Machine
	}
	return d.Run.Machine
}

// Incomplete reports whether the measurement was interrupted.
func (d Document) Incomplete() bool {
	if d.Comparison != nil {
		return d.Comparison.Incomplete
	}
	return d.Run.Incomplete
}

// FilesDocument returns the document of files, with the evidence: the blocks of
// one recording, otherwise the values of the tables.
func FilesDocument(c *result.Comparison, r *result.Run, recording *result.Recording, tables *benchtab.Tables) Document {
	d := Document{Comparison: c, Run: r, Recording: recording}
	if tables == nil {
		return d
	}
	if c != nil {
		foldComparedRates(c)
	}
	if r != nil {
		foldMeasuredRates(r)
	}
	for _, table := range tables.Tables {
		config := tables.OwnConfig(table)
		for _, row := range table.Rows {
			for i, cell := range row.Cells {
				if cell == nil || cell.Values == nil {
					continue
				}
				d.Samples = append(d.Samples, Sample{
					Key: row.Key, Row: row.OwnLabel(), Config: config,
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
}
