package result

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
)

// columns are the rounds of a block by column, with the numbers of the file:
// about a tenth of the memory of their slices.
type columns struct {
	count, warmup int
	// at has the start of each round in microseconds. The first is relative to the
	// start of the study, the others to the round before.
	at     column
	orders [][]int
	sides  []sideColumns
}

// sideColumns are the slices of one variant. An absent quantity is 0.
type sideColumns struct {
	quantities map[string]column
	metrics    map[string]column
}

type quantity struct {
	name string
	get  func(*Slice) float64
	set  func(*Slice, float64)
}

// quantities are the columns of a variant except its metrics. Overheads are kept
// to a tenth of a nanosecond, a thousandth of their error.
var quantities = []quantity{
	{"n", func(s *Slice) float64 { return float64(s.N) }, func(s *Slice, v float64) { s.N = int64(v) }},
	{"t", func(s *Slice) float64 { return s.Raw }, func(s *Slice, v float64) { s.Raw = v }},
	{"followed", func(s *Slice) float64 { return oneIf(s.Followed) }, func(s *Slice, v float64) { s.Followed = v == 1 }},
	{"delay", func(s *Slice) float64 { return s.Delay }, func(s *Slice, v float64) { s.Delay = v }},
	{"pauses", func(s *Slice) float64 { return float64(s.Pauses) }, func(s *Slice, v float64) { s.Pauses = int64(v) }},
	{"ohlo", func(s *Slice) float64 { return tenths(s.OverheadLo) }, func(s *Slice, v float64) { s.OverheadLo = v }},
	{"ohhi", func(s *Slice) float64 { return tenths(s.OverheadHi) }, func(s *Slice, v float64) { s.OverheadHi = v }},
	{"counted", func(s *Slice) float64 { return oneIf(s.Counted) }, func(s *Slice, v float64) { s.Counted = v == 1 }},
	{"mallocs", func(s *Slice) float64 { return float64(s.Mallocs) }, func(s *Slice, v float64) { s.Mallocs = uint64(v) }},
	{"bytes", func(s *Slice) float64 { return float64(s.Bytes) }, func(s *Slice, v float64) { s.Bytes = uint64(v) }},
	{"set_bytes", func(s *Slice) float64 { return float64(s.SetBytes) }, func(s *Slice, v float64) { s.SetBytes = int64(v) }},
	{"gcs", func(s *Slice) float64 { return float64(s.GCs) }, func(s *Slice, v float64) { s.GCs = uint32(v) }},
	{"collected", func(s *Slice) float64 { return oneIf(s.Collected) }, func(s *Slice, v float64) { s.Collected = v == 1 }},
	{"settle", func(s *Slice) float64 { return s.Settle }, func(s *Slice, v float64) { s.Settle = v }},
	{"max_delay", func(s *Slice) float64 { return math.Round(s.MaxDelay) }, func(s *Slice, v float64) { s.MaxDelay = v }},
	{"cpu_time", func(s *Slice) float64 { return s.CPUTime }, func(s *Slice, v float64) { s.CPUTime = v }},
	{"cpus", func(s *Slice) float64 { return math.Round(100*s.CPUs) / 100 }, func(s *Slice, v float64) { s.CPUs = v }},
}

func tenths(v float64) float64 { return math.Round(v*10) / 10 }

