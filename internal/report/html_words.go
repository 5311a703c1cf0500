package report

import (
	"fmt"
	"math"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/tarebench/tare/finding"
	"github.com/tarebench/tare/internal/result"
	"github.com/tarebench/tare/unit"
)

func (s *detail) addNotes(findings []finding.Finding) {
	for _, f := range findings {
		n := noteRow{string(f.Severity), "", printable(f.Message), printable(f.Action), f.ID}
		if !slices.Contains(s.Notes, n) {
			s.Notes = append(s.Notes, n)
		}
	}
}

// headline is the summary for somebody who reads one sentence.
func headline(c *result.Comparison) string {
	s := c.Summary
	total := s.Faster + s.Slower + s.Same + s.Undecided + s.Failed
	if total == 0 {
		return "Nothing to compare."
	}
	var parts []string
	say := func(n int, words string) {
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, words))
		}
	}
	say(s.Slower, "slower")
	say(s.Faster, "faster")
	same := "the same"
	if c.Delta > 0 {
		same += " within ±" + percentOf(c.Delta)
	}
	say(s.Same, same)
	say(s.Undecided, "undecided")
	say(s.Failed, "failed")
	return fmt.Sprintf("Of %s: %s.", plural(total, "benchmark"), strings.Join(parts, ", "))
}

func methodWords(c *result.Comparison) string {
	confidence := c.Confidence
	if confidence == 0 {
		confidence = 1 - c.Alpha
	}
	words := fmt.Sprintf("Change is new over old less one. Intervals hold at %s", percentOf(confidence))
	blocks := 0
	for i := range c.Benchmarks {
		blocks = max(blocks, c.Benchmarks[i].Blocks)
	}
	if blocks > 0 {
		words += " over all looks at the data: old and new ran in turn, in live processes, with a fresh link layout where the study says so"
	}
	words += ". “Same” means that the whole interval lies inside the band"
	if c.Delta > 0 {
		words += " of ±" + percentOf(c.Delta)
	}
	return words + "; “undecided” means that these data cannot tell, not that nothing changed."
}

