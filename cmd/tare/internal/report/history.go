package report

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/tarebench/tare/cmd/tare/internal/history"
	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/words"
)

// History is a view of a history: the series of some benchmarks, relative to
// one commit.
type History struct {
	Graph     *history.Graph
	Reference int
	Series    []history.Series
	Skipped   []history.Skipped
}

// NewHistory returns the view of the benchmarks whose names match.
func NewHistory(g *history.Graph, skipped []history.Skipped, reference int, match func(name string) bool) History {
	h := History{Graph: g, Reference: reference, Skipped: skipped}
	for _, key := range g.Keys() {
		if match(key.Name) {
			h.Series = append(h.Series, g.Series(key, reference))
		}
	}
	return h
}

// HistoryText writes a line per benchmark, or the curves of one.
func HistoryText(w io.Writer, h History) error {
	var t strings.Builder
	if len(h.Graph.Commits) == 0 {
		t.WriteString("The history is empty: tare history record adds the commit that is checked out.\n")
	} else {
		ref := h.Graph.Commits[h.Reference]
		words.Fprintf(&t, "%s, relative to %s\n", words.Plural(h.Graph.Line, "commit"), CommitWords(ref))
	}
	width := 0
	for _, s := range h.Series {
		width = max(width, words.Columns(SeriesName(s.Key)))
	}
	one := oneBenchmark(h.Series)
	for _, s := range h.Series {
		if one && (len(h.Series) == 1 || !flat(h, s)) {
			historyCurve(&t, h, s)
		} else {
			historyLine(&t, h, s, width)
		}
	}
	if o := h.Graph.Online(); o.Tests > 0 {
		words.Fprintf(&t, "%s measured again, %s found: %s.\n", words.Plural(o.Tests, "candidate"), words.Plural(o.Found, "change"), lifetimeRate)
	}
	for _, s := range h.Skipped {
		words.Fprintf(&t, "not read: %s: %s\n", s.Name, s.Err.Error())
	}
	_, err := io.WriteString(w, t.String())
	return err
}

func oneBenchmark(all []history.Series) bool {
	return !slices.ContainsFunc(all, func(s history.Series) bool { return s.Pkg != all[0].Pkg || s.Name != all[0].Name })
}

func flat(h History, s history.Series) bool {
	for k := range h.Graph.Line {
		if words.Known(s.Level[k]) && math.Abs(s.Level[k]) > 1e-9 {
			return false
		}
	}
	return len(s.Changes)+len(s.Candidates) == 0
}

var lifetimeRate = fmt.Sprintf("of all changes that a history ever reports, at most %.0f%% are false in expectation", 100*history.Alpha)

const widestName = 72

// SeriesName returns the benchmark of a series, and its unit if it is not time.
func SeriesName(k history.Key) string {
	name := k.Name
	if k.Unit != "sec/op" {
		name += " " + k.Unit
	}
	return words.Shorten(words.Printable(name), widestName)
}

// CommitWords returns the short hash and the subject of a commit.
func CommitWords(c history.Commit) string {
	text := c.Hash[:min(len(c.Hash), 10)]
	if c.Subject != "" {
		text += " " + c.Subject
	}
	return words.Printable(text)
}

func historyLine(t *strings.Builder, h History, s history.Series, width int) {
	name := SeriesName(s.Key)
	words.Fprintf(t, "%s%s  ", name, strings.Repeat(" ", width-words.Columns(name)))
	last := -1
	for k := range h.Graph.Line {
		if words.Known(s.Level[k]) {
			last = k
		}
	}
	if last < 0 {
		words.Fprintf(t, "not connected with %s\n", CommitWords(h.Graph.Commits[h.Reference]))
		return
	}
	words.Fprintf(t, "%12s  %s", LevelWords(s, last), levelLine(s.Level[:h.Graph.Line], 30))
	for _, c := range s.Changes {
		words.Fprintf(t, "  %s at %.10s", StepWords(c.LogRatio, c.Lo, c.Hi), c.Commit)
	}
	if n := len(s.Candidates); n > 0 {
		words.Fprintf(t, "  %s to measure", words.Plural(n, "candidate"))
	}
	if n := len(Apart(h, s)); n > 0 {
		words.Fprintf(t, "  %s not connected", words.Plural(n, "commit"))
	}
	t.WriteByte('\n')
}

// Apart returns the commits of the line that were compared, but that no
// comparison connects with the reference.
func Apart(h History, s history.Series) (all []int) {
	for k := range h.Graph.Line {
		compared := func(e history.Edge) bool { return e.Old == k || e.New == k }
		if !words.Known(s.Level[k]) && slices.ContainsFunc(s.Edges, compared) {
			all = append(all, k)
		}
	}
	return all
}

// LevelWords returns the level of commit k relative to the reference.
func LevelWords(s history.Series, k int) string { return words.Change(levelOf(s, k)) }

func levelOf(s history.Series, k int) result.Change {
	return logChange(s.Level[k], s.Level[k]-1.96*s.SD[k], s.Level[k]+1.96*s.SD[k])
}

func logChange(center, lo, hi float64) result.Change {
	return result.Change{Ratio: math.Exp(center), Lo: math.Exp(lo), Hi: math.Exp(hi)}
}

