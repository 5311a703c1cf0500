package report

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"time"

	"github.com/tarebench/tare/internal/result"
)

// Document is all that a report may say. Comparison or Run is set, not both;
// a Recording alone has no judged table.
type Document struct {
	// Title heads the report; empty means one made of the variants' labels.
	Title      string
	Comparison *result.Comparison
	Run        *result.Run
	// Recording holds the rounds behind the table, where there are any.
	Recording *result.Recording
	// Samples are the values behind the table where there is no recording:
	// the lines of benchmark files, in their order.
	Samples []Sample
	// Command makes the document again.
	Command []string
	// Created is when it was made, or when the study was.
	Created time.Time
}

// Sample is the measurements of one benchmark, unit and variant, in the base
// unit and in the order they were taken. Row and Config are those of the row
// it belongs to.
type Sample struct {
	result.Key
	Row     string
	Config  map[string]string
	Unit    string
	Variant int
	Values  []float64
}

// subject is what a row is about, in whatever unit: the benchmark, and what
// tells it from others of its name (tare stat -row, -table).
type subject struct {
	result.Key
	row, config string
}

func subjectOf(k result.Key, row string, config map[string]string) subject {
	return subject{k, row, configKey(config)}
}

func comparedSubject(b *result.BenchmarkComparison) subject { return subjectOf(b.Key, b.Row, b.Config) }
func measuredSubject(m *result.Measurement) subject         { return subjectOf(m.Key, m.Row, m.Config) }

// name is the subject as a row shows it.
func (s subject) name() string { return rowName(s.Key, s.row) }

// Formats are the names that [Write] takes.
func Formats() []string {
	return []string{"text", "json", "csv", "markdown", "pull-request", "html", "svg", "png", "junit", "github-benchmark", "bencher", "openmetrics"}
}

// ErrFormat is returned by Write for a name that is none of [Formats], or a
// format that has nothing to say about the document.
var ErrFormat = errors.New("format")

// Write renders d in one of [Formats].
func Write(w io.Writer, format string, d Document, o Options) error {
	if d.Comparison == nil && d.Run == nil {
		return fmt.Errorf("write %s: the document has neither comparison nor run", format)
	}
	if d.Comparison != nil && d.Run != nil {
		return fmt.Errorf("write %s: the document has both a comparison and a run", format)
	}
	compared := d.Comparison != nil
	switch format {
	case "text", "":
		if compared {
			return Text(w, d.Comparison, o)
		}
		return RunText(w, d.Run, o)
	case "json":
		if compared {
			return JSON(w, d.Comparison)
		}
		return JSON(w, d.Run)
	case "csv":
		if compared {
			return CSV(w, d.Comparison)
		}
		return RunCSV(w, d.Run)
	case "markdown":
		if compared {
			return Markdown(w, d.Comparison)
		}
		return RunMarkdown(w, d.Run)
	case "pull-request":
		if compared {
			return PullRequest(w, d.Comparison, CommentLimit)
		}
		return RunMarkdown(w, d.Run)
	case "html":
		return HTML(w, d)
	case "svg":
		return SVG(w, d)
	case "png":
		return PNG(w, d)
	case "junit":
		return JUnit(w, d)
	case "github-benchmark":
		return GitHubBenchmark(w, d)
	case "bencher":
		return Bencher(w, d)
	case "openmetrics":
		return OpenMetrics(w, d)
	}
	return fmt.Errorf("unknown %w %q: one of %v", ErrFormat, format, Formats())
}

func (d Document) variants() []result.Variant {
	switch {
	case d.Comparison != nil:
		return d.Comparison.Variants
	case d.Run != nil:
		return d.Run.Variants
	}
	return nil
}

func (d Document) title() string {
	v := d.variants()
	switch {
	case d.Title != "":
		return d.Title
	case d.Comparison != nil && len(v) == 2:
		return v[1].Label + " against " + v[0].Label
	case len(v) == 1 && v[0].Label == ".":
		return "Benchmarks of the working tree"
	case len(v) == 1 && v[0].Label != "":
		return "Benchmarks of " + v[0].Label
	}
	return "Benchmarks"
}

// evidence is what was measured for one benchmark: the values per variant in
// base unit, round by round; NaN where a variant has none.
type evidence struct {
	unit   string
	values [][]float64 // by variant
	// blocks and at say, per round, its block and when it began in seconds
	// since the study did; nil for samples of files.
	blocks []int
	at     []float64
}

// evidences indexes the rounds (or samples) of a document by benchmark. The
// rounds that statistics leave out are left out: warm-up, and those that only
// count.
func (d Document) evidences() map[subject]*evidence {
	all := make(map[subject]*evidence)
	if d.Recording != nil {
		rec := d.Recording
		sides := len(rec.Study.Variants)
		byIndex := make([]*evidence, len(rec.Benchmarks))
		for i, b := range rec.Benchmarks {
			byIndex[i] = &evidence{unit: "sec/op", values: make([][]float64, sides)}
			all[subject{Key: b.Key}] = byIndex[i]
		}
		for _, r := range rec.Rounds {
			if r.Warmup || r.Counting {
				continue
			}
			e := byIndex[r.Benchmark]
			e.blocks = append(e.blocks, r.Block)
			e.at = append(e.at, r.At)
			for v := range e.values {
				value := math.NaN()
				if v < len(r.Slices) && r.Slices[v].N > 0 {
					value = r.Slices[v].Seconds()
				}
				e.values[v] = append(e.values[v], value)
			}
		}
		return all
	}
	for _, s := range d.Samples {
		of := subjectOf(s.Key, s.Row, s.Config)
		e := all[of]
		if e == nil {
			e = &evidence{unit: s.Unit, values: make([][]float64, len(d.variants()))}
			all[of] = e
		}
		if e.unit != s.Unit || s.Variant < 0 || s.Variant >= len(e.values) {
			continue // the first unit of a benchmark is the one it is shown in
		}
		e.values[s.Variant] = append(e.values[s.Variant], s.Values...)
	}
	for _, e := range all {
		longest := 0
		for _, v := range e.values {
			longest = max(longest, len(v))
		}
		for v := range e.values {
			for len(e.values[v]) < longest {
				e.values[v] = append(e.values[v], math.NaN())
			}
		}
	}
	return all
}

// finiteOnly drops what a variant does not have.
func finiteOnly(values []float64) []float64 {
	return slices.DeleteFunc(slices.Clone(values), func(v float64) bool { return !known(v) })
}
