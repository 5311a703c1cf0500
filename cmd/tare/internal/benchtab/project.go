package benchtab

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/perf/benchfmt"
	"golang.org/x/perf/benchproc"

	"github.com/tarebench/tare/cmd/tare/internal/catalog"
	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/internal/finding"
	"github.com/tarebench/tare/internal/unit"
)

// varyingKeys finds the configuration keys that only distinguish the files: the
// first file shares no value of the key with another one. Examples are a
// commit, a date or another machine. Split by such a key, no table would
// contain two variants. The tables omit these keys, and findings list them. The
// package is part of a benchmark's name and is never omitted.
func (t *Tables) varyingKeys(files []*File) []string {
	if t.Options.Table != "" || t.Options.Col != "" || len(files) < 2 {
		return nil
	}
	keys := make(map[string]bool)
	for _, f := range files {
		for _, s := range f.Series {
			for _, c := range s.Config {
				keys[c.Key] = true
			}
		}
	}
	delete(keys, "pkg")
	var out []string
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		values := make([]map[string]bool, len(files))
		for i, f := range files {
			values[i] = make(map[string]bool)
			for _, s := range f.Series {
				values[i][s.Get(key)] = true
			}
		}
		for i := 1; i < len(files); i++ {
			if !intersect(values[0], values[i]) {
				out = append(out, key)
				t.Findings = append(t.Findings, apartFinding(key, files[0].Label, values[0], files[i].Label, values[i]))
				break
			}
		}
	}
	return out
}

func intersect(a, b map[string]bool) bool {
	for v := range a {
		if b[v] {
			return true
		}
	}
	return false
}

func apartFinding(key, oldLabel string, old map[string]bool, newLabel string, new map[string]bool) finding.Finding {
	said := func(set map[string]bool) string {
		all := slices.Sorted(maps.Keys(set))
		if len(all) == 1 && all[0] == "" {
			return "not given"
		}
		if len(all) > 2 {
			return fmt.Sprintf("%s and %d others", all[0], len(all)-1)
		}
		return strings.Join(all, ", ")
	}
	message := fmt.Sprintf("%s is %s in %s, %s in %s", key, said(old), oldLabel, said(new), newLabel)
	switch key {
	case "goos", "goarch", "cpu", "host", "hostname", "machine", "kernel":
		if (len(old) == 1 && old[""]) || (len(new) == 1 && new[""]) {
			break // a missing value is not a difference
		}
		return catalog.DifferentMachines.Of("", finding.Text("difference", message))
	case "go", "goversion", "go-version", "toolchain", "go_version":
		return catalog.DifferentGo.Of("", finding.Text("difference", message))
	}
	return catalog.ConfigDiffers.Of("", finding.Text("difference", message))
}

type tableBuilder struct {
	key  benchproc.Key
	rows map[benchproc.Key]result.Key
	cols map[benchproc.Key]bool
	// cells and the keys that vary inside them.
	cells map[cellKey]*cellBuilder
}

type cellKey struct{ row, col benchproc.Key }

type cellBuilder struct {
	from    []origin
	residue []benchproc.Key
}

func (t *Tables) project(files []*File, ignored []string) error {
	o := t.Options
	filter, err := benchproc.NewFilter(cmp.Or(o.Filter, "*"))
	if err != nil {
		return fmt.Errorf("parse -filter: %w", err)
	}
	var parser benchproc.ProjectionParser
	tableBy, unitField, err := parser.ParseWithUnit(cmp.Or(o.Table, ".config"), filter)
	if err != nil {
		return fmt.Errorf("parse -table: %w", err)
	}
	rowBy, err := parser.Parse(cmp.Or(o.Row, ".fullname"), filter)
	if err != nil {
		return fmt.Errorf("parse -row: %w", err)
	}
	colBy, err := parser.Parse(cmp.Or(o.Col, ".file"), filter)
	if err != nil {
		return fmt.Errorf("parse -col: %w", err)
	}
	if _, err := parser.Parse(o.Ignore, filter); err != nil {
		return fmt.Errorf("parse -ignore: %w", err)
	}
	for _, key := range ignored {
		if _, err := parser.Parse(strconv.Quote(key), filter); err != nil {
			return fmt.Errorf("leave out key %s: %w", key, err)
		}
	}
	residueBy := parser.Residue()

	tables := make(map[benchproc.Key]*tableBuilder)
	colFiles := make(map[benchproc.Key][]string)
	var r *benchfmt.Result
	for fileIndex, f := range files {
		for _, s := range f.Series {
			r = s.Fill(r, f.Label)
			match, err := filter.Match(r)
			if err != nil {
				return fmt.Errorf("filter %s: %w", s.Name, err)
			}
			if !match.Any() {
				continue
			}
			var kept []int
			for i := range r.Values {
				if match.Test(i) {
					r.Values[len(kept)] = r.Values[i]
					kept = append(kept, i)
				}
			}
			r.Values = r.Values[:len(kept)]
			row, col, residue := rowBy.Project(r), colBy.Project(r), residueBy.Project(r)
			if !slices.Contains(colFiles[col], f.Path) {
				colFiles[col] = append(colFiles[col], f.Path)
			}
			for i, tableKey := range tableBy.ProjectValues(r) {
				b := tables[tableKey]
				if b == nil {
					b = &tableBuilder{key: tableKey, rows: make(map[benchproc.Key]result.Key), cols: make(map[benchproc.Key]bool), cells: make(map[cellKey]*cellBuilder)}
					tables[tableKey] = b
				}
				c := b.cells[cellKey{row, col}]
				if c == nil {
					c = new(cellBuilder)
					b.cells[cellKey{row, col}] = c
					key := s.Key()
					if known, ok := b.rows[row]; ok && known.Procs != key.Procs {
						key = known
						key.Procs = 0 // results of several
					} else if ok {
						key = known
					}
					b.rows[row] = key
					b.cols[col] = true
				}
				c.from = append(c.from, origin{s, kept[i], fileIndex})
				if !slices.Contains(c.residue, residue) {
					c.residue = append(c.residue, residue)
				}
			}
		}
	}
	t.assemble(tables, unitField, colFiles, files)
	return nil
}

