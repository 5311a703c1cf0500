package benchtab

import (
	"slices"

	"golang.org/x/perf/benchfmt"

	"github.com/tarebench/tare/cmd/tare/internal/catalog"
	"github.com/tarebench/tare/cmd/tare/internal/judge"
	"github.com/tarebench/tare/cmd/tare/internal/words"
	"github.com/tarebench/tare/internal/finding"
)

// Samples turns a recording into files of independent samples, one per variant:
// the value of a block is the median of its slices. Two recordings can only be
// compared like this, because their rounds were not adjacent in time. If
// f.Variant is set, Samples returns only that variant.
func Samples(f *File) []*File {
	rec := f.Recording
	var out []*File
	for v, variant := range rec.Study.Variants {
		if f.Variant != "" && f.Variant != variant.Label {
			continue
		}
		label := f.Label
		if len(rec.Study.Variants) > 1 && f.Variant == "" {
			label += ":" + variant.Label
		}
		file := &File{Label: label, Path: f.Path, Findings: slices.Clip(rec.Findings)}
		for _, b := range rec.Benchmarks {
			s := &Series{Name: words.RowName(b.Key, "")}
			if b.Pkg != "" {
				s.Config = append(s.Config, benchfmt.Config{Key: "pkg", Value: []byte(b.Pkg), File: true})
			}
			blocks := 0
			for _, m := range judge.BlockMedians(b, v) {
				s.Units = append(s.Units, Unit{Base: m.Unit})
				s.Values = append(s.Values, m.Values)
				blocks = len(m.Values)
			}
			if len(s.Units) == 0 {
				continue
			}
			if rec.Study.Timed() && s.Units[0].Base != "sec/op" {
				file.Findings = append(file.Findings, catalog.NotRun.Of(b.Name, finding.Text("variant", label), finding.Text("why", "no block has a time")))
			}
			for k := range blocks {
				s.Places = append(s.Places, file.Results+k)
			}
			file.Results += blocks
			file.Series = append(file.Series, s)
		}
		out = append(out, file)
	}
	return out
}
