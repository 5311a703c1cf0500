package result

import (
	"fmt"

	"github.com/tarebench/tare/internal/finding"
)

// documentSchema is the version of the JSON of a [Comparison]: each
// benchmark once, with a list of its units, and all findings in one list.
const documentSchema = 2

// document contains the fields that JSON has in another form than the struct.
type document struct {
	Schema     int             `json:"schema"`
	Variants   []Variant       `json:"variants"`
	Benchmarks []benchmarkJSON `json:"benchmarks"`
	Findings   []findingJSON   `json:"findings"`
}

type benchmarkJSON struct {
	subject
	Units []BenchmarkComparison `json:"units"`
}

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

// Document returns the table as [WriteJSON] writes it: the benchmarks in the order
// of their first rows, and all findings.
func (c *Comparison) Document() any {
	Possible(c)
	type fields Comparison
	type rest struct{ *fields } // below document, whose fields are written
	d := document{documentSchema, c.Variants, []benchmarkJSON{}, []findingJSON{}}
	type about struct {
		benchmark *int
		finding.Reading
	}
	read := make(map[about]bool)
	add := func(benchmark *int, list []finding.Finding) {
		for _, f := range list {
			if r := (about{benchmark, f.Reading()}); !read[r] {
				d.Findings, read[r] = append(d.Findings, findingJSON{f, benchmark}), true
			}
		}
	}
	add(nil, c.Findings)
	index := make(map[string]*int)
	for _, r := range c.Benchmarks {
		name := fmt.Sprintf("%q", []any{r.Pkg, r.Name, r.Procs, r.Row, r.Config})
		at := index[name]
		if at == nil {
			at = new(len(d.Benchmarks))
			index[name] = at
			d.Benchmarks = append(d.Benchmarks, benchmarkJSON{subject: subject{r.Key, r.Row, r.Config, r.Tests}})
		}
		d.Benchmarks[*at].Units = append(d.Benchmarks[*at].Units, r)
		add(at, r.Findings)
	}
	return struct {
		document
		rest
	}{d, rest{(*fields)(c)}}
}
