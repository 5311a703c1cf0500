package result

import (
	"fmt"
	"slices"

	"github.com/tarebench/tare/internal/finding"
)

// documentSchema is the version of the JSON of a [Comparison] and a [Run]: each
// benchmark once, with a list of its units, and all findings in one list.
const documentSchema = 2

// document contains the fields that JSON has in another form than the struct.
type document[R any] struct {
	Schema     int                `json:"schema"`
	Variants   []Variant          `json:"variants"`
	Benchmarks []benchmarkJSON[R] `json:"benchmarks"`
	Findings   []findingJSON      `json:"findings"`
}

type benchmarkJSON[R any] struct {
	subject
	Units []R `json:"units"`
}

// subject is the part that all rows of a benchmark share.
type subject struct {
	Key
	Row    string            `json:"row,omitempty"`
	Config map[string]string `json:"config,omitempty"`
	Tests  string            `json:"tests,omitempty"`
}

// findingJSON is a finding, with the index of the benchmark that it is about.
type findingJSON struct {
	finding.Finding
	Benchmark *int `json:"benchmark,omitempty"`
}

func (b *BenchmarkComparison) parts() (subject, *[]finding.Finding) {
	return subject{b.Key, b.Row, b.Config, b.Tests}, &b.Findings
}

func (m *Measurement) parts() (subject, *[]finding.Finding) {
	return subject{m.Key, m.Row, m.Config, ""}, &m.Findings
}

// group returns the benchmarks of some rows, in the order of their first rows,
// and all findings.
func group[R any, P interface {
	*R
	parts() (subject, *[]finding.Finding)
}](variants []Variant, rows []R, findings []finding.Finding) document[R] {
	d := document[R]{documentSchema, variants, []benchmarkJSON[R]{}, []findingJSON{}}
	add := func(benchmark *int, list []finding.Finding) {
		for _, f := range list {
			if !slices.ContainsFunc(d.Findings, func(g findingJSON) bool { return g.Benchmark == benchmark && g.Same(f) }) {
				d.Findings = append(d.Findings, findingJSON{f, benchmark})
			}
		}
	}
	add(nil, findings)
	index := make(map[string]*int)
	for i := range rows {
		s, found := P(&rows[i]).parts()
		name := fmt.Sprintf("%q", []any{s.Pkg, s.Name, s.Procs, s.Row, s.Config})
		at := index[name]
		if at == nil {
			at = new(len(d.Benchmarks))
			index[name] = at
			d.Benchmarks = append(d.Benchmarks, benchmarkJSON[R]{subject: s})
		}
		d.Benchmarks[*at].Units = append(d.Benchmarks[*at].Units, rows[i])
		add(at, *found)
	}
	return d
}

// Document returns the comparison as [WriteJSON] writes it.
func (c *Comparison) Document() any {
	type fields Comparison
	type rest struct{ *fields } // below document, whose fields are written
	return struct {
		document[BenchmarkComparison]
		rest
	}{group(c.Variants, c.Benchmarks, c.Findings), rest{(*fields)(c)}}
}

// Document returns the run as [WriteJSON] writes it.
func (r *Run) Document() any {
	type fields Run
	type rest struct{ *fields }
	return struct {
		document[Measurement]
		rest
	}{group(r.Variants, r.Benchmarks, r.Findings), rest{(*fields)(r)}}
}