func (t *Tables) assemble(tables map[benchproc.Key]*tableBuilder, unitField *benchproc.Field, colFiles map[benchproc.Key][]string, files []*File) {
	columns := sortedKeys(colFiles)
	columnIndex := make(map[benchproc.Key]int)
	for i, col := range columns {
		columnIndex[col] = i
		t.Columns = append(t.Columns, result.Variant{Label: cmp.Or(col.StringValues(), "(none)"), Files: colFiles[col]})
	}
	units := t.mergeUnits(files)
	rows := make(map[benchproc.Key]bool) // most tables have the same
	for _, b := range tables {
		for row := range b.rows {
			rows[row] = true
		}
	}
	order := sortedKeys(rows)
	for _, key := range sortedKeys(tables) {
		b := tables[key]
		table := &Table{Unit: key.Get(unitField), Config: make(map[string]string)}
		table.Better = units.better(table.Unit)
		table.Exact = units.exact(table.Unit)
		for _, f := range key.Projection().FlattenedFields() {
			switch v := key.Get(f); {
			case f == unitField || v == "":
			case f.Name == "pkg":
				table.Pkg = v
			default:
				table.Config[f.Name] = v
			}
		}
		cols := sortedKeys(b.cols)
		for _, col := range cols {
			table.Columns = append(table.Columns, columnIndex[col])
		}
		table.Rows = make([]*TableRow, 0, len(b.rows))
		for _, row := range order {
			rowKey, ok := b.rows[row]
			if !ok {
				continue
			}
			r := &TableRow{Label: row.StringValues(), Key: rowKey, Cells: make([]*Cell, len(cols))}
			for i, col := range cols {
				if c := b.cells[cellKey{row, col}]; c != nil {
					r.Cells[i] = &Cell{from: c.from, Varies: varies(c.residue)}
				}
			}
			table.Rows = append(table.Rows, r)
		}
		t.Tables = append(t.Tables, table)
	}
}

func sortedKeys[V any](m map[benchproc.Key]V) []benchproc.Key {
	keys := slices.Collect(maps.Keys(m))
	benchproc.SortKeys(keys)
	return keys
}

func varies(residue []benchproc.Key) []string {
	if len(residue) < 2 {
		return nil
	}
	benchproc.SortKeys(residue)
	var out []string
	for _, f := range benchproc.NonSingularFields(residue) {
		out = append(out, f.Name)
	}
	return out
}

// unitFacts contains the settings of "Unit" lines, by base unit and key.
type unitFacts map[[2]string]string

// mergeUnits joins the metadata of all files. A contradiction is a finding, and
// the first setting applies.
func (t *Tables) mergeUnits(files []*File) unitFacts {
	facts := make(unitFacts)
	for _, f := range files {
		for k, m := range f.Units {
			at := [2]string{k.Unit, k.Key}
			have, ok := facts[at]
			if ok && have != m.Value {
				_, line := m.Pos()
				t.Findings = append(t.Findings, catalog.UnitContradiction.Of(fmt.Sprintf("%s:%d", f.Path, line), finding.Text("setting", fmt.Sprintf("%s %s=%s", k.Unit, k.Key, m.Value)), finding.Text("earlier", fmt.Sprint(have))))
				continue
			}
			facts[at] = m.Value
		}
	}
	return facts
}

func (f unitFacts) exact(u string) bool { return f[[2]string{u, "assume"}] == "exact" }

func (f unitFacts) better(u string) unit.Direction {
	switch f[[2]string{u, "better"}] {
	case "higher":
		return unit.HigherIsBetter
	case "lower":
		return unit.LowerIsBetter
	}
	return unit.Better(u)
}
