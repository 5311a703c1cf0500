package report

import (
	"bytes"
	"fmt"
	"io"
	"testing"

	"github.com/tarebench/tare/internal/history"
)

// TestHistoryOfAbsurdChanges: a store that holds changes beyond any number is
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
	p := history.Points{Commit: history.Commit{Hash: hash(3)}, Values: []history.Value{{Name: "A", Unit: "x\x1b[31m", Value: -1e308, Lo: -1e308, Hi: 1e308}}}
	files = append(files, history.File{Entry: history.Entry{Points: &p}})
	g := history.NewGraph(files, line)
	h := History{Graph: g, Tracks: g.Tracks()}
	for _, key := range g.Keys() {
		h.Series = append(h.Series, g.Series(key, 0))
	}
	for name, write := range map[string]func(io.Writer, History) error{"text": HistoryText, "json": HistoryJSON, "csv": HistoryCSV} {
		var b bytes.Buffer
		if err := write(&b, h); err != nil || b.Len() == 0 {
			t.Errorf("%s: %v", name, err)
		}
		if name != "csv" && bytes.ContainsRune(b.Bytes(), '\x1b') {
			t.Errorf("%s: a control character of a name reaches the terminal", name)
		}
	}
}
