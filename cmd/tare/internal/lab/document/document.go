// Package document reads the JSON of tare.
package document

import (
	"encoding/json"

	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/internal/finding"
)

// Read reads JSON that tare wrote: a table or another document.
func Read(data []byte, into any) error {
	if err := json.Unmarshal(data, into); err != nil {
		return err
	}
	switch d := into.(type) {
	case *result.Comparison:
		d.Benchmarks = nil
		return rows(data, func(b benchmark, u json.RawMessage) error {
			row := result.BenchmarkComparison{Key: b.Key, Row: b.Row, Config: b.Config, Tests: b.Tests, Findings: b.findings}
			d.Benchmarks = append(d.Benchmarks, row)
			return json.Unmarshal(u, &d.Benchmarks[len(d.Benchmarks)-1])
		})
	}
	return nil
}

type benchmark struct {
	result.Key
	Row, Tests string
	Config     map[string]string
	Units      []json.RawMessage
	findings   []finding.Finding // of the first unit
}

// rows calls add for each unit of each benchmark.
func rows(data []byte, add func(benchmark, json.RawMessage) error) error {
	var d struct {
		Benchmarks []benchmark
		Findings   []struct {
			finding.Finding
			Benchmark *int
		}
	}
	if err := json.Unmarshal(data, &d); err != nil {
		return err
	}
	for _, f := range d.Findings {
		if f.Benchmark != nil {
			b := &d.Benchmarks[*f.Benchmark]
			b.findings = append(b.findings, f.Finding)
		}
	}
	for _, b := range d.Benchmarks {
		for _, u := range b.Units {
			if err := add(b, u); err != nil {
				return err
			}
			b.findings = nil
		}
	}
	return nil
}
