package benchtab

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/perf/benchfmt"
	"golang.org/x/perf/benchunit"

	"github.com/tarebench/tare/cmd/tare/internal/catalog"
	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/words"
	"github.com/tarebench/tare/internal/finding"
)

const mostMalformed = 10

// mostSettings bounds the configurations of a file times its configuration keys, since
// each configuration has a table with all keys. Files of results have a few of either.
const mostSettings = 1 << 18

// Series is the repeated results of one benchmark under one configuration, in
// the order in which they were taken.
type Series struct {
	// Config is the configuration in force ("goos: linux").
	Config []benchfmt.Config
	// Name is the full name without "Benchmark", with the -N suffix.
	Name string
	// Units are the measurements on each line, in base units.
	Units []Unit
	// Values has a list per unit, with a value per result.
	Values [][]float64
	// Places number the results in the file: the order of Values.
	Places []int
}

// Key splits the full name into name and GOMAXPROCS, and adds the package.
func (s *Series) Key() result.Key {
	k := result.Key{Pkg: s.Get("pkg"), Name: s.Name, Procs: 1}
	if i := strings.LastIndexByte(s.Name, '-'); i >= 0 {
		if n, err := strconv.Atoi(s.Name[i+1:]); err == nil && n > 0 && s.Name[i+1] != '+' {
			k.Name, k.Procs = s.Name[:i], n
		}
	}
	return k
}

// Get is the value of a configuration key, or empty if there is none.
func (s *Series) Get(key string) (value string) {
	for _, c := range s.Config {
		if c.Key == key {
			value = string(c.Value)
		}
	}
	return value
}

// Unit is a base unit and, if it differs, the unit as it was printed.
type Unit struct {
	Base, Printed string
}

// parse gathers the results of lines into series. Original maps the number of a
// line to its number in the file.
func (f *File) parse(lines *lineReader, original func(int) int) error {
	reader := benchfmt.NewReader(lines, f.Path)
	g := gatherer{file: f, configs: make(map[string]*configuration), keys: make(map[string]bool)}
	var bad unread
	for reader.Scan() {
		switch rec := reader.Result().(type) {
		case *benchfmt.SyntaxError:
			bad.add(rec.Line, "", "", rec.Msg)
		case *benchfmt.Result:
			_, line := rec.Pos()
			for _, v := range rec.Values {
				if !words.Known(v.Value) {
					bad.add(line, rec.Name.String(), v.Unit, fmt.Sprintf("%s has %v %s, which is not a measurement", rec.Name, v.Value, v.Unit))
				}
			}
			if rec.Values = slices.DeleteFunc(rec.Values, func(v benchfmt.Value) bool { return !words.Known(v.Value) }); len(rec.Values) > 0 {
				g.add(rec)
			}
			if n, k := len(g.configs), len(g.keys); n*k > mostSettings {
				return fmt.Errorf("line %d: %d configurations of %d keys are more than %d settings: split the file, or remove keys that vary", original(line), n, k, mostSettings)
			}
		}
	}
	for _, l := range lines.joiner.lost {
		name := strings.TrimPrefix(l.name, "Benchmark")
		bad.add(l.line, name, "", fmt.Sprintf("no result in %q", strings.TrimSpace(strings.ToValidUTF8(l.text, "?"))))
	}
	f.Findings = append(f.Findings, bad.findings(f.Path, original)...)
	f.Units = reader.Units()
	return reader.Err()
}

// unread collects what could not be read, once for each benchmark and unit.
type unread []unreadResult

type unreadResult struct {
	line, times     int
	name, unit, why string
}

func (u *unread) add(line int, name, unit, why string) {
	i := slices.IndexFunc(*u, func(r unreadResult) bool { return r.name == name && r.unit == unit && (name != "" || r.why == why) })
	if i < 0 {
		*u = append(*u, unreadResult{line, 1, name, unit, why})
		return
	}
	(*u)[i].times++
}

func (u unread) findings(path string, original func(int) int) []finding.Finding {
	slices.SortFunc(u, func(a, b unreadResult) int { return a.line - b.line })
	var out []finding.Finding
	for i, r := range u {
		if r.times > 1 {
			r.why += fmt.Sprintf(", and in %s more", finding.Count("", r.times-1, "line"))
		}
		if i == mostMalformed {
			r = unreadResult{line: r.line, why: finding.Count("", len(u)-i, "line").String() + " more do not parse"}
		}
		out = append(out, catalog.MalformedLine.Of(fmt.Sprintf("%s:%d", path, original(r.line)), finding.Text("why", r.why), finding.Text("name", r.name), finding.Text("unit", r.unit)))
		if i == mostMalformed {
			break
		}
	}
	return out
}

type gatherer struct {
	file    *File
	now     *configuration // of the last result
	configs map[string]*configuration
	keys    map[string]bool // of all configurations
}

// configuration is a configuration, as it was read and after normalization,
// with its series.
type configuration struct {
	read, config []benchfmt.Config
	byName       map[string][]*Series // one for each set of units
}

func (g *gatherer) add(r *benchfmt.Result) {
	if g.now == nil || !sameConfig(g.now.read, r.Config) {
		g.enter(r.Config)
	}
	var s *Series
	same := g.now.byName[string(r.Name)]
	if i := slices.IndexFunc(same, func(s *Series) bool { return s.hasUnits(r.Values) }); i >= 0 {
		s = same[i]
	} else {
		s = &Series{Config: g.now.config, Name: r.Name.String(), Values: make([][]float64, len(r.Values))}
		for _, v := range r.Values {
			s.Units = append(s.Units, baseUnit(v))
		}
		g.now.byName[s.Name] = append(same, s)
		g.file.Series = append(g.file.Series, s)
	}
	for i, v := range r.Values {
		s.Values[i] = append(s.Values[i], v.Value)
	}
	s.Places = append(s.Places, g.file.Results)
	g.file.Results++
}

func (g *gatherer) enter(config []benchfmt.Config) {
	var key strings.Builder
	for _, c := range config {
		fmt.Fprintf(&key, "%q:%q ", c.Key, c.Value)
	}
	g.now = g.configs[key.String()]
	if g.now != nil {
		return
	}
	g.now = &configuration{byName: make(map[string][]*Series)}
	for _, c := range config {
		g.keys[c.Key] = true
		c.Value = bytes.Clone(c.Value)
		g.now.read = append(g.now.read, c)
		c.Value = bytes.TrimSpace(c.Value) // blanks at the end are no other machine
		// "go: downloading …" has the form of a configuration line.
		if c.Key != "go" || !bytes.HasPrefix(c.Value, []byte("downloading ")) {
			g.now.config = append(g.now.config, c)
		}
	}
	g.configs[key.String()] = g.now
}

func sameConfig(a, b []benchfmt.Config) bool {
	return slices.EqualFunc(a, b, func(a, b benchfmt.Config) bool { return a.Key == b.Key && bytes.Equal(a.Value, b.Value) })
}

// baseUnit names the unit of a value. The reader does not normalize "0 ns/op",
// because benchunit does not scale it, but it is 0 seconds.
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

// Fill makes r the series as one result line of x/perf, with its first values.
// Filters and projections use r, and look at everything except the values. File
// is the value of the ".file" key. If r is nil or has another configuration,
// Fill returns a new one.
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
		r.Values = append(r.Values, benchfmt.Value{Value: s.Values[i][0], Unit: u.Base, OrigUnit: u.Printed})
	}
	return r
}
