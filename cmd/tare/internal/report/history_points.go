package report

import (
	"encoding/csv"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/tarebench/tare/cmd/tare/internal/history"
	"github.com/tarebench/tare/cmd/tare/internal/report/words"
)

// historyTracks lists imported points apart from the levels: a line for each
// benchmark and machine, or a line for each commit where there is one.
func historyTracks(t *strings.Builder, h History) {
	if len(h.Tracks) == 0 {
		return
	}
	t.WriteString("Points of other tools, which no level has a part in:\n")
	if len(h.Tracks) == 1 {
		trackCurve(t, h.Tracks[0])
		return
	}
	width := 0
	for _, track := range h.Tracks {
		width = max(width, words.Columns(seriesName(track.Key)))
	}
	for _, track := range h.Tracks {
		name := seriesName(track.Key)
		values := make([]float64, len(track.Points))
		for i, p := range track.Points {
			values[i] = p.Value.Value
		}
		last := track.Points[len(track.Points)-1]
		fmt.Fprintf(t, "%s%s  %12s  %s  %s on %s\n", name, strings.Repeat(" ", width-words.Columns(name)), PointWords(last.Value), levelLine(values, 30),
			words.Plural(len(values), "commit"), words.Printable(track.Machine))
	}
}

// trackCurve lists the commits of one benchmark with their values.
func trackCurve(t *strings.Builder, track history.Track) {
	fmt.Fprintf(t, "%s on %s\n", seriesName(track.Key), words.Printable(track.Machine))
	for _, p := range track.Points {
		fmt.Fprintf(t, "%20s  %s\n", PointWords(p.Value), words.Shorten(commitWords(p.Commit), 50))
	}
}

// PointWords is an imported value with its interval.
func PointWords(v history.Value) string {
	e := words.Bare(v.Value)
	e.N = max(1, v.N)
	if v.Lo != 0 || v.Hi != 0 {
		e.Lo, e.Hi = v.Lo, v.Hi
	}
	if math.IsNaN(e.Lo) {
		number, symbol := words.Scaled(v.Unit, v.Value)
		return strings.TrimSpace(number + " " + symbol)
	}
	return words.Value(e, words.Scale(v.Unit, v.Value))
}

// tracksCSV writes a line for each point, in the columns of levels; the value
// stands where levels do.
func tracksCSV(out *csv.Writer, tracks []history.Track) {
	number := func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
	for _, track := range tracks {
		for _, p := range track.Points {
			lo, hi := "", ""
			if p.Lo != 0 || p.Hi != 0 {
				lo, hi = number(p.Lo), number(p.Hi)
			}
			out.Write([]string{track.Pkg, track.Name, track.Unit, p.Commit.Hash, p.Commit.Time.Format("2006-01-02T15:04:05Z"),
				number(p.Value.Value), lo, hi, "", "point", track.Machine})
		}
	}
}

// historyTrack is the points of one benchmark on one machine.
type historyTrack struct {
	Kind    string         `json:"kind"` // "point"
	Pkg     string         `json:"pkg"`
	Name    string         `json:"name"`
	Unit    string         `json:"unit"`
	Machine string         `json:"machine"`
	Source  string         `json:"source"`
	Values  []historyPoint `json:"values"`
}

type historyPoint struct {
	Commit string   `json:"commit"`
	Value  float64  `json:"value"`
	Lo     *float64 `json:"lo,omitempty"`
	Hi     *float64 `json:"hi,omitempty"`
	N      int      `json:"n,omitempty"`
}

func tracksJSON(tracks []history.Track) (all []historyTrack) {
	for _, track := range tracks {
		one := historyTrack{Kind: "point", Pkg: track.Pkg, Name: track.Name, Unit: track.Unit, Machine: track.Machine, Source: track.Source}
		for _, p := range track.Points {
			v := historyPoint{Commit: p.Commit.Hash, Value: p.Value.Value, N: p.N}
			if p.Lo != 0 || p.Hi != 0 {
				v.Lo, v.Hi = &p.Lo, &p.Hi
			}
			one.Values = append(one.Values, v)
		}
		all = append(all, one)
	}
	return all
}
