package result

import (
	"bytes"
	"encoding/json"
	"math"
	"strings"
	"testing"
)

// A line is one of JSON of at most 400 bytes, whatever is in it; three names of
// 40 letters fit.
func TestBriefFits(t *testing.T) {
	name := strings.Repeat("B", 40)
	row := func(name string) BriefRow {
		return NewBriefRow(name, "sec/op", Change{Ratio: 0.97123456, Lo: 0.96, Hi: 0.98765432})
	}
	for _, test := range []struct {
		what         string
		line         Brief
		rows, others int
	}{
		{"three rows", Brief{Verdict: "faster", Changed: []BriefRow{row(name), row(name), row(name)}, Others: 120, Undecided: 3, Next: "tare show"}, 3, 120},
		{"five rows", Brief{Verdict: "keep", Attempt: 123, Kept: 12, Level: 0.000123, Changed: []BriefRow{row("A"), row("B"), row("C"), row("D"), row("E")}}, 3, 2},
		{"long texts", Brief{Verdict: "revert", Changed: []BriefRow{row(strings.Repeat("ä", 300))}, Reason: strings.Repeat("x", 500), Next: strings.Repeat("y", 500)}, 1, 0},
		{"wide letters", Brief{Verdict: "revert", Changed: []BriefRow{row(strings.Repeat("\x01", 60)), row(strings.Repeat("\x01", 60))}}, 1, 1},
		{"unknown", Brief{Verdict: "failed", Changed: []BriefRow{NewBriefRow("A", "B/op", Change{Ratio: math.NaN(), Lo: math.NaN(), Hi: math.Inf(1)})}}, 1, 0},
	} {
		var b bytes.Buffer
		if err := WriteBrief(&b, test.line); err != nil {
			t.Fatal(err)
		}
		if b.Len() > BriefBytes || strings.Count(b.String(), "\n") != 1 {
			t.Errorf("%s: %d bytes: %s", test.what, b.Len(), b.String())
		}
		var back Brief
		if err := json.Unmarshal(b.Bytes(), &back); err != nil {
			t.Fatal(err)
		}
		if len(back.Changed) != test.rows || back.Others != test.others || back.Verdict != test.line.Verdict {
			t.Errorf("%s: %s", test.what, b.String())
		}
	}
}
