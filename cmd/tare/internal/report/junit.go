package report

import (
	"cmp"
	"fmt"
	"html"
	"io"
	"slices"
	"strings"

	"github.com/tarebench/tare/cmd/tare/internal/catalog"
	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/words"
	"github.com/tarebench/tare/internal/finding"
)

// junitCase is one row. Outcomes except a pass have a message.
type junitCase struct {
	name    string
	outcome string // the element: failure, error, skipped, or "" for a pass
	message string
	text    string
	seconds float64
}

// junitSuite are the rows of a package.
type junitSuite struct {
	name  string
	cases []junitCase
}

// JUnit writes a test case per row. Slower by more than δ is a failure, and a
// broken benchmark an error. Undecided is skipped, because "not significant" is
// not a pass. The output of a case has the words of its row.
func JUnit(w io.Writer, d Document) error {
	var suites []junitSuite
	add := func(pkg string, c junitCase) {
		pkg = cmp.Or(words.Printable(pkg), "benchmarks")
		i := slices.IndexFunc(suites, func(s junitSuite) bool { return s.name == pkg })
		if i < 0 {
			i, suites = len(suites), append(suites, junitSuite{name: pkg})
		}
		suites[i].cases = append(suites[i].cases, c)
	}
	if c := d.Comparison; c != nil {
		seen := make(map[Subject]bool)
		for i := range c.Benchmarks {
			one := comparedCase(&c.Benchmarks[i], c.Delta)
			// All units of a benchmark come from one measurement.
			if of := ComparedSubject(&c.Benchmarks[i]); !seen[of] {
				seen[of], one.seconds = true, c.Benchmarks[i].Seconds
			}
			add(c.Benchmarks[i].Pkg, one)
		}
	} else {
		for i := range d.Run.Benchmarks {
			add(d.Run.Benchmarks[i].Pkg, measuredCase(&d.Run.Benchmarks[i]))
		}
	}
	var b strings.Builder
	var all []junitCase
	for _, s := range suites {
		all = append(all, s.cases...)
		totals, skipped := junitTotals(s.cases)
		fmt.Fprintf(&b, "  <testsuite name=\"%s\" %s skipped=\"%d\">\n", html.EscapeString(s.name), totals, skipped)
		for _, c := range s.cases {
			c.write(&b, s.name)
		}
		b.WriteString("  </testsuite>\n")
	}
	totals, _ := junitTotals(all)
	if _, err := fmt.Fprintf(w, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"tare\" %s>\n%s</testsuites>\n", totals, b.String()); err != nil {
		return fmt.Errorf("write JUnit: %w", err)
	}
	return nil
}

// junitTotals returns the attributes that count cases, and the number of
// skipped ones.
func junitTotals(cases []junitCase) (attributes string, skipped int) {
	n := make(map[string]int)
	seconds := 0.0
	for _, c := range cases {
		n[c.outcome]++
		seconds += c.seconds
	}
	return fmt.Sprintf(`tests="%d" failures="%d" errors="%d" time="%.3f"`, len(cases), n["failure"], n["error"], seconds), n["skipped"]
}

func (c junitCase) write(b *strings.Builder, pkg string) {
	fmt.Fprintf(b, "    <testcase name=\"%s\" classname=\"%s\" time=\"%.3f\">\n", html.EscapeString(c.name), html.EscapeString(pkg), c.seconds)
	text := html.EscapeString(c.text)
	if c.outcome == "" {
		fmt.Fprintf(b, "      <system-out>%s</system-out>\n", text)
	} else {
		kind := map[string]string{"failure": ` type="worse"`, "error": ` type="failed"`}[c.outcome]
		fmt.Fprintf(b, "      <%s message=\"%s\"%s>%s</%s>\n", c.outcome, html.EscapeString(c.message), kind, text, c.outcome)
	}
	b.WriteString("    </testcase>\n")
}

func caseName(name, unit string) string {
	if unit != "sec/op" {
		name += " [" + unit + "]"
	}
	return words.Printable(name)
}

func comparedCase(b *result.BenchmarkComparison, delta float64) junitCase {
	text := words.Printable(words.Sentence(b, delta))
	c := junitCase{name: caseName(words.RowName(b.Key, b.Row), b.Unit), message: text}
	switch {
	case isRegression(b, delta):
		c.outcome, c.text = "failure", text
	case b.Verdict == result.Failed:
		c.outcome, c.text = "error", text
	case b.Verdict == result.NotReached:
		c.outcome, c.message = "skipped", notReached(b.Findings)
	case b.Verdict == result.Undecided || b.Verdict == result.Missing || absent(b):
		c.outcome = "skipped"
	default:
		c.text = text
	}
	return c
}

// notReached returns the reason why a benchmark has no result.
func notReached(findings []finding.Finding) string {
	for _, f := range findings {
		if catalog.NotReached.Is(f) {
			return words.Printable(f.Message + "; " + f.Action)
		}
	}
	return string(result.NotReached)
}

// isRegression reports whether a row is slower, and not known to be slower by
// less than δ.
func isRegression(b *result.BenchmarkComparison, delta float64) bool {
	return b.Verdict == result.Slower && !words.Inside(b.Change, words.Delta(b, delta))
}

func measuredCase(m *result.Measurement) junitCase {
	c := junitCase{name: caseName(words.RowName(m.Key, m.Row), m.Unit), seconds: m.Seconds}
	switch {
	case m.Failed != "":
		c.outcome, c.message, c.text = "error", words.FirstLine(m.Failed), words.PrintableLines(m.Failed)
	case m.NotReached:
		c.outcome, c.message = "skipped", notReached(m.Findings)
	case m.Skipped != "":
		c.outcome, c.message = "skipped", "skipped: "+words.Printable(m.Skipped)
	default:
		c.text = words.Estimate(m.Value, words.Scale(m.Unit, m.Value.Center), m.Unit)
	}
	return c
}
