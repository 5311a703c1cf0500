package html

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/tarebench/tare/cmd/tare/internal/history"
	"github.com/tarebench/tare/cmd/tare/internal/report"
	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/words"
	"github.com/tarebench/tare/internal/unit"
)

var (
	//go:embed assets/history.css
	historyStyle string
	//go:embed assets/history.js
	historyScript string
)

// WriteHistory writes a history as a page: one file that needs no network, with the
// curve of every benchmark, its intervals and its changes. The tables are readable
// without JavaScript, and the script draws the curves. Remote is the address of the
// repository as git has it. If it is a web site, commits link to it.
func WriteHistory(w io.Writer, h report.History, remote string) error {
	p := newHistoryPage(h, site(remote))
	numbers, err := json.Marshal(p.numbers) // escapes <, > and &
	if err != nil {
		return fmt.Errorf("write history page: %w", err)
	}
	f := frame{title: p.Title, style: historyStyle, scripts: []string{historyScript}}
	err = f.write(w, func(s *sheet) {
		p.body(s)
		s.put(`<script type="application/json" id="numbers">%s</script>`+"\n", markup(numbers))
	})
	if err != nil {
		return fmt.Errorf("write history page: %w", err)
	}
	return nil
}

type historyPage struct {
	Title, Headline, Reference string
	Rows                       []historyRow
	Changes                    []historyChange
	Notes                      []string
	numbers                    numbers
}

// historyRow is a benchmark of the list.
type historyRow struct {
	ID, Name, Pkg, Level, Class, Note string
	Changes                           int
}

// historyChange is a confirmed change.
type historyChange struct {
	ID, Name, Text, Class, Hash, Link, Subject, Day string
	at                                              int
}

// numbers is the input of the script. Logarithms are in steps of 0.001%.
type numbers struct {
	Site    string   `json:"site"`
	Commits []commit `json:"commits"`
	Curves  []curve  `json:"curves"`
}

type commit struct {
	Hash    string `json:"h"`
	Subject string `json:"s"`
	Day     string `json:"d"`
	Linked  bool   `json:"k,omitempty"`
	Full    string `json:"f,omitempty"` // the whole hash, if it is linked
}

type curve struct {
	Name string `json:"n"`
	// Level and Half are by commit: the level and half of its 95% interval. Both
	// are nil if the level is not known.
	Level []*int `json:"l"`
	Half  []*int `json:"w"`
	// Changes are commits, then the texts about them. Open are candidates.
	Changes []int    `json:"c"`
	Texts   []string `json:"t"`
	Open    []int    `json:"o,omitempty"`
	Notes   []string `json:"r,omitempty"`
	Lower   bool     `json:"b"` // a lower level is better
}

const step = 1e-5

func newHistoryPage(h report.History, site string) historyPage {
	p := historyPage{Title: "History", numbers: numbers{Site: site, Commits: []commit{}, Curves: []curve{}}}
	line := h.Graph.Commits[:h.Graph.Line]
	for _, c := range line {
		one := commit{Hash: short(c.Hash), Subject: words.Printable(c.Subject), Day: day(c), Linked: link(site, c.Hash) != ""}
		if one.Linked {
			one.Full = c.Hash
		}
		p.numbers.Commits = append(p.numbers.Commits, one)
	}
	if len(h.Graph.Commits) > 0 {
		ref := h.Graph.Commits[h.Reference]
		p.Reference = short(ref.Hash) + " " + words.Printable(ref.Subject)
	}
	for i, s := range h.Series {
		p.add(h, s, fmt.Sprint("b", i+1), site)
	}
	slices.SortStableFunc(p.Changes, func(a, b historyChange) int { return b.at - a.at })
	p.Headline = fmt.Sprintf("%s, %s, %s.", words.Plural(len(line), "commit"), words.Plural(len(h.Series), "benchmark"), words.Plural(len(p.Changes), "change"))
	for _, s := range h.Skipped {
		p.Notes = append(p.Notes, words.Printable("not read: "+s.Name+": "+s.Err.Error()))
	}
	return p
}

func (p *historyPage) add(h report.History, s history.Series, id, site string) {
	name := words.Printable(s.Name)
	if s.Unit != "sec/op" {
		name += " " + words.Printable(s.Unit)
	}
	c := curve{Name: name, Changes: []int{}, Texts: []string{}, Lower: unit.Better(s.Unit) != unit.HigherIsBetter}
	last := -1
	c.Level, c.Half = make([]*int, h.Graph.Line), make([]*int, h.Graph.Line)
	apart := 0
	for k := range h.Graph.Line {
		if words.Known(s.Level[k]) {
			last = k
			c.Level[k], c.Half[k] = steps(s.Level[k]), steps(1.96*s.SD[k])
		} else if s.Component[k] >= 0 {
			apart++
		}
	}
	r := historyRow{ID: id, Name: name, Pkg: words.Printable(s.Pkg), Level: "not connected", Changes: len(s.Changes)}
	if last >= 0 {
		r.Level = changeText(s.Level[last], s.Level[last]-1.96*s.SD[last], s.Level[last]+1.96*s.SD[last])
	}
	for _, one := range s.Changes {
		at := h.Graph.Commits[one.At]
		text := changeText(one.LogRatio, one.Lo, one.Hi)
		class := "slower"
		if (one.LogRatio < 0) == c.Lower {
			class = "faster"
		}
		ch := historyChange{ID: id, Name: name, Text: text, Class: class, Hash: short(at.Hash), Link: link(site, at.Hash), Subject: words.Printable(at.Subject), Day: day(at), at: one.At}
		p.Changes = append(p.Changes, ch)
		r.Class = class
		if one.At < h.Graph.Line {
			c.Changes, c.Texts = append(c.Changes, one.At), append(c.Texts, text)
		}
	}
	for _, one := range s.Candidates {
		c.Open = append(c.Open, one.Commit)
	}
	if len(c.Open) > 0 {
		c.Notes = append(c.Notes, words.Plural(len(c.Open), "candidate")+" for a change (hollow marks): tare history record measures them")
	}
	if apart > 0 {
		c.Notes = append(c.Notes, words.Plural(apart, "commit")+" not connected with "+p.Reference)
	}
	if len(c.Notes) > 0 {
		r.Note = "notes"
	}
	p.Rows, p.numbers.Curves = append(p.Rows, r), append(p.numbers.Curves, c)
}

func steps(v float64) *int {
	n := int(math.Round(v / step))
	return &n
}

func changeText(center, lo, hi float64) string {
	c := result.Change{Ratio: math.Exp(center), Lo: math.Exp(lo), Hi: math.Exp(hi)}
	return words.Change(c) + " (" + words.Range(c.Lo-1, c.Hi-1) + ")"
}

func short(hash string) string {
	if len(hash) > 10 {
		hash = hash[:10]
	}
	return words.Printable(hash)
}

func day(c history.Commit) string {
	if c.Time.IsZero() {
		return ""
	}
	return c.Time.UTC().Format("2006-01-02")
}