func oneIf(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

func columnsOf(rounds []Round) *columns {
	if len(rounds) == 0 {
		return nil
	}
	c := &columns{count: len(rounds), orders: make([][]int, len(rounds))}
	sides, before := 0, 0.0
	for i, r := range rounds {
		c.orders[i] = r.Order
		sides = max(sides, len(r.Slices))
		if r.Warmup && c.warmup == i {
			c.warmup++
		}
	}
	c.at = columnOf(len(rounds), func(i int) float64 {
		now := math.Round(1e6 * rounds[i].At)
		since := now - before
		before = now
		return since
	})
	for v := range sides {
		c.sides = append(c.sides, sideOf(rounds, v))
	}
	return c
}

func sideOf(rounds []Round, variant int) sideColumns {
	side := sideColumns{quantities: make(map[string]column), metrics: make(map[string]column)}
	of := func(round int) *Slice {
		if variant < len(rounds[round].Slices) {
			return &rounds[round].Slices[variant]
		}
		return &Slice{}
	}
	for _, q := range quantities {
		if c := columnOf(len(rounds), func(i int) float64 { return q.get(of(i)) }); len(c) > 0 {
			side.quantities[q.name] = c
		}
	}
	for i := range rounds {
		for unit := range of(i).Metrics {
			if _, done := side.metrics[unit]; done {
				continue
			}
			side.metrics[unit] = columnOf(len(rounds), func(i int) float64 {
				if v, ok := of(i).Metrics[unit]; ok {
					return v
				}
				return math.NaN()
			})
		}
	}
	return side
}

func (c *columns) rounds() []Round {
	if c == nil {
		return nil
	}
	out := make([]Round, c.count)
	all := make([]Slice, c.count*len(c.sides))
	now := 0.0
	for i := range out {
		now += c.at.at(i)
		first := i * len(c.sides)
		out[i] = Round{At: now / 1e6, Order: c.orders[i], Warmup: i < c.warmup, Slices: all[first : first+len(c.sides) : first+len(c.sides)]}
	}
	for v, side := range c.sides {
		for _, q := range quantities {
			if column := side.quantities[q.name]; len(column) > 0 {
				for i := range out {
					q.set(&out[i].Slices[v], column.at(i))
				}
			}
		}
		for unit, column := range side.metrics {
			// A metric without any number was reported as NaN or infinite. A null among
			// numbers can also be a slice without it.
			none := !slices.ContainsFunc(column, func(v float64) bool { return !math.IsNaN(v) }) && len(column) > 0
			for i := range out {
				x := column.at(i)
				if math.IsNaN(x) && !none {
					continue
				}
				s := &out[i].Slices[v]
				if s.Metrics == nil {
					s.Metrics = make(map[string]float64, len(side.metrics))
				}
				s.Metrics[unit] = x
			}
		}
	}
	return out
}

func (c *columns) len() int {
	if c == nil {
		return 0
	}
	return c.count
}

func (c *columns) variants() int {
	if c == nil {
		return 0
	}
	n := len(c.sides)
	for _, order := range c.orders {
		for _, v := range order {
			n = max(n, v+1)
		}
	}
	return n
}

// MarshalJSON writes columns as docs/format.md describes them.
func (c *columns) MarshalJSON() ([]byte, error) {
	file := struct {
		Count  int              `json:"count"`
		Warmup int              `json:"warmup,omitempty"`
		At     column           `json:"at,omitzero"`
		Orders string           `json:"orders,omitempty"`
		Sides  []map[string]any `json:"sides"`
	}{Count: c.count, Warmup: c.warmup, At: c.at}
	orders := make([]string, len(c.orders))
	for i, order := range c.orders {
		orders[i] = orderText(order)
	}
	if slices.ContainsFunc(c.orders, func(o []int) bool { return len(o) > 0 }) {
		file.Orders = strings.Join(orders, " ")
	}
	for _, side := range c.sides {
		text := make(map[string]any)
		for name, c := range side.quantities {
			if name == "t" && len(c) == 1 { // in full, for a reader's limit
				c = slices.Repeat(c, len(orders))
			}
			text[name] = c
		}
		if len(side.metrics) > 0 {
			text["metrics"] = side.metrics
		}
		file.Sides = append(file.Sides, text)
	}
	return json.Marshal(file)
}

// mostPerByte bounds the slices and metrics that a byte of text may represent: a
// column of one number represents all rounds, except the times.
const mostPerByte = 8

// UnmarshalJSON reads columns. The length of the text bounds its memory, and
// the memory of the rounds.
func (c *columns) UnmarshalJSON(text []byte) error {
	var file struct {
		Count, Warmup int
		At            json.RawMessage
		Orders        string
		Sides         []map[string]json.RawMessage
	}
	if err := json.Unmarshal(text, &file); err != nil {
		return err
	}
	size := len(text)
	most := mostPerByte * size
	if file.Count < 0 || file.Count > most || file.Count*len(file.Sides) > most {
		return fmt.Errorf("%d rounds of %d variants in %d bytes", file.Count, len(file.Sides), size)
	}
	*c = columns{count: file.Count, warmup: file.Warmup}
	var err error
	if c.at, err = readColumn(file.At, c.count); err != nil {
		return fmt.Errorf("at: %w", err)
	}
	if c.orders, err = readOrders(file.Orders, c.count); err != nil {
		return err
	}
	numbers := file.Count * len(file.Sides)
	for v, text := range file.Sides {
		side := sideColumns{quantities: make(map[string]column), metrics: make(map[string]column)}
		for _, q := range quantities {
			if column, err := q.read(text[q.name], c.count); err != nil {
				return fmt.Errorf("variant %d: %s: %w", v, q.name, err)
			} else if len(column) > 0 {
				side.quantities[q.name] = column
			}
		}
		var metrics map[string]json.RawMessage
		if m, ok := text["metrics"]; ok {
			if err := json.Unmarshal(m, &metrics); err != nil {
				return fmt.Errorf("variant %d: metrics: %w", v, err)
			}
		}
		if numbers += file.Count * len(metrics); numbers > most {
			return fmt.Errorf("%d numbers in %d bytes", numbers, size)
		}
		for _, unit := range slices.Sorted(maps.Keys(metrics)) {
			if side.metrics[unit], err = readColumn(metrics[unit], c.count); err != nil {
				return fmt.Errorf("variant %d: %s: %w", v, unit, err)
			}
		}
		c.sides = append(c.sides, side)
	}
	return nil
}

func (q quantity) read(text json.RawMessage, rounds int) (column, error) {
	c, err := readColumn(text, rounds)
	for _, v := range c {
		if err := q.check(v); err != nil {
			return nil, err
		}
	}
	return c, err
}

func (q quantity) check(v float64) error {
	if math.IsNaN(v) || v < 0 && !strings.HasPrefix(q.name, "oh") || math.Abs(v) > 1<<53 {
		return errors.New("a number that no slice can have")
	}
	return nil
}

// Check returns an error for a slice that no reader of a recording accepts. Metrics
// may have any value.
func (s Slice) Check() error {
	for _, q := range quantities {
		if err := q.check(q.get(&s)); err != nil {
			return fmt.Errorf("%s: %w", q.name, err)
		}
	}
	return nil
}

// orderText writes a digit per variant, or numbers separated by commas if one
// is above 9. It is "-" for none.
func orderText(order []int) string {
	if len(order) == 0 {
		return "-"
	}
	words := make([]string, len(order))
	for i, v := range order {
		words[i] = strconv.Itoa(v)
	}
	separator := ""
	if slices.Max(order) > 9 {
		separator = ","
	}
	return strings.Join(words, separator)
}

func readOrders(text string, rounds int) ([][]int, error) {
	orders := make([][]int, rounds)
	if text == "" {
		return orders, nil
	}
	words := strings.Split(text, " ")
	if len(words) != rounds {
		return nil, fmt.Errorf("%d orders of %d rounds", len(words), rounds)
	}
	known := map[string][]int{"-": nil} // few orders, many rounds
	for i, word := range words {
		order, ok := known[word]
		if !ok {
			var err error
			if order, err = parseOrder(word); err != nil {
				return nil, err
			}
			known[word] = order
		}
		orders[i] = order
	}
	return orders, nil
}

func parseOrder(text string) ([]int, error) {
	words := strings.Split(text, ",")
	if len(words) == 1 {
		words = strings.Split(text, "")
	}
	order := make([]int, len(words))
	for i, w := range words {
		v, err := strconv.Atoi(w)
		if err != nil || v < 0 {
			return nil, fmt.Errorf("order %.20q: not variants", text)
		}
		order[i] = v
	}
	return order, nil
}
