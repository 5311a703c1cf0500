package report

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/words"
)

// Section is one table: the rows of one configuration, package, unit and, in a
// comparison, pair of variants. If benchmarks have many units, it is the rows of
// one benchmark instead, without Unit.
type Section struct {
	Config                 map[string]string
	Pkg, Unit              string
	Benchmark              string
	OldVariant, NewVariant int
	Shown                  []*result.BenchmarkComparison
	// Folded are rows that were moved out of Shown: nobody needs to read them
	// singly.
	Folded []*result.BenchmarkComparison
	// Mean is the geometric mean of the section's changes, or nil.
	Mean *result.GeoMean
}

// Rows counts the rows of the section.
func (s *Section) Rows() int { return len(s.Shown) + len(s.Folded) }

// head is what all rows of the section have in common, and label what one of them
// has for itself.
func (s *Section) head() string { return s.Benchmark + s.Unit }

func (s *Section) label(k result.Key, row, unit string) string {
	if s.Benchmark != "" {
		return unit
	}
	return words.RowName(k, row)
}

type sectionKey struct {
	config, pkg, unit, benchmark string
	old, new                     int
}

// sectionsOf sorts rows into sections, in the order of the rows, with the sections
// of one package next to each other. Without pairs, all variants share a section.
// With byBenchmark, a section has the units of a benchmark as its rows.
func sectionsOf(rows []*result.BenchmarkComparison, pairs, byBenchmark bool) (all []*Section) {
	index, rank := make(map[sectionKey]*Section), make(map[string]int)
	for _, b := range rows {
		k := sectionKey{config: configKey(b.Config), pkg: b.Pkg, unit: b.Unit}
		if byBenchmark {
			k.unit, k.benchmark = "", words.RowName(b.Key, b.Row)
		}
		if pairs {
			k.old, k.new = b.OldVariant, b.NewVariant
		}
		s := index[k]
		if s == nil {
			s = &Section{Config: b.Config, Pkg: b.Pkg, Unit: k.unit, Benchmark: k.benchmark, OldVariant: k.old, NewVariant: k.new}
			index[k], all = s, append(all, s)
			if _, known := rank[s.place()]; !known {
				rank[s.place()] = len(rank)
			}
		}
		s.Shown = append(s.Shown, b)
	}
	slices.SortStableFunc(all, func(a, b *Section) int {
		return cmp.Or(rank[a.place()]-rank[b.place()], cmp.Compare(percentile(a.Unit), percentile(b.Unit)))
	})
	return all
}

func (s *Section) place() string { return configKey(s.Config) + "\x00" + s.Pkg }

// Sections returns the tables of the document, and the geometric means that
// span several of them.
func (d Document) Sections() (all []*Section, spanning []result.GeoMean) { return d.sections(false) }

// readable are the sections for a reader: a table for each benchmark if one has
// percentiles, memory or other units beside its time and allocations, so that
// more than usualUnits tables would have its name.
func (d Document) readable() (all []*Section, spanning []result.GeoMean) {
	const usualUnits = 4
	units := make(map[string]int)
	most := 0
	for _, b := range d.Rows() {
		key := fmt.Sprint(b.Pkg, " ", words.RowName(b.Key, b.Row), configKey(b.Config), b.NewVariant)
		units[key]++
		most = max(most, units[key])
	}
	return d.sections(most > usualUnits)
}

// unitRank orders the units of a benchmark: time, then its percentiles.
func unitRank(unit string) float64 {
	if p := percentile(unit); p > 0 {
		return p
	} else if unit == "sec/op" {
		return -1
	}
	return math.Inf(1)
}

// percentile of time that a unit is, or 0.
func percentile(unit string) float64 {
	quantile, of, _ := strings.Cut(unit, "-")
	if of != "sec/op" {
		return 0
	} else if quantile == "max" {
		return 100
	}
	p, _ := strconv.ParseFloat(strings.TrimPrefix(quantile, "p"), 64)
	return p
}

func (d Document) sections(byBenchmark bool) (all []*Section, spanning []result.GeoMean) {
	all = sectionsOf(d.Rows(), true, byBenchmark)
	for _, s := range all {
		if byBenchmark {
			slices.SortStableFunc(s.Shown, func(a, b *result.BenchmarkComparison) int { return cmp.Compare(unitRank(a.Unit), unitRank(b.Unit)) })
		}
	}
	spanning = placeMeans(all, d.Comparison.GeoMeans)
	for _, s := range all {
		s.fold()
	}
	return all, spanning
}

func (s *Section) heading(last *Section) []string {
	var lines []string
	for _, k := range slices.Sorted(maps.Keys(s.Config)) {
		if last == nil || last.Config[k] != s.Config[k] {
			lines = append(lines, k+": "+s.Config[k])
		}
	}
	if s.Pkg != "" && (last == nil || last.Pkg != s.Pkg) && s.Config["pkg"] == "" {
		lines = append(lines, "pkg: "+s.Pkg)
	}
	return lines
}

// placeMeans gives each mean to the one section that it covers, and returns the
// others.
func placeMeans(all []*Section, means []result.GeoMean) (spanning []result.GeoMean) {
	for _, g := range means {
		if g.N < 2 {
			continue // the row itself
		}
		var fits []*Section
		for _, s := range all {
			if s.Unit == g.Unit && s.NewVariant == g.NewVariant && configFits(g.Config, s) {
				fits = append(fits, s)
			}
		}
		if len(fits) == 1 && fits[0].Mean == nil {
			fits[0].Mean = &g
		} else {
			spanning = append(spanning, g)
		}
	}
	return spanning
}

func configKey(c map[string]string) string {
	var b strings.Builder
	for _, k := range slices.Sorted(maps.Keys(c)) {
		b.WriteString(k + "\x00" + c[k] + "\x00")
	}
	return b.String()
}

func configFits(config map[string]string, s *Section) bool {
	for k, v := range config {
		if k == "pkg" && s.Config["pkg"] == "" {
			if v != s.Pkg {
				return false
			}
		} else if s.Config[k] != v {
			return false
		}
	}
	return true
}
