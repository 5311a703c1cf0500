package report

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/tarebench/tare/cmd/tare/internal/catalog"
	"github.com/tarebench/tare/cmd/tare/internal/judge"
	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/words"
	"github.com/tarebench/tare/internal/unit"
)

// Gate reads the gate. If it did not pass, why lists the reasons, the name of
// every benchmark that causes it, and a line for each unit. Why always names what
// the gate did not see, and otherwise the coverage of a pass.
func Gate(c *result.Comparison) (o judge.Outcome, why string) {
	o = judge.GateOf(c)
	absent := absentLines(o)
	switch {
	case len(o.Rows) > 0:
		why = gateLines(o, c)
		if absent != "" {
			why += "\n" + absent
		}
	case absent != "":
		why = absent
		if _, missing := c.Gate[result.MissingPass]; missing && o.Gate == judge.Open {
			why = "gate: nothing was compared\n" + absent
		}
	case o.Gate == judge.Open:
		why = "gate: nothing was compared"
	case o.Horizon > 0:
		limit, _ := c.Gate.Of("sec/op", c.Delta)
		why = fmt.Sprintf("gate: no regression beyond %s, of what happens at least once in %.2g s", words.Percent(limit), o.Horizon)
	}
	return o, why
}

func absentLines(o judge.Outcome) string {
	var lines, names []string
	for _, r := range o.Absent {
		reason := string(r.Verdict)
		if r.Verdict == result.Missing {
			reason = "deleted"
		}
		if name := fmt.Sprintf("%s (%s)", words.Printable(words.RowName(r.Key, r.Row)), reason); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if len(names) > 0 {
		lines = append(lines, "gate: no result of the new variant: "+strings.Join(names, ", "))
	}
	for _, f := range o.Lost {
		first, _, _ := strings.Cut(strings.TrimSpace(f.Message), "\n")
		lines = append(lines, words.Printable(fmt.Sprintf("gate: %s: %s", f.Subject, first)))
	}
	return strings.Join(lines, "\n")
}

func gateLines(o judge.Outcome, c *result.Comparison) string {
	of, undirected := make(map[string][]string), make(map[string]bool)
	var lines, units []string
	for _, r := range o.Rows {
		if of[r.Unit] == nil {
			units = append(units, r.Unit)
		}
		name := words.Printable(words.RowName(r.Key, r.Row)) + pairOf(r, c)
		if result.IsCount(r.Unit) {
			name += fmt.Sprintf(" (%s to %s%s)", whole(r.Old.Center), whole(r.New.Center), allocationAt(c, r))
		}
		of[r.Unit], undirected[r.Unit] = append(of[r.Unit], name), r.Direction() == unit.Unknown
	}
	for _, u := range units {
		limit, none := c.Gate.For(u, c.Delta)
		in, within := " in "+u, words.Percent(limit)
		if u == "sec/op" {
			in = ""
		}
		line := fmt.Sprintf("gate: a regression%s, and not within %s: ", in, within)
		switch {
		case o.Gate == judge.Open:
			line = fmt.Sprintf("gate: a regression%s beyond %s is not excluded: ", in, within)
		case undirected[u]:
			line = fmt.Sprintf("gate: a change in %s, and not within %s: ", u, within)
		case none:
			line = fmt.Sprintf("gate: more %s: ", u)
		case result.IsCount(u):
			line = fmt.Sprintf("gate: more %s, and not within %s: ", u, within)
		}
		lines = append(lines, line+strings.Join(of[u], ", "))
	}
	return strings.Join(lines, "\n")
}

// allocationAt returns the place of the first likely cause that has one, after a
// comma. An allocation comes first, then a constant, such as a size.
func allocationAt(c *result.Comparison, r *result.BenchmarkComparison) string {
	for _, word := range []string{"allocates", "other constants", ""} {
		for _, f := range c.Findings {
			cause, _ := f.Values["cause"].(string)
			if catalog.LikelyCause.Is(f) && f.Subject == r.Name && f.Values["pkg"] == r.Pkg && f.Values["file"] != nil && strings.Contains(cause, word) {
				return words.Printable(fmt.Sprintf(", %v:%v", f.Values["file"], f.Values["line"]))
			}
		}
	}
	return ""
}

// whole formats a count without a prefix: 1024 and 1025 differ.
func whole(v float64) string { return strconv.FormatFloat(math.Round(v*100)/100, 'f', -1, 64) }
