package report

import (
	"slices"
	"strings"

	"github.com/tarebench/tare/finding"
	"github.com/tarebench/tare/internal/report/words"
)

// Note is one finding with everything it was said about.
type Note struct {
	finding.Finding
	// Subjects are what it is about.
	Subjects []string
}

// notes gathers findings that say the same about several subjects, severest
// first.
func notes(lists ...[]finding.Finding) []Note {
	var out []Note
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
				out = append(out, Note{Finding: key})
			}
			if f.Subject != "" {
				out[i].Subjects = append(out[i].Subjects, f.Subject)
			}
		}
	}
	weight := map[finding.Severity]int{finding.Severe: 0, finding.Warning: 1, finding.Info: 2}
	slices.SortStableFunc(out, func(a, b Note) int { return weight[a.Severity] - weight[b.Severity] })
	return alike(out)
}

// alike folds notes that differ in their figures alone: where there are more
// than three of a kind, the first is told, and of which others the like holds.
// The details of a benchmark, and JSON, have them all.
func alike(all []Note) []Note {
	const most = 3
	kind := func(n Note) finding.Finding {
		return finding.Finding{ID: n.ID, Severity: n.Severity, Action: n.Action}
	}
	foldable := func(n Note) bool {
		return n.Severity != finding.Severe && len(n.Subjects) > 0 && !strings.Contains(n.Message, "\n")
	}
	kinds := make(map[finding.Finding]int)
	for _, n := range all {
		if foldable(n) {
			kinds[kind(n)]++
		}
	}
	var out []Note
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
			others[k] = append(others[k], n.Subjects...)
		}
	}
	for k, i := range first {
		out[i].Message += " (the like, with other figures: " + words.List(others[k]) + ")"
	}
	return out
}

// Notes gathers the findings of the document, severest first.
func (d Document) Notes() []Note {
	var lists [][]finding.Finding
	if c := d.Comparison; c != nil {
		lists = append(lists, c.Findings)
		for i := range c.Benchmarks {
			lists = append(lists, c.Benchmarks[i].Findings)
		}
	} else if r := d.Run; r != nil {
		lists = append(lists, r.Findings)
		for i := range r.Benchmarks {
			lists = append(lists, r.Benchmarks[i].Findings)
		}
	}
	return notes(lists...)
}
