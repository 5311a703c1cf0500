package benchfile

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"golang.org/x/perf/benchfmt"
	"golang.org/x/perf/benchunit"

	"github.com/tarebench/tare/cmd/tare/internal/kind"
	"github.com/tarebench/tare/internal/finding"
)

const (
	// mostMalformed is how many lines are named one by one.
	mostMalformed = 10
)

// parse gathers the results of lines into series. Original maps the number of
// a line to that in the file.
func (f *File) parse(lines io.Reader, g *gatherer, original func(int) int) error {
	reader := benchfmt.NewReader(lines, f.Path)
	malformed := 0
	bad := func(line int, message string) {
		if malformed++; malformed <= mostMalformed {
			f.Findings = append(f.Findings, kind.MalformedLine.Of(fmt.Sprintf("%s:%d", f.Path, original(line)), finding.Text("why", message)))
		}
	}
	for reader.Scan() {
		switch rec := reader.Result().(type) {
		case *benchfmt.SyntaxError:
			bad(rec.Line, rec.Msg)
		case *benchfmt.Result:
			if i := nonFinite(rec.Values); i >= 0 {
				_, line := rec.Pos()
				bad(line, fmt.Sprintf("%v %s is not a measurement", rec.Values[i].Value, rec.Values[i].Unit))
				continue
			}
			g.add(rec)
		}
	}
	if malformed > mostMalformed {
		f.Findings = append(f.Findings, kind.MalformedLines.Of(f.Path, finding.Count("lines", malformed-mostMalformed, "line")))
	}
	f.Series, f.Results = g.series, int(g.count)
	f.Units = reader.Units()
	return reader.Err()
}

// nonFinite finds a value that is no number, or -1.
func nonFinite(values []benchfmt.Value) int {
	return slices.IndexFunc(values, func(v benchfmt.Value) bool { return math.IsNaN(v.Value) || math.IsInf(v.Value, 0) })
}

// gatherer finds the series of a result. The configuration rarely changes and
// names repeat: a result costs one map look-up, and the lines of most results
// need no parser (repeat.go).
type gatherer struct {
	series []*Series
	now    *state // of the last result
	last   *Series
	states map[string]*state
	count  int32
	// settled is true while the configuration in force is that of now: no line
	// that may change it came after the last result.
	settled bool
	values  []float64 // of the line that repeat reads
	// runs is how many values of a series to make room for; 0 before the first
	// one is repeated.
	runs int
}

// state is a configuration, as it was read and as it counts, with the series
// under it.
type state struct {
	read, config []benchfmt.Config
	byName       map[string]*Series
}

func newGatherer() *gatherer { return &gatherer{states: make(map[string]*state)} }

func (g *gatherer) add(r *benchfmt.Result) {
	if g.now == nil || !sameConfig(g.now.read, r.Config) {
		g.enter(r.Config)
	}
	g.settled = true
	s := g.now.byName[string(r.Name)]
	var last *Series
	for s != nil && !s.hasUnits(r.Values) {
		last, s = s, s.other
	}
	if s == nil {
		s = newSeries(g.now, r, g.last)
		g.series = append(g.series, s)
		if last == nil {
			g.now.byName[s.Name] = s
		} else {
			last.other = s
		}
	}
	for i, v := range r.Values {
		s.Values[i].Append(v.Value)
	}
	s.tail = s.tail[:0]
	g.place(s)
}

// place numbers the result that was added to s.
func (g *gatherer) place(s *Series) {
	if g.last != nil {
		g.last.next = s
	}
	g.last = s
	s.Places.Append(int(g.count))
	g.count++
}

// enter makes config the current configuration.
func (g *gatherer) enter(config []benchfmt.Config) {
	var key strings.Builder
	for _, c := range config {
		fmt.Fprintf(&key, "%q:%q ", c.Key, c.Value)
	}
	st := g.states[key.String()]
	if st == nil {
		st = &state{byName: make(map[string]*Series)}
		for _, c := range config {
			c.Value = bytes.Clone(c.Value)
			st.read = append(st.read, c)
			// "go: downloading …" has the form of a configuration line.
			if c.Key != "go" || !bytes.HasPrefix(c.Value, []byte("downloading ")) {
				st.config = append(st.config, c)
			}
		}
		g.states[key.String()] = st
	}
	g.now = st
}

func sameConfig(a, b []benchfmt.Config) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i].Key != b[i].Key || !bytes.Equal(a[i].Value, b[i].Value) {
			return false
		}
	}
	return true
}

// newSeries makes a series for a result. It shares the units of the series before
// it where they are the same.
func newSeries(under *state, r *benchfmt.Result, before *Series) *Series {
	s := &Series{Config: under.config, under: under, Name: r.Name.String(), Values: make([]Column, len(r.Values))}
	if before != nil && slices.EqualFunc(before.Units, r.Values, func(u Unit, v benchfmt.Value) bool { return u == baseUnit(v) }) {
		s.Units, s.printed = before.Units, before.printed
		return s
	}
	for _, v := range r.Values {
		u := baseUnit(v)
		s.Units, s.printed = append(s.Units, u), append(s.printed, asPrinted(u))
	}
	return s
}

// baseUnit names the unit of a value. The reader leaves "0 ns/op" as it is,
// because benchunit leaves 0 ns/op unscaled: it is 0 seconds all the same.
func baseUnit(v benchfmt.Value) Unit {
	if v.OrigUnit != "" {
		return Unit{Base: v.Unit, Printed: v.OrigUnit}
	}
	if _, base := benchunit.Tidy(1, v.Unit); base != v.Unit {
		return Unit{Base: base, Printed: v.Unit}
	}
	return Unit{Base: v.Unit}
}

func (s *Series) hasUnits(values []benchfmt.Value) bool {
	if len(s.Units) != len(values) {
		return false
	}
	for i, v := range values {
		if s.Units[i].Base != v.Unit && s.Units[i] != baseUnit(v) {
			return false
		}
	}
	return true
}

// Fill makes r the series as one result line of x/perf, with its first
// values: for filters and projections, which look at everything but the
// values. File is the value of the ".file" key. A nil r, or one of another
// configuration, is replaced by a new one.
func (s *Series) Fill(r *benchfmt.Result, file string) *benchfmt.Result {
	if r == nil || !sameConfig(r.Config[:len(r.Config)-1], s.Config) {
		r = &benchfmt.Result{Iters: 1}
		r.Config = append(r.Config, s.Config...)
		r.Config = append(r.Config, benchfmt.Config{Key: ".file"})
	}
	r.Config[len(r.Config)-1].Value = []byte(file)
	r.Name = append(r.Name[:0], s.Name...)
	r.Values = r.Values[:0]
	for i, u := range s.Units {
		r.Values = append(r.Values, benchfmt.Value{Value: s.Values[i].First(), Unit: u.Base, OrigUnit: u.Printed})
	}
	return r
}
