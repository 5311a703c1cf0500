package html

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tarebench/tare/cmd/tare/internal/report"
	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/words"
	"github.com/tarebench/tare/internal/finding"
)

func (s *detail) addNotes(findings []finding.Finding) {
	for _, f := range findings {
		n := noteRow{string(f.Severity), "", words.Printable(f.Message), words.Printable(f.Action), words.Printable(f.ID)}
		if !slices.Contains(s.Notes, n) {
			s.Notes = append(s.Notes, n)
		}
	}
}

// title names the variants and the result.
func title(d report.Document) string {
	t := d.Title()
	if tally := words.Tally(d.Comparison.Summary); tally != "" {
		t += ": " + tally
	}
	return t
}

// headline answers whether the change is fine, in one sentence.
func headline(c *result.Comparison) string {
	s := c.Summary
	band := ""
	if c.Delta > 0 {
		band = " by more than " + words.Percent(c.Delta)
	}
	compared := s.Faster + s.Slower + s.Same + s.Undecided
	switch {
	case compared+s.Failed+s.NotReached == 0:
		return "Nothing to compare."
	case s.Failed > 0:
		return words.Plural(s.Failed, "benchmark") + " failed, " + words.Plural(s.Slower, "benchmark") + " became slower."
	case s.Slower > 0:
		return fmt.Sprintf("%s of %d became slower.", words.Plural(s.Slower, "benchmark"), compared)
	case s.NotReached > 0:
		return fmt.Sprintf("No benchmark is known to be slower; %d of %d are undecided, %d were not reached.", s.Undecided, compared, s.NotReached)
	case s.Undecided > 0:
		return fmt.Sprintf("No benchmark is known to be slower; %d of %d are undecided.", s.Undecided, compared)
	}
	return fmt.Sprintf("None of %s is slower%s.", words.Plural(compared, "benchmark"), band)
}

func methodWords(c *result.Comparison) string {
	confidence := c.Confidence
	if confidence == 0 {
		confidence = 1 - c.Alpha
	}
	text := fmt.Sprintf("Change is new over old less one. Intervals hold at %s", words.Percent(confidence))
	blocks := 0
	for i := range c.Benchmarks {
		blocks = max(blocks, c.Benchmarks[i].Blocks)
	}
	if blocks > 0 {
		text += " over all looks at the data: old and new ran in turn, in live processes, with a fresh link layout where the study says so"
	}
	text += ". “Same” means that the whole interval lies inside the band"
	if c.Delta > 0 {
		text += " of ±" + words.Percent(c.Delta)
	}
	return text + "; “undecided” means that these data do not decide it, not that nothing changed."
}

// tops are the changes to look at first: the five greatest each way, each
// benchmark once.
func (p *page) tops(d report.Document, detailOf func(report.Subject) *detail) []top {
	var tops []top
	said := make(map[report.Subject]bool)
	for _, v := range []result.Verdict{result.Slower, result.Faster} {
		n := 0
		for _, b := range report.Greatest(d.Rows(), v) {
			if of := report.ComparedSubject(b); n < 5 && !said[of] {
				n, said[of] = n+1, true
				text := words.Sentence(b, d.Comparison.Delta)
				if b.Unit != "sec/op" {
					text = words.Printable(b.Unit) + " " + text
				}
				tops = append(tops, top{detailOf(of).ID, words.Printable(of.Name()), text})
			}
		}
	}
	return tops
}

func sortNumber(v float64) string {
	if !words.Known(v) {
		return ""
	}
	return strconv.FormatFloat(v, 'g', 6, 64)
}

func sortPointer(p *float64) string {
	if p == nil {
		return ""
	}
	return sortNumber(*p)
}

// facts lists variants and machine.
func (p *page) facts(d report.Document) {
	add := func(name string, parts ...string) {
		var said []string
		for _, s := range parts {
			if s != "" && s != "0" {
				said = append(said, words.Printable(s))
			}
		}
		if len(said) > 0 {
			p.Facts = append(p.Facts, fact{name, strings.Join(said, ", ")})
		}
	}
	for i, v := range d.Variants() {
		name := "variant"
		if len(d.Variants()) == 2 && p.Compared {
			name = []string{"old", "new"}[i]
		}
		add(name, words.Variant(v), strings.Join(v.Files, " "))
	}
	config := d.Config()
	for _, k := range words.Keys(config) {
		add(k, config[k])
	}
	if m := d.Machine(); m != nil {
		add("machine", words.Machine(*m), m.Container)
		add("system", m.Distribution, m.Kernel, m.OS+"/"+m.Arch)
		add("clock source", m.ClockSource)
		add("go", words.Config(m.Go))
	}
	if d.Recording != nil {
		add("measured", d.Recording.Study.Created.UTC().Format("2006-01-02 15:04 MST"))
		add("seed", strconv.FormatUint(d.Recording.Study.Seed, 10))
	}
}
