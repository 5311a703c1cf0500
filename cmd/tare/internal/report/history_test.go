package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/tarebench/tare/cmd/tare/internal/history"
)

// TestHistoryOfAbsurdChanges: a store with changes beyond any number is
// displayed in every format.
func TestHistoryOfAbsurdChanges(t *testing.T) {
	t.Parallel()
	var files []history.File
	var line []string
	hash := func(k int) string { return fmt.Sprintf("%040x", k) }
	for k := range 40 {
		line = append(line, hash(k))
		if k > 0 {
			files = append(files, history.File{Entry: history.Entry{Study: &history.Study{Old: history.Commit{Hash: hash(k - 1)}, New: history.Commit{Hash: hash(k)},
				Rows: []history.Row{{Name: "A\x1b[31m", Unit: "sec/op", LogRatio: 50, Lo: -50, Hi: 50, Blocks: 8}}}}})
		}
	}
	g := history.NewGraph(files, line)
	h := History{Graph: g}
	for _, key := range g.Keys() {
		h.Series = append(h.Series, g.Series(key, 0))
	}
	for name, write := range map[string]func(io.Writer, History) error{"text": HistoryText, "json": HistoryJSON} {
		var b bytes.Buffer
		if err := write(&b, h); err != nil || b.Len() == 0 {
			t.Errorf("%s: %v", name, err)
		}
		if bytes.ContainsRune(b.Bytes(), '\x1b') {
			t.Errorf("%s: a control character of a name reaches the terminal", name)
		}
	}
}

// The text names the additions, with the error rate if there is a change.
func TestRecordedText(t *testing.T) {
	t.Parallel()
	c := history.Commit{Hash: "aaaaaaaaaaaaaaaa", Subject: "one"}
	found := history.Decision{Commit: "bbbbbbbbbbbbbbbb", Name: "A", Unit: "sec/op", LogRatio: 0.1, Lo: 0.09, Hi: 0.11, P: 0.001, Found: true}
	undecided := history.Decision{Commit: "bbbbbbbbbbbbbbbb", Name: "B", Unit: "B/op", P: 1, Undecided: true}
	var b bytes.Buffer
	for _, r := range []history.Outcome{
		{Commit: c, Edges: 2, Same: []history.Commit{{Hash: "cccccccccccccc"}}},
		{Commit: c, Edges: 1, Left: []string{"p: \x1b"}, Decisions: []history.Decision{found, undecided}, Open: 1},
	} {
		if err := RecordedText(&b, r); err != nil {
			t.Fatal(err)
		}
	}
	want := `aaaaaaaaaa one: 2 rows recorded
not compared with cccccccccc again: the code equals the parent's, which was
aaaaaaaaaa one: 1 row recorded
not measured: p: \x1b
A: change at bbbbbbbbbb, +10.5% (+9.4 … +11.6%), p=0.001
B B/op: undecided at bbbbbbbbbb, +0%, p=1
(of all changes that a history ever reports, at most 5% are false in expectation)
1 candidate left to measure
`
	if got := b.String(); got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}

// The error rate is in every view.
func TestHistoryOfDecisions(t *testing.T) {
	t.Parallel()
	hash := func(k int) string { return fmt.Sprintf("%040x", k) }
	line := []string{hash(0), hash(1), hash(2)}
	edge := func(k int, ratio float64) history.File {
		return history.File{Entry: history.Entry{Study: &history.Study{Old: history.Commit{Hash: hash(k - 1)}, New: history.Commit{Hash: hash(k)},
			Rows: []history.Row{{Name: "A", Unit: "sec/op", LogRatio: ratio, Lo: ratio - 0.01, Hi: ratio + 0.01, Blocks: 8},
				{Name: "A", Unit: "B/op", Blocks: 8}}}}}
	}
	decision := history.Decision{Commit: hash(1), Name: "A", Unit: "sec/op", LogRatio: 0.1, Lo: 0.09, Hi: 0.11, P: 0.001, Found: true}
	g := history.NewGraph([]history.File{edge(1, 0.1), edge(2, 0), {Entry: history.Entry{Decision: &decision}}}, line)
	h := NewHistory(g, nil, 0, func(string) bool { return true })
	var text, document bytes.Buffer
	if err := errors.Join(HistoryText(&text, h), HistoryJSON(&document, h)); err != nil {
		t.Fatal(err)
	}
	// A curve of the unit that moves, a line of the one that does not.
	for _, want := range []string{"\nA B/op        +0.00%  ▁▁▁\nA\n", "change +10.5%", "1 candidate measured again, 1 change found: of all changes that a history ever reports, at most 5% are false in expectation.\n"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("no %q in\n%s", want, text.String())
		}
	}
	var got struct {
		Confirmed historyConfirmed `json:"confirmed"`
	}
	if err := json.Unmarshal(document.Bytes(), &got); err != nil || got.Confirmed != (historyConfirmed{0.05, 1, 1}) {
		t.Errorf("%+v, %v", got, err)
	}
}
