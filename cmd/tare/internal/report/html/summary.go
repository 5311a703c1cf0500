package html

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/tarebench/tare/cmd/tare/internal/report"
	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/words"
	"github.com/tarebench/tare/internal/finding"
	"github.com/tarebench/tare/internal/unit"
)

func (s *detail) addNotes(findings []finding.Finding) {
	for _, f := range findings {
		n := noteRow{string(f.Severity), "", words.Printable(f.Message), words.Printable(f.Action), words.Printable(f.ID)}
		if !slices.Contains(s.Notes, n) {
			s.Notes = append(s.Notes, n)
		}
	}
}

// title names what was compared, and what came of it.
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
// benchmark once, in the first of its units.
func (p *page) tops(c *result.Comparison, detailOf func(report.Subject) *detail) []top {
	var tops []top
	said := make(map[report.Subject]bool)
	for _, v := range []result.Verdict{result.Slower, result.Faster} {
		var rows []*result.BenchmarkComparison
		for i := range c.Benchmarks {
			if b := &c.Benchmarks[i]; b.Verdict == v && words.Known(b.Change.Ratio) && b.Change.Ratio > 0 && !said[report.ComparedSubject(b)] {
				said[report.ComparedSubject(b)] = true
				rows = append(rows, b)
			}
		}
		slices.SortStableFunc(rows, func(a, b *result.BenchmarkComparison) int {
			size := func(r *result.BenchmarkComparison) float64 { return -math.Abs(math.Log(r.Change.Ratio)) }
			switch sa, sb := size(a), size(b); {
			case sa < sb:
				return -1
			case sa > sb:
				return 1
			}
			return 0
		})
		for _, b := range rows[:min(5, len(rows))] {
			name := words.RowName(b.Key, b.Row)
			text := words.Sentence(b, c.Delta)
			if b.Unit != "sec/op" {
				text = words.Printable(b.Unit) + " " + text
			}
			tops = append(tops, top{detailOf(report.ComparedSubject(b)).ID, words.Printable(name), text})
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
		dirty := ""
		if v.Dirty {
			dirty = "with uncommitted changes"
		}
		add(name, v.Label, v.Revision, dirty, v.Go, unsaid(v.Label, "tags ", v.Tags), unsaid(v.Label, "flags ", strings.Join(v.Flags, " ")), unsaid(v.Label, "", strings.Join(v.Env, " ")), strings.Join(v.Files, " "))
	}
	var machine *result.Machine
	var config map[string]string
	if d.Comparison != nil {
		machine, config = d.Comparison.Machine, d.Comparison.Config
	} else {
		machine, config = d.Run.Machine, d.Run.Config
	}
	for _, k := range words.Keys(config) {
		add(k, config[k])
	}
	if m := machine; m != nil {
		add("processor", m.CPU.Model, counted(m.CPU.Cores, "core"), counted(m.CPU.Threads, "thread"))
		add("system", m.Distribution, m.Kernel, m.OS+"/"+m.Arch)
		virtual := m.Virtual
		if virtual == "none" {
			virtual = "bare metal"
		}
		add("kind", m.Product, virtual, m.Container)
		add("clock source", m.ClockSource)
		if m.MemoryBytes > 0 {
			add("memory", trimmedBytes(m.MemoryBytes))
		}
		add("power", m.Power)
		add("go", words.Config(m.Go))
	}
	if d.Recording != nil {
		add("measured", d.Recording.Study.Created.UTC().Format("2006-01-02 15:04 MST"))
		add("seed", strconv.FormatUint(d.Recording.Study.Seed, 10))
	}
}

// unsaid is a setting of a variant with its name; nothing where the label says
// it already.
func unsaid(label, name, value string) string {
	if value == "" || strings.Contains(label, value) {
		return ""
	}
	return name + value
}

func counted(n int, word string) string {
	if n == 0 {
		return ""
	}
	return words.Plural(n, word)
}

func trimmedBytes(n uint64) string {
	s := unit.Scaling("B", float64(n))
	return fmt.Sprintf("%.1f %s", float64(n)*s.Factor, s.Symbol)
}
