package benchtab

import (
	"fmt"
	"math"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/tarebench/tare/cmd/tare/internal/judge"
	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/stats"
)

// powerQuantile belongs to the probability with which Detectable would have
// been found.
const powerQuantile = 0.8416212335729143 // of the normal distribution, at 0.8

type sampler struct {
	o      Options
	ranks  *stats.RankSums
	orders map[int][2]int // MedianOrder by n
	logs   [2][]float64
	family map[bool]int // pairs of cells, of time and of all other units
}

// judge summarizes every cell and judges it against its baseline, row by row on
// all CPUs. It then adjusts for the size of the tables.
func (t *Tables) judge() {
	t.LeastRuns = stats.LeastForMedian(t.Options.Confidence)
	t.LeastDifferent = stats.LeastRuns(t.Options.Alpha)
	type task struct {
		table *Table
		row   *TableRow
	}
	var tasks []task
	pairs := 0
	for _, table := range t.Tables {
		for _, row := range table.Rows {
			tasks = append(tasks, task{table, row})
			pairs += t.pair(row)
		}
	}
	t.rows = make([]result.BenchmarkComparison, pairs)
	rest := t.rows
	family := make(map[bool]int)
	for _, table := range t.Tables {
		for _, row := range table.Rows {
			for i, c := range row.Cells {
				if c != nil && c.Base != nil {
					c.Against, rest = &rest[0], rest[1:]
					c.Against.NewVariant = table.Columns[i]
					family[table.Unit == "sec/op"]++
				}
			}
		}
	}
	const chunk = 64
	var ranks stats.RankSums
	var group sync.WaitGroup
	next := make(chan int, len(tasks)/chunk+1)
	for i := 0; i < len(tasks); i += chunk {
		next <- i
	}
	close(next)
	for range min(runtime.GOMAXPROCS(0), len(tasks)/chunk+1) {
		shared := ranks.Share()
		group.Go(func() {
			s := &sampler{o: t.Options, ranks: shared, orders: make(map[int][2]int), family: family}
			for i := range next {
				for _, k := range tasks[i:min(i+chunk, len(tasks))] {
					s.row(k.table, k.row)
				}
			}
		})
	}
	group.Wait()
	t.decide()
	t.rowFindings()
	t.tableFindings()
}

// pair finds the baseline of every cell in row and counts the pairs.
func (t *Tables) pair(row *TableRow) int {
	n := 0
	for i, c := range row.Cells {
		if c == nil || i == 0 {
			continue
		}
		base := 0
		if t.Options.Previous {
			for base = i - 1; base > 0 && row.Cells[base] == nil; base-- {
			}
		}
		if c.Base = row.Cells[base]; c.Base != nil {
			n++
		}
	}
	return n
}

func (s *sampler) row(table *Table, row *TableRow) {
	for _, c := range row.Cells {
		if c != nil {
			s.gather(c, row.interleaved())
			s.summarize(c, table.Exact)
		}
	}
	for _, c := range row.Cells {
		if c != nil && c.Base != nil {
			s.compare(table, row, c)
			c.Against.OldVariant = table.Columns[slices.Index(row.Cells, c.Base)]
		}
	}
}

// gather collects the values of a cell in the order in which they were taken,
// and sorts them.
func (s *sampler) gather(c *Cell, keepTimes bool) {
	one := c.from[0]
	c.sorted = one.series.Values[one.unit]
	places := one.series.Places
	c.first, c.last = position{one.file, places[0]}, position{one.file, places[len(places)-1]}
	if keepTimes || len(c.from) > 1 {
		all := c.inOrder()
		c.first, c.last = all[0].position, all[len(all)-1].position
		c.sorted = make([]float64, len(all))
		for i, v := range all {
			c.sorted[i] = v.value
		}
		if keepTimes {
			c.times = all
		}
	}
	c.N = len(c.sorted)
	c.Least, c.Most = slices.Min(c.sorted), slices.Max(c.sorted)
	if s.o.KeepOrder {
		c.Values = slices.Clone(c.sorted)
	}
	c.serial = stats.SerialCorrelation(c.sorted)
	slices.Sort(c.sorted)
}

