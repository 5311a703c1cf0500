package report

import (
	"slices"
	"strings"

	"github.com/tarebench/tare/finding"
	"github.com/tarebench/tare/internal/result"
)

// Options are the reader's side of a report.
type Options struct {
	// Color allows ANSI colours; the caller has looked at the terminal and
	// at NO_COLOR.
	Color bool
	// Width is the width of the terminal in columns; 0 means unlimited.
	Width int
	// ASCII avoids every character beyond ASCII.
	ASCII bool
}

// section is one table: the rows of one configuration, package, unit and pair
// of variants.
type section struct {
	config         map[string]string
	pkg            string
	unit           string
	oldVar, newVar int
	rows           []*result.BenchmarkComparison
	geomean        *result.GeoMean
}

// sections cuts a comparison into tables in the order of its rows, the tables
// of one package beside each other, and returns the geometric means that span
// several of them.
func sections(c *result.Comparison) (all []*section, spanning []result.GeoMean) {
	type place struct {
		config, pkg, unit string
		old, new          int
	}
	index := make(map[place]*section)
	var order []string // of config+pkg
	for i := range c.Benchmarks {
		b := &c.Benchmarks[i]
		k := place{configKey(b.Config), b.Pkg, b.Unit, b.OldVariant, b.NewVariant}
		s := index[k]
		if s == nil {
			s = &section{config: b.Config, pkg: b.Pkg, unit: b.Unit, oldVar: b.OldVariant, newVar: b.NewVariant}
			index[k] = s
			all = append(all, s)
			if o := k.config + "\x00" + k.pkg; !slices.Contains(order, o) {
				order = append(order, o)
			}
		}
		s.rows = append(s.rows, b)
	}
	slices.SortStableFunc(all, func(a, b *section) int {
		return slices.Index(order, configKey(a.config)+"\x00"+a.pkg) - slices.Index(order, configKey(b.config)+"\x00"+b.pkg)
	})
	for _, g := range c.GeoMeans {
		if g.N < 2 {
			continue // the row itself
		}
		var fits []*section
		for _, s := range all {
			if s.unit == g.Unit && s.newVar == g.NewVariant && configFits(g.Config, s) {
				fits = append(fits, s)
			}
		}
		switch {
		case len(fits) == 1 && fits[0].geomean == nil:
			fits[0].geomean = &g
		default:
			spanning = append(spanning, g)
		}
	}
	return all, spanning
}

func configKey(c map[string]string) string {
	var b strings.Builder
	for _, k := range sortedKeys(c) {
		b.WriteString(k + "\x00" + c[k] + "\x00")
	}
	return b.String()
}

func sortedKeys(c map[string]string) []string {
	keys := make([]string, 0, len(c))
	for k := range c {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// configFits reports whether a geometric mean over config covers s.
func configFits(config map[string]string, s *section) bool {
	for k, v := range config {
		if k == "pkg" && s.config["pkg"] == "" {
			if v != s.pkg {
				return false
			}
		} else if s.config[k] != v {
			return false
		}
	}
	return true
}

// note is one finding with everything it was said about.
type note struct {
	finding.Finding
	subjects []string
}

// notes gathers findings that say the same about several subjects, severest
// first.
func notes(lists ...[]finding.Finding) []note {
	var out []note
	index := make(map[finding.Finding]int)
	seen := make(map[finding.Finding]bool)
	for _, list := range lists {
		for _, f := range list {
			if seen[f] {
				continue
			}
			seen[f] = true
			key := f
			key.Subject = ""
			i, ok := index[key]
			if !ok {
				i = len(out)
				index[key] = i
				out = append(out, note{Finding: key})
			}
			if f.Subject != "" {
				out[i].subjects = append(out[i].subjects, f.Subject)
			}
		}
	}
	weight := map[finding.Severity]int{finding.Severe: 0, finding.Warning: 1, finding.Info: 2}
	slices.SortStableFunc(out, func(a, b note) int { return weight[a.Severity] - weight[b.Severity] })
	return alike(out)
}

// alike folds notes that differ in their figures alone: where there are more
// than three of a kind, the first is told, and of which others the like holds.
// The details of a benchmark, and JSON, have them all.
func alike(all []note) []note {
	const most = 3
	kind := func(n note) finding.Finding {
		return finding.Finding{ID: n.ID, Severity: n.Severity, Action: n.Action}
	}
	foldable := func(n note) bool {
		return n.Severity != finding.Severe && len(n.subjects) > 0 && !strings.Contains(n.Message, "\n")
	}
	kinds := make(map[finding.Finding]int)
	for _, n := range all {
		if foldable(n) {
			kinds[kind(n)]++
		}
	}
	var out []note
	first := make(map[finding.Finding]int)
	others := make(map[finding.Finding][]string)
	for _, n := range all {
		k := kind(n)
		if !foldable(n) || kinds[k] <= most {
			out = append(out, n)
		} else if _, known := first[k]; !known {
			first[k] = len(out)
			out = append(out, n)
		} else {
			others[k] = append(others[k], n.subjects...)
		}
	}
	for k, i := range first {
		out[i].Message += " (the like, with other figures: " + subjectWords(others[k]) + ")"
	}
	return out
}

func comparisonNotes(c *result.Comparison) []note {
	lists := [][]finding.Finding{c.Findings}
	for i := range c.Benchmarks {
		lists = append(lists, c.Benchmarks[i].Findings)
	}
	return notes(lists...)
}

func runNotes(r *result.Run) []note {
	lists := [][]finding.Finding{r.Findings}
	for i := range r.Benchmarks {
		lists = append(lists, r.Benchmarks[i].Findings)
	}
	return notes(lists...)
}
