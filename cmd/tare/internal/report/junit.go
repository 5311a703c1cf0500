package report

import (
	"cmp"
	"encoding/xml"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/tarebench/tare/cmd/tare/internal/catalog"
	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/words"
	"github.com/tarebench/tare/internal/finding"
)

// The document of JUnit, which no specification describes: this is what GitLab,
// Jenkins and GitHub's actions read. encoding/xml escapes the names and the
// output of benchmarks.
type junitSuites struct {
	XMLName xml.Name `xml:"testsuites"`
	Name    string   `xml:"name,attr"`
	junitTotals
	Suites []junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Name string `xml:"name,attr"`
	junitTotals
	Skipped int         `xml:"skipped,attr"`
	Cases   []junitCase `xml:"testcase"`
}

type junitTotals struct {
	Tests    int          `xml:"tests,attr"`
	Failures int          `xml:"failures,attr"`
	Errors   int          `xml:"errors,attr"`
	Time     junitSeconds `xml:"time,attr"`
}

type junitCase struct {
	Name      string        `xml:"name,attr"`
	ClassName string        `xml:"classname,attr"`
	Time      junitSeconds  `xml:"time,attr"`
	Output    string        `xml:"system-out,omitempty"`
	Failure   *junitOutcome `xml:"failure"`
	Error     *junitOutcome `xml:"error"`
	Skipped   *junitOutcome `xml:"skipped"`
}

type junitOutcome struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr,omitempty"`
	Text    string `xml:",chardata"`
}

type junitSeconds float64

func (s junitSeconds) MarshalText() ([]byte, error) { return fmt.Appendf(nil, "%.3f", float64(s)), nil }

func (t *junitTotals) add(c junitCase) {
	t.Tests++
	t.Time += c.Time
	if c.Failure != nil {
		t.Failures++
	}
	if c.Error != nil {
		t.Errors++
	}
}

// JUnit writes a test case per row. Slower by more than δ is a failure, and a
// broken benchmark an error. Undecided is skipped, because "not significant" is
// not a pass. The output of a case has the words of its row.
func JUnit(w io.Writer, d Document) error {
	all := junitSuites{Name: "tare"}
	add := func(pkg string, c junitCase) {
		c.ClassName = cmp.Or(words.Printable(pkg), "benchmarks")
		i := slices.IndexFunc(all.Suites, func(s junitSuite) bool { return s.Name == c.ClassName })
		if i < 0 {
			i, all.Suites = len(all.Suites), append(all.Suites, junitSuite{Name: c.ClassName})
		}
		s := &all.Suites[i]
		s.Cases = append(s.Cases, c)
		s.add(c)
		all.add(c)
		if c.Skipped != nil {
			s.Skipped++
		}
	}
	seen := make(map[Subject]bool)
	for i := range d.Comparison.Benchmarks {
		b := &d.Comparison.Benchmarks[i]
		one := caseOf(b, d.Comparison.Delta)
		// All units of a benchmark come from one measurement.
		if of := SubjectOf(b); !seen[of] {
			seen[of], one.Time = true, junitSeconds(b.Seconds)
		}
		add(b.Pkg, one)
	}
	if lines := d.BlindLines(); len(lines) > 0 {
		one, text := junitCase{Name: "changed functions"}, words.Printable(strings.Join(lines, " "))
		if n := d.blind(); n == nil || *n > 0 {
			one.Skipped = &junitOutcome{Message: text}
		} else {
			one.Output = text
		}
		add("", one)
	}
	text, err := xml.MarshalIndent(all, "", "  ")
	if err == nil {
		_, err = fmt.Fprintf(w, "%s%s\n", xml.Header, text)
	}
	if err != nil {
		return fmt.Errorf("write JUnit: %w", err)
	}
	return nil
}

func caseName(name, unit string) string {
	if unit != "sec/op" {
		name += " [" + unit + "]"
	}
	return words.Printable(name)
}

func caseOf(b *result.BenchmarkComparison, delta float64) junitCase {
	text := words.Printable(words.Sentence(b, delta))
	why := text
	if i := slices.IndexFunc(b.Findings, catalog.Failed.Is); i >= 0 {
		why = b.Findings[i].Message
	}
	c := junitCase{Name: caseName(words.RowName(b.Key, b.Row), b.Unit)}
	switch {
	case isRegression(b, delta):
		c.Failure = &junitOutcome{text, "worse", text}
	case b.Verdict == result.Failed:
		c.Error = &junitOutcome{words.FirstLine(why), "failed", words.PrintableLines(why)}
	case b.Verdict == result.NotReached:
		c.Skipped = &junitOutcome{Message: notReached(b.Findings)}
	case b.Verdict == result.Undecided || b.Verdict == result.Missing || absent(b):
		c.Skipped = &junitOutcome{Message: text}
	case text == "": // a run has a value alone
		c.Output = words.Estimate(b.New, words.Scale(b.Unit, b.New.Center), b.Unit)
	default:
		c.Output = text
	}
	return c
}

func notReached(findings []finding.Finding) string {
	if i := slices.IndexFunc(findings, catalog.NotReached.Is); i >= 0 {
		return words.Printable(findings[i].Message + "; " + findings[i].Action)
	}
	return string(result.NotReached)
}

// isRegression reports whether a row is slower, and not known to be slower by
// less than δ.
func isRegression(b *result.BenchmarkComparison, delta float64) bool {
	return b.Verdict == result.Slower && !words.Inside(b.Change, words.Delta(b, delta))
}
