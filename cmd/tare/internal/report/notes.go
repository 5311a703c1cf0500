package report

import (
	"slices"
	"strings"

	"github.com/tarebench/tare/cmd/tare/internal/catalog"
	"github.com/tarebench/tare/cmd/tare/internal/words"
	"github.com/tarebench/tare/internal/finding"
)

// Note is one finding with every subject that it is about.
type Note struct {
	finding.Finding
	Subjects []string
	has      map[string]bool
}

func (n *Note) about(subjects ...string) {
	for _, s := range subjects {
		if s != "" && !n.has[s] {
			n.Subjects, n.has[s] = append(n.Subjects, s), true
		}
	}
}

// notes joins findings with the same words about several subjects, severest
// first.
func notes(lists ...[]finding.Finding) []Note {
	var out []Note
	index := make(map[string]int)
	for _, f := range slices.Concat(lists...) {
		key := strings.Join([]string{f.ID, string(f.Severity), f.Message, f.Action}, "\x00")
		i, ok := index[key]
		if !ok {
			i = len(out)
			index[key] = i
			out = append(out, Note{Finding: f, has: make(map[string]bool)})
		}
		out[i].about(f.Subject)
	}
	rank := map[finding.Severity]int{finding.Severe: 0, finding.Warning: 1, finding.Info: 2}
	slices.SortStableFunc(out, func(a, b Note) int { return rank[a.Severity] - rank[b.Severity] })
	return fold(out)
}

// fold replaces more than three notes of one kind about more than three subjects
// by the first, with the subjects of the others. The details of a benchmark,
// and JSON, have them all. What could not be read is named, each time.
func fold(all []Note) []Note {
	const most = 3
	class := func(n Note) string { return n.ID + "\x00" + string(n.Severity) }
	foldable := func(n Note) bool {
		return n.Severity != finding.Severe && !catalog.MalformedLine.Is(n.Finding) && len(n.Subjects) > 0 && !strings.Contains(n.Message, "\n")
	}
	count, about := make(map[string]int), make(map[string]*Note)
	for _, n := range all {
		if k := class(n); foldable(n) {
			if count[k]++; about[k] == nil {
				about[k] = &Note{has: make(map[string]bool)}
			}
			about[k].about(n.Subjects...)
		}
	}
	var out []Note
	folded := make(map[string]bool)
	for _, n := range all {
		k := class(n)
		if foldable(n) && count[k] > most && len(about[k].Subjects) > most {
			if folded[k] {
				continue
			}
			folded[k] = true
			what := "numbers"
			if catalog.LikelyCause.Is(n.Finding) {
				what = "causes"
			}
			if rest := slices.DeleteFunc(slices.Clone(about[k].Subjects), func(s string) bool { return n.has[s] }); len(rest) > 0 {
				n.Message += " (with other " + what + ": " + words.List(rest) + ")"
			}
		}
		out = append(out, n)
	}
	return out
}

// OneStep returns the notes of a list with each next step once: of the notes of one
// kind with the same one, only the last has it.
func OneStep(all []Note) []Note {
	out, said := slices.Clone(all), make(map[string]bool)
	for i := range slices.Backward(out) {
		step := out[i].ID + "\x00" + out[i].Action
		if said[step] {
			out[i].Action = ""
		}
		said[step] = true
	}
	return out
}

// Notes returns the findings of the document, severest first.
func (d Document) Notes() []Note {
	lists := [][]finding.Finding{d.Comparison.Findings}
	for _, b := range d.Comparison.Benchmarks {
		if !absent(&b) { // see Absent
			lists = append(lists, b.Findings)
		}
	}
	return notes(lists...)
}