// StepWords returns a change with its interval, from logarithms.
func StepWords(center, lo, hi float64) string { return changeWithRange(logChange(center, lo, hi)) }

// levelLine draws levels as blocks, each the mean of the levels that it covers.
// A dot is a block without levels.
func levelLine(level []float64, width int) string {
	n := min(width, len(level))
	if n == 0 {
		return ""
	}
	sums, counts := make([]float64, n), make([]int, n)
	lo, hi := math.Inf(1), math.Inf(-1)
	for i, v := range level {
		if words.Known(v) {
			sums[i*n/len(level)] += v
			counts[i*n/len(level)]++
			lo, hi = min(lo, v), max(hi, v)
		}
	}
	var b strings.Builder
	for i, sum := range sums {
		if counts[i] == 0 {
			b.WriteRune('·')
			continue
		}
		at := 0
		if hi-lo > 1e-9 {
			at = int(math.Round((sum/float64(counts[i]) - lo) / (hi - lo) * float64(len(sparks)-1)))
		}
		b.WriteRune(sparks[at])
	}
	return b.String()
}

func historyCurve(t *strings.Builder, h History, s history.Series) {
	words.Fprintf(t, "%s\n", SeriesName(s.Key))
	lo, hi := 0.0, 0.0
	for k := range h.Graph.Line {
		if words.Known(s.Level[k]) {
			lo, hi = min(lo, s.Level[k]), max(hi, s.Level[k])
		}
	}
	change := make(map[int]history.Change)
	for _, c := range s.Changes {
		change[c.At] = c
	}
	candidate := make(map[int]bool)
	for _, c := range s.Candidates {
		candidate[c.Commit] = true
	}
	const width = 40
	for k := range h.Graph.Line {
		if !words.Known(s.Level[k]) {
			continue
		}
		bar := ""
		if hi-lo > 1e-9 {
			bar = strings.Repeat(" ", int(math.Round((s.Level[k]-lo)/(hi-lo)*width))) + "*"
		}
		line := fmt.Sprintf("%10s  %-*s  %s", LevelWords(s, k), width+1, bar, words.Shorten(CommitWords(h.Graph.Commits[k]), 50))
		words.Fprintf(t, "%s\n", strings.TrimRight(line, " "))
		if c, ok := change[k]; ok {
			words.Fprintf(t, "%10s  change %s\n", "", StepWords(c.LogRatio, c.Lo, c.Hi))
		} else if candidate[k] {
			words.Fprintf(t, "%10s  candidate for a change: tare history record measures it\n", "")
		}
	}
	for _, k := range Apart(h, s) {
		words.Fprintf(t, "%s: not connected with %s\n", words.Shorten(CommitWords(h.Graph.Commits[k]), 50), CommitWords(h.Graph.Commits[h.Reference]))
	}
}

type historyDocument struct {
	Schema    int              `json:"schema"`
	Reference string           `json:"reference"`
	Commits   []history.Commit `json:"commits"`
	Series    []historySeries  `json:"series"`
	// Confirmed has the changes that were measured again, and how often a
	// confirmation is wrong.
	Confirmed historyConfirmed `json:"confirmed"`
}

type historyConfirmed struct {
	// FalseDiscoveryRate is the expected share of false ones among all changes
	// that the history ever reports.
	FalseDiscoveryRate float64 `json:"falseDiscoveryRate"`
	Candidates         int     `json:"candidates"`
	Changes            int     `json:"changes"`
}

type historySeries struct {
	Pkg  string `json:"pkg"`
	Name string `json:"name"`
	Unit string `json:"unit"`
	// Levels are ratios to the reference, by commit, or null if unknown.
	Levels     []*result.Change   `json:"levels"`
	Changes    []history.Decision `json:"changes"`
	Candidates []string           `json:"candidates,omitempty"`
	// Apart are commits that no comparison connects with the reference.
	Apart []string `json:"apart,omitempty"`
}

// HistoryJSON writes levels and changes.
func HistoryJSON(w io.Writer, h History) error {
	d := historyDocument{Schema: result.Schema, Commits: append([]history.Commit{}, h.Graph.Commits[:h.Graph.Line]...), Series: []historySeries{}}
	online := h.Graph.Online()
	d.Confirmed = historyConfirmed{history.Alpha, online.Tests, online.Found}
	if len(h.Graph.Commits) > 0 {
		d.Reference = h.Graph.Commits[h.Reference].Hash
	}
	for _, s := range h.Series {
		out := historySeries{Pkg: s.Pkg, Name: s.Name, Unit: s.Unit, Changes: []history.Decision{}}
		for k := range d.Commits {
			var c *result.Change
			if words.Known(s.Level[k]) {
				c = new(levelOf(s, k))
			}
			out.Levels = append(out.Levels, c)
		}
		for _, c := range s.Changes {
			out.Changes = append(out.Changes, c.Decision)
		}
		for _, c := range s.Candidates {
			out.Candidates = append(out.Candidates, h.Graph.Commits[c.Commit].Hash)
		}
		for _, k := range Apart(h, s) {
			out.Apart = append(out.Apart, h.Graph.Commits[k].Hash)
		}
		d.Series = append(d.Series, out)
	}
	return result.WriteJSON(w, d)
}
