package report

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tarebench/tare/finding"
	"github.com/tarebench/tare/internal/report/words"
	"github.com/tarebench/tare/internal/result"
)

// evil is a name that tries an escape sequence and a change of direction.
const evil = "Evil\x1b[2J\u202e"

func TestGateWords(t *testing.T) {
	c := &result.Comparison{Delta: 0.03}
	rows := []*result.BenchmarkComparison{{Key: result.Key{Name: "A", Procs: 2}}, {Key: result.Key{Name: "B"}}, {Key: result.Key{Name: "C"}}, {Key: result.Key{Name: evil}}}
	for want, got := range map[string]string{
		"gate: a regression, and not within 3%: A-2":                                   Gate(c, rows[:1], true),
		"gate: a regression beyond 3% is not excluded: A-2, B, C, Evil\\x1b[2J\\u202e": Gate(c, rows, false),
		"gate: nothing was compared":                                                   Gate(c, nil, false),
	} {
		if got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
	if got := Gate(c, rows[3:], true); strings.ContainsAny(got, "\x1b\u202e") {
		t.Errorf("control characters in %q", got)
	}
}

// TestManyFindingsOfAKind: what differs in figures alone is reported once, with
// whom it also holds of; what is severe, or of another kind, is reported in full.
func TestManyFindingsOfAKind(t *testing.T) {
	stall := func(name, percent string) finding.Finding {
		return finding.Finding{ID: "stall", Severity: finding.Info, Subject: name, Message: "the mean takes " + percent + " more", Action: "look"}
	}
	grave := func(name string) finding.Finding {
		return finding.Finding{ID: "grave", Severity: finding.Severe, Subject: name, Message: name + " is broken", Action: "mend it"}
	}
	few := func(name string) finding.Finding {
		return finding.Finding{ID: "few", Severity: finding.Warning, Subject: name, Message: name + " has few", Action: "take more"}
	}
	list := []finding.Finding{
		stall("A", "5%"), stall("B", "6%"), stall("C", "6%"), stall("D", "7%"), stall("E", "8%"), stall("F", "9%"),
		few("A"), few("B"), few("C"), grave("A"), grave("B"), grave("C"), grave("D"),
	}
	var got []string
	for _, n := range notes(list) {
		got = append(got, words.List(n.Subjects)+": "+n.Message)
	}
	want := []string{
		"A: A is broken", "B: B is broken", "C: C is broken", "D: D is broken",
		"A: A has few", "B: B has few", "C: C has few",
		"A: the mean takes 5% more (with other numbers: B, C, D and 2 more)",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
