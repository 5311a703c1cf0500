package result

import (
	"bytes"
	"encoding/json"
	"io"
	"math"
)

// BriefBytes is the most bytes of a [Brief], including its newline.
const BriefBytes = 400

// Brief is a result as one line of JSON, for scripts and agents: see
// docs/schema/line.schema.json. Numbers have five digits.
type Brief struct {
	Schema int `json:"schema"`
	// Verdict is the answer in one word: keep, revert, again or failed for an
	// attempt, and faster, slower, mixed, same or undecided for a comparison.
	Verdict string `json:"verdict"`
	// Exit is the exit code.
	Exit int `json:"exit"`
	// Reason is the reason, if the verdict does not show it.
	Reason string `json:"reason,omitempty"`
	// Changed are at most three benchmarks that decided. Others counts the
	// remaining ones, Undecided the undecided ones of them.
	Changed   []BriefRow `json:"changed"`
	Others    int        `json:"others,omitempty"`
	Undecided int        `json:"undecided,omitempty"`
	// Blind is the number of changed functions of which no slowdown would have been
	// seen. It is nil if none changed, or if it is not known which did.
	Blind *int `json:"blind,omitempty"`
	// Attempt is the number of an attempt, Kept the number of kept ones so far,
	// Level the error rate at which it was tested.
	Attempt int     `json:"attempt,omitempty"`
	Kept    int     `json:"kept,omitempty"`
	Level   float64 `json:"level,omitempty"`
	// Seconds is the time to decide the undecided benchmarks.
	Seconds float64 `json:"seconds,omitempty"`
	// Next is the command to run next.
	Next string `json:"next,omitempty"`
}

// BriefRow is one benchmark of a [Brief]: new/old with its interval.
type BriefRow struct {
	Name string `json:"name"`
	// Unit is empty for sec/op.
	Unit  string   `json:"unit,omitempty"`
	Ratio *float64 `json:"ratio"`
	Lo    *float64 `json:"lo"`
	Hi    *float64 `json:"hi"`
}

// NewBriefRow returns the row of a change.
func NewBriefRow(name, unit string, c Change) BriefRow {
	if unit == "sec/op" {
		unit = ""
	}
	return BriefRow{name, unit, known(digits(c.Ratio)), known(digits(c.Lo)), known(digits(c.Hi))}
}

func digits(v float64) float64 {
	if v == 0 || math.IsNaN(v) || math.IsInf(v, 0) {
		return v
	}
	scale := math.Pow(10, 4-math.Floor(math.Log10(math.Abs(v))))
	return math.Round(v*scale) / scale
}

// WriteBrief writes one line of at most [BriefBytes]. To fit, it drops rows from
// the end, then the longest fields.
func WriteBrief(w io.Writer, l Brief) error {
	Possible(&l)
	l.Schema, l.Level, l.Seconds = Schema, digits(l.Level), digits(l.Seconds)
	rows := make([]BriefRow, 0, 3)
	for i, r := range l.Changed {
		if i == cap(rows) {
			l.Others += len(l.Changed) - i
			break
		}
		r.Name = cut(r.Name, 40)
		rows = append(rows, r)
	}
	l.Changed = rows
	for {
		var b bytes.Buffer
		e := json.NewEncoder(&b)
		e.SetEscapeHTML(false)
		if err := e.Encode(l); err != nil {
			return err
		}
		n := b.Len() - BriefBytes
		switch {
		case n <= 0:
			_, err := w.Write(b.Bytes())
			return err
		case len(l.Reason) > 80:
			l.Reason = cut(l.Reason, 70)
		case len(l.Changed) > 1:
			l.Changed, l.Others = l.Changed[:len(l.Changed)-1], l.Others+1
		case l.Reason != "":
			l.Reason = ""
		case l.Next != "":
			l.Next = ""
		default: // a name with many bytes per letter
			l.Changed, l.Others = l.Changed[:0], l.Others+1
		}
	}
}

// cut shortens a text to a number of letters, the last of which marks the cut.
func cut(text string, letters int) string {
	if r := []rune(text); len(r) > letters {
		return string(r[:letters-1]) + "…"
	}
	return text
}
