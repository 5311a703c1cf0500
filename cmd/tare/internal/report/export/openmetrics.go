package export

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/tarebench/tare/cmd/tare/internal/report"
	"github.com/tarebench/tare/cmd/tare/internal/report/words"
	"github.com/tarebench/tare/cmd/tare/internal/result"
)

// OpenMetrics writes the document as OpenMetrics 1.0 text: gauges in base
// units with the unit as a label, and the verdict as a state set.
func OpenMetrics(w io.Writer, d report.Document) error {
	m := &metrics{}
	if c := d.Comparison; c != nil {
		m.compared(c)
	} else {
		m.measured(d.Run)
	}
	var b strings.Builder
	for _, f := range m.families {
		fmt.Fprintf(&b, "# TYPE %s %s\n# HELP %s %s\n", f.name, f.kind, f.name, f.help)
		for _, line := range f.lines {
			b.WriteString(line)
		}
	}
	b.WriteString("# EOF\n")
	if _, err := io.WriteString(w, b.String()); err != nil {
		return fmt.Errorf("write OpenMetrics: %w", err)
	}
	return nil
}

type metricFamily struct {
	name, kind, help string
	lines            []string
}

type metrics struct{ families []*metricFamily }

func (m *metrics) add(name, kind, help, labels string, value float64) {
	if !words.Known(value) {
		return
	}
	var f *metricFamily
	for _, have := range m.families {
		if have.name == name {
			f = have
		}
	}
	if f == nil {
		f = &metricFamily{name: name, kind: kind, help: help}
		m.families = append(m.families, f)
	}
	f.lines = append(f.lines, name+"{"+labels+"} "+strconv.FormatFloat(value, 'g', -1, 64)+"\n")
}

func (m *metrics) estimate(labels string, e result.Estimate) {
	m.add("tare_benchmark_value", "gauge", "Center of the measurements, in the base unit of the label.", labels, e.Center)
	m.add("tare_benchmark_value_lower", "gauge", "Lower end of the interval of the value.", labels, e.Lo)
	m.add("tare_benchmark_value_upper", "gauge", "Upper end of the interval of the value.", labels, e.Hi)
}

func (m *metrics) compared(c *result.Comparison) {
	for i := range c.Benchmarks {
		b := &c.Benchmarks[i]
		labels := metricLabels(b.Key, b.Row, b.Unit, b.Config)
		if b.Old.N > 0 {
			m.estimate(labels+`,variant="`+metricText(words.Label(c.Variants, b.OldVariant))+`",side="old"`, b.Old)
		}
		if b.New.N > 0 {
			m.estimate(labels+`,variant="`+metricText(words.Label(c.Variants, b.NewVariant))+`",side="new"`, b.New)
		}
		labels += `,variant="` + metricText(words.Label(c.Variants, b.NewVariant)) + `"`
		m.add("tare_benchmark_change_ratio", "gauge", "New over old.", labels, b.Change.Ratio)
		m.add("tare_benchmark_change_ratio_lower", "gauge", "Lower end of the interval of new over old.", labels, b.Change.Lo)
		m.add("tare_benchmark_change_ratio_upper", "gauge", "Upper end of the interval of new over old.", labels, b.Change.Hi)
		for _, v := range []result.Verdict{result.Faster, result.Slower, result.Same, result.Undecided, result.Failed, result.Skipped, result.Missing, result.NotReached} {
			state := 0.0
			if v == b.Verdict {
				state = 1
			}
			m.add("tare_benchmark_verdict", "stateset", "What the change was judged to be.", labels+`,tare_benchmark_verdict="`+string(v)+`"`, state)
		}
	}
}

func (m *metrics) measured(r *result.Run) {
	for i := range r.Benchmarks {
		b := &r.Benchmarks[i]
		if b.Failed == "" {
			m.estimate(metricLabels(b.Key, b.Row, b.Unit, b.Config), b.Value)
		}
	}
}

func metricLabels(k result.Key, row, unit string, config map[string]string) string {
	name := k.Name
	if row != "" {
		name = row
	}
	s := fmt.Sprintf(`package="%s",benchmark="%s",procs="%d",unit="%s"`, metricText(k.Pkg), metricText(name), k.Procs, metricText(unit))
	if len(config) > 0 {
		s += `,config="` + metricText(words.Config(config)) + `"`
	}
	return s
}

// metricText escapes a label's value.
func metricText(s string) string {
	return strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(words.Printable(s))
}