// summarize sets the median and its interval. For an exact unit it sets the
// most frequent value and the range.
func (s *sampler) summarize(c *Cell, exact bool) {
	n := c.N
	if exact {
		c.Estimate = result.Estimate{Center: mode(c.sorted), Lo: c.Least, Hi: c.Most, N: n}
		return
	}
	order, ok := s.orders[n]
	if !ok {
		lo, hi, _ := stats.MedianOrder(n, s.o.Confidence)
		order = [2]int{lo, hi}
		s.orders[n] = order
	}
	c.Estimate = result.Estimate{Center: stats.Median(c.sorted), Lo: math.NaN(), Hi: math.NaN(), N: n}
	if order[0] > 0 && order[1] <= n {
		c.Estimate.Lo, c.Estimate.Hi = c.sorted[order[0]-1], c.sorted[order[1]-1]
	}
}

// mode is the most frequent of sorted values, and the smallest of equally
// frequent ones.
func mode(x []float64) float64 {
	best, most := x[0], 0
	for i := 0; i < len(x); {
		j := i
		for j < len(x) && x[j] == x[i] {
			j++
		}
		if j-i > most {
			best, most = x[i], j-i
		}
		i = j
	}
	return best
}

func (c *Cell) constant() bool { return c.Least == c.Most }

// compare computes everything about a row except the verdict, which needs the
// p-values of the other rows.
func (s *sampler) compare(table *Table, row *TableRow, new *Cell) {
	old, b := new.Base, new.Against
	*b = result.BenchmarkComparison{
		NewVariant: b.NewVariant, Key: row.Key, Unit: table.Unit, Better: table.Better, Old: old.Estimate, New: new.Estimate,
		Change: judge.UnknownChange(), Verdict: result.Undecided, Config: table.Config,
	}
	b.Row = row.OwnLabel()
	n, m := old.N, new.N
	exact := table.Exact || min(n, m) >= judge.MinBlocks && !judge.Measured(table.Unit)
	exact = exact && old.constant() && new.constant()
	if exact {
		if judge.Exact(b, old.Least, new.Least, n, m); table.Exact {
			b.P = nil // the unit is known to be exact
		}
		return
	}
	relative := old.Least > 0 && new.Least > 0
	var p, center float64
	var runs []float64
	var bounds func(misrate float64) (lo, hi float64, err error)
	if d := new.inPairs(relative); d != nil {
		new.differences, runs = d, d
		p, center = judge.SignedRankP(d), stats.Center(d)
		bounds = func(misrate float64) (lo, hi float64, err error) { return stats.CenterBounds(d, misrate) }
	} else {
		x, y := new.sorted, old.sorted
		if relative {
			x, y = logs(&s.logs[0], x), logs(&s.logs[1], y)
		}
		shifts := s.ranks.Shifts(x, y)
		p, center, bounds = s.ranks.Test(new.sorted, old.sorted).P, shifts.Shift(), shifts.Bounds
		b.PAssumes, runs = s.contradicted(old, new, x, y), slices.Concat(x, y)
	}
	b.P = &p
	iv := judge.Samples(center, relative, min(n, m), s.o.Alpha, s.family[table.Unit == "sec/op"], bounds)
	// The interval is the one without ties, which is wider. A p-value of tied runs
	// must not exclude what the interval contains.
	if iv.Known() && !iv.Excludes(0) && p <= s.o.Alpha {
		p = math.Nextafter(s.o.Alpha, 1)
		if n := repeated(runs); n > 0 {
			b.PAssumes = strings.TrimPrefix(fmt.Sprintf("%s and distinct runs (%d of %d repeat a value)", b.PAssumes, n, len(runs)), " and ")
		}
	}
	b.Change, b.Joint = iv.Change(), iv.Joint()
	b.Verdict = iv.Verdict(s.o.Delta, b.Better, false)
	if half := (iv.Hi - iv.Lo) / 2; half > 0 && iv.Relative {
		z := math.Sqrt2 * math.Erfinv(1-s.o.Alpha)
		b.Detectable = math.Expm1(half * (1 + powerQuantile/z))
	}
}

