package report

import (
	"encoding/xml"
	"fmt"
	"io"
	"strconv"

	"github.com/tarebench/tare/cmd/tare/internal/kind"
	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/words"
	"github.com/tarebench/tare/internal/finding"
)

type junitSuites struct {
	XMLName  xml.Name     `xml:"testsuites"`
	Name     string       `xml:"name,attr"`
	Tests    int          `xml:"tests,attr"`
	Failures int          `xml:"failures,attr"`
	Errors   int          `xml:"errors,attr"`
	Time     string       `xml:"time,attr"`
	Suites   []junitSuite `xml:"testsuite"`
	seconds  float64
}

type junitSuite struct {
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Errors   int         `xml:"errors,attr"`
	Skipped  int         `xml:"skipped,attr"`
	Time     string      `xml:"time,attr"`
	Cases    []junitCase `xml:"testcase"`
	seconds  float64
}

type junitCase struct {
	Name      string        `xml:"name,attr"`
	Classname string        `xml:"classname,attr"`
	Time      string        `xml:"time,attr"`
	Skipped   *junitSkipped `xml:"skipped"`
	Error     *junitProblem `xml:"error"`
	Failure   *junitProblem `xml:"failure"`
	Out       string        `xml:"system-out,omitempty"`
}

type junitSkipped struct {
	Message string `xml:"message,attr"`
}

type junitProblem struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr"`
	Text    string `xml:",chardata"`
}

// JUnit writes a test case per row: slower by more than δ is a failure, a
// broken benchmark an error, undecided is skipped, because "not significant"
// is not a pass. A row's words go to its output.
func JUnit(w io.Writer, d Document) error {
	all := &junitSuites{Name: "tare"}
	if c := d.Comparison; c != nil {
		seen := make(map[Subject]bool)
		for i := range c.Benchmarks {
			b := &c.Benchmarks[i]
			// A benchmark is measured once, whatever the number of its units.
			seconds := b.Seconds
			if of := ComparedSubject(b); seen[of] {
				seconds = 0
			} else {
				seen[of] = true
			}
			all.add(b.Pkg, comparedCase(b, c.Delta), seconds)
		}
	} else {
		for i := range d.Run.Benchmarks {
			m := &d.Run.Benchmarks[i]
			all.add(m.Pkg, measuredCase(m), m.Seconds)
		}
	}
	for i := range all.Suites {
		all.Suites[i].Time = junitTime(all.Suites[i].seconds)
	}
	all.Time = junitTime(all.seconds)
	io.WriteString(w, xml.Header)
	e := xml.NewEncoder(w)
	e.Indent("", "  ")
	if err := e.Encode(all); err != nil {
		return fmt.Errorf("write JUnit: %w", err)
	}
	if _, err := io.WriteString(w, "\n"); err != nil {
		return fmt.Errorf("write JUnit: %w", err)
	}
	return nil
}

func (all *junitSuites) add(pkg string, c junitCase, seconds float64) {
	if pkg = words.Printable(pkg); pkg == "" {
		pkg = "benchmarks"
	}
	i := 0
	for i < len(all.Suites) && all.Suites[i].Name != pkg {
		i++
	}
	if i == len(all.Suites) {
		all.Suites = append(all.Suites, junitSuite{Name: pkg})
	}
	s := &all.Suites[i]
	c.Classname, c.Time = pkg, junitTime(seconds)
	s.Cases = append(s.Cases, c)
	s.seconds, all.seconds = s.seconds+seconds, all.seconds+seconds
	s.Tests, all.Tests = s.Tests+1, all.Tests+1
	switch {
	case c.Failure != nil:
		s.Failures, all.Failures = s.Failures+1, all.Failures+1
	case c.Error != nil:
		s.Errors, all.Errors = s.Errors+1, all.Errors+1
	case c.Skipped != nil:
		s.Skipped++
	}
}

func caseName(name, unit string) string {
	if unit != "sec/op" {
		name += " [" + unit + "]"
	}
	return words.Printable(name)
}

func comparedCase(b *result.BenchmarkComparison, delta float64) junitCase {
	text := words.Printable(words.Sentence(b, delta))
	c := junitCase{Name: caseName(words.RowName(b.Key, b.Row), b.Unit)}
	switch {
	case isRegression(b, delta):
		c.Failure = &junitProblem{Message: text, Type: "slower", Text: text}
	case b.Verdict == result.Failed:
		c.Error = &junitProblem{Message: text, Type: "failed", Text: text}
	case b.Verdict == result.NotReached:
		c.Skipped = notReached(b.Findings)
	case b.Verdict == result.Undecided || b.Verdict == result.Missing || absent(b):
		c.Skipped = &junitSkipped{text}
	default:
		c.Out = text
	}
	return c
}

// notReached is the reason why a benchmark has no result.
func notReached(findings []finding.Finding) *junitSkipped {
	for _, f := range findings {
		if kind.NotReached.Is(f) {
			return &junitSkipped{words.Printable(f.Message + "; " + f.Action)}
		}
	}
	return &junitSkipped{string(result.NotReached)}
}

// isRegression: slower, and not known to be slower by less than δ.
func isRegression(b *result.BenchmarkComparison, delta float64) bool {
	return b.Verdict == result.Slower && !words.Inside(b.Change, words.Delta(b, delta))
}

func measuredCase(m *result.Measurement) junitCase {
	c := junitCase{Name: caseName(words.RowName(m.Key, m.Row), m.Unit)}
	if m.Failed != "" {
		c.Error = &junitProblem{Message: words.FirstLine(m.Failed), Type: "failed", Text: words.PrintableLines(m.Failed)}
		return c
	}
	if m.NotReached {
		c.Skipped = notReached(m.Findings)
		return c
	}
	if m.Skipped != "" {
		c.Skipped = &junitSkipped{"skipped: " + words.Printable(m.Skipped)}
		return c
	}
	c.Out = words.Estimate(m.Value, words.Scale(m.Unit, m.Value.Center), m.Unit)
	return c
}

func junitTime(seconds float64) string { return strconv.FormatFloat(seconds, 'f', 3, 64) }