// tops are the changes to look at first: the five greatest each way, each
// benchmark once, in the first of its units.
func (p *page) tops(c *result.Comparison, detailOf func(subject) *detail) []top {
	var tops []top
	said := make(map[subject]bool)
	for _, v := range []result.Verdict{result.Slower, result.Faster} {
		var rows []*result.BenchmarkComparison
		for i := range c.Benchmarks {
			if b := &c.Benchmarks[i]; b.Verdict == v && known(b.Change.Ratio) && b.Change.Ratio > 0 && !said[comparedSubject(b)] {
				said[comparedSubject(b)] = true
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
			name := rowName(b.Key, b.Row)
			text := Sentence(b, c.Delta)
			if b.Unit != "sec/op" {
				text = printable(b.Unit) + " " + text
			}
			tops = append(tops, top{detailOf(comparedSubject(b)).ID, printable(name), text})
		}
	}
	return tops
}

func geoMeanWords(g *result.GeoMean) string {
	words := fmt.Sprintf("geometric mean of %d: %s", g.N, changeWords(g.Change))
	if known(g.Change.Lo) && known(g.Change.Hi) {
		words += " (" + rangeOf(g.Change.Lo-1, g.Change.Hi-1) + ")"
	}
	return words
}

func configWords(config map[string]string) string {
	var parts []string
	for _, k := range sortedKeys(config) {
		parts = append(parts, k+": "+config[k])
	}
	return strings.Join(parts, ", ")
}

// estimateText is a value with its relative half width: "1.213µs ±1%".
func estimateText(e result.Estimate, scale unit.Scale) string {
	if !known(e.Center) || e.N == 0 && e.Center == 0 {
		return ""
	}
	s := strings.TrimSpace(scale.Format(e.Center) + " " + scale.Symbol)
	if around := spread(e); around != "" {
		s += " ±" + around
	}
	return s
}

func intervalText(e result.Estimate, scale unit.Scale) string {
	if !known(e.Lo) || !known(e.Hi) {
		return ""
	}
	return scale.Format(e.Lo) + " … " + scale.Format(e.Hi)
}

func rangeText(e result.Estimate, scale unit.Scale, u string) string {
	if !known(e.Center) || e.N == 0 && e.Center == 0 {
		return "–"
	}
	s := scale.Format(e.Center)
	if known(e.Lo) && known(e.Hi) && e.Lo != e.Hi {
		s += " [" + intervalText(e, scale) + "]"
	}
	return s + " " + printable(scale.Label(u))
}

func sortNumber(v float64) string {
	if !known(v) {
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

// command is what made the study, or the document.
func (d Document) command() []string {
	command := slices.Clone(d.Command)
	if d.Recording != nil && len(d.Recording.Study.Command) > 0 {
		command = slices.Clone(d.Recording.Study.Command)
	}
	if len(command) > 0 {
		command[0] = filepath.Base(command[0]) // where tare lay is nobody's concern
	}
	return command
}

func (d Document) folder() string {
	switch {
	case d.Comparison != nil:
		return d.Comparison.Folder
	case d.Run != nil:
		return d.Run.Folder
	}
	return ""
}

// commandFor measures one benchmark again: the command with -bench for it
// alone. It is nil where the document was not measured by a command.
func (d Document) commandFor(k result.Key) []string {
	if d.Recording == nil || len(d.command()) < 2 {
		return nil
	}
	command := d.command()
	out := slices.Clone(command[:2])
	out = append(out, "-bench", benchPattern(k.Name))
	for i := 2; i < len(command); i++ {
		arg := command[i]
		if arg == "--" {
			out = append(out, command[i:]...)
			break
		}
		name := strings.TrimLeft(arg, "-")
		if strings.HasPrefix(arg, "-") && name == "bench" {
			i++
			continue
		}
		if strings.HasPrefix(arg, "-") && strings.HasPrefix(name, "bench=") {
			continue
		}
		out = append(out, arg)
	}
	return out
}

// benchPattern matches one benchmark by go test's rules: a regular expression
// per level of the name.
func benchPattern(name string) string {
	levels := strings.Split("Benchmark"+name, "/")
	for i, l := range levels {
		levels[i] = "^" + regexp.QuoteMeta(l) + "$"
	}
	return strings.Join(levels, "/")
}

// shellWords quotes a command for a POSIX shell. What cannot be shown is
// escaped, and so is not the same word any more: better than a hidden one.
func shellWords(command []string) string {
	words := make([]string, len(command))
	for i, w := range command {
		w = printable(w)
		if w != "" && strings.Trim(w, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=+./,:@%") == "" {
			words[i] = w
		} else {
			words[i] = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
	}
	return strings.Join(words, " ")
}

// facts lists variants and machine.
func (p *page) facts(d Document) {
	add := func(name string, parts ...string) {
		var said []string
		for _, s := range parts {
			if s != "" && s != "0" {
				said = append(said, printable(s))
			}
		}
		if len(said) > 0 {
			p.Facts = append(p.Facts, fact{name, strings.Join(said, ", ")})
		}
	}
	for i, v := range d.variants() {
		name := "variant"
		if len(d.variants()) == 2 && p.Compared {
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
	for _, k := range sortedKeys(config) {
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
		add("go", configWords(m.Go))
	}
	if d.Recording != nil {
		add("measured", d.Recording.Study.Created.UTC().Format("2006-01-02 15:04 MST"))
		add("seed", strconv.FormatUint(d.Recording.Study.Seed, 10))
	} else if !d.Created.IsZero() {
		add("made", d.Created.UTC().Format("2006-01-02 15:04 MST"))
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
	return plural(n, word)
}

func trimmedBytes(n uint64) string {
	s := unit.Scaling("B", float64(n))
	return fmt.Sprintf("%.1f %s", float64(n)*s.Factor, s.Symbol)
}