// repeated is how many of some runs have the value of another.
func repeated(runs []float64) (n int) {
	times := make(map[float64]int)
	for _, v := range runs {
		times[v]++
	}
	for _, k := range times {
		if k > 1 {
			n += k
		}
	}
	return n
}

// contradicted is what a p-value of two samples assumes and they contradict: that
// the runs are independent, or that the label changes nothing else than the level.
// If both are true, a row says so with a probability of at most α. x and y are the
// values, or their logarithms.
func (s *sampler) contradicted(old, new *Cell, x, y []float64) string {
	serial := old.serial
	if !(serial.P <= new.serial.P) {
		serial = new.serial
	}
	if 4*serial.P <= s.o.Alpha {
		return "independent runs (neighbors correlate by " + strconv.FormatFloat(serial.Correlation, 'f', 1, 64) + ")"
	}
	deviations := func(x []float64) []float64 {
		d, middle := make([]float64, len(x)), stats.Median(x)
		for i, v := range x {
			d[i] = math.Abs(v - middle)
		}
		return d
	}
	d, e := deviations(x), deviations(y)
	if a, b := stats.Median(d), stats.Median(e); min(a, b) > 0 && 2*s.ranks.Test(d, e).P <= s.o.Alpha {
		return "equal spreads (1 to " + strconv.FormatFloat(max(a/b, b/a), 'f', 1, 64) + ")"
	}
	return ""
}

func logs(into *[]float64, x []float64) []float64 {
	out := (*into)[:0]
	for _, v := range x {
		out = append(out, math.Log(v))
	}
	*into = out
	return out
}

func (t *Table) level(row *TableRow, c *Cell, all *Tables) result.BenchmarkComparison {
	b := result.BenchmarkComparison{Key: row.Key, Unit: t.Unit, Old: judge.Unknown(), New: c.Estimate, Change: judge.UnknownChange(), Row: row.OwnLabel(), Config: t.Config}
	b.Raw = c.Estimate.Center
	b.Exact = c.constant() && (t.Exact || c.N > 1 && !judge.Measured(t.Unit))
	b.Quantiles = stats.Quartiles(c.sorted)
	if c.Estimate.Center != 0 && c.N >= 4 && !b.Exact {
		b.Spread = stats.Spread(c.sorted, c.Estimate.Center)
		b.Band = judge.Band(b.Spread)
	}
	b.Findings = all.cellFindings(t, row, c)
	if t.Exact && !c.constant() {
		b.Findings = append(b.Findings, t.notExact(row, c.Least, c.Most))
	}
	return b
}

func (t *Tables) decide() {
	judge.Decide(t.rows, t.Options.Alpha, t.Options.Delta, t.Options.Gate)
	for i := range t.rows {
		if b := &t.rows[i]; b.P != nil && b.Verdict == result.Undecided {
			b.Needed = t.needed(b)
		}
	}
}

// needed estimates how many runs per variant would decide an undecided row. It
// is 0 if only the adjustment prevents the verdict.
func (t *Tables) needed(b *result.BenchmarkComparison) int {
	iv := judge.Between(b.Change)
	if !iv.Known() {
		return t.LeastDifferent
	}
	if iv.Excludes(0) || !iv.Relative {
		return 0
	}
	n := iv.Needed(t.Options.Delta, 2/(1/float64(b.Old.N)+1/float64(b.New.N)))
	if n == 0 || n > 1e6 {
		return 0
	}
	return max(n, max(b.Old.N, b.New.N)+1)
}
