package result

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
)

// blockLine is a [Block] as the file has it.
type blockLine struct {
	Benchmark    int             `json:"b"`
	Machine      int             `json:"m,omitempty"`
	Block        int             `json:"k"`
	Try          int             `json:"try,omitempty"`
	First        int             `json:"first"`
	Layouts      []uint64        `json:"layouts,omitempty"`
	Rounds       json.RawMessage `json:"rounds,omitempty"`
	Counting     json.RawMessage `json:"counting,omitempty"`
	Processes    []Process       `json:"processes,omitempty"`
	Seconds      float64         `json:"seconds"`
	SliceSeconds float64         `json:"slice_seconds"`
	Disturbed    string          `json:"disturbed,omitempty"`
	Failed       string          `json:"failed,omitempty"`
}

// roundsLine are rounds by column.
type roundsLine struct {
	Count int `json:"count"`
	// Warmup is how many of them, from the first on, are warm-up rounds.
	Warmup int `json:"warmup,omitempty"`
	// At is when each began: the first in microseconds since the study did,
	// the others since the round before.
	At column `json:"at,omitzero"`
	// Orders are the orders, separated by blanks: a digit a variant, or "-"
	// for a round without one.
	Orders string     `json:"orders,omitempty"`
	Sides  []sideLine `json:"sides"`
}

// sideLine are the slices of one variant: see [Slice].
type sideLine struct {
	N          column            `json:"n,omitzero"`
	Raw        column            `json:"t,omitzero"`
	Pauses     column            `json:"pauses,omitzero"`
	OverheadLo column            `json:"ohlo,omitzero"`
	OverheadHi column            `json:"ohhi,omitzero"`
	Counted    column            `json:"counted,omitzero"`
	Mallocs    column            `json:"mallocs,omitzero"`
	Bytes      column            `json:"bytes,omitzero"`
	GCs        column            `json:"gcs,omitzero"`
	GCTime     column            `json:"gc_time,omitzero"`
	Collected  column            `json:"collected,omitzero"`
	Settle     column            `json:"settle,omitzero"`
	CPU        column            `json:"cpu,omitzero"` // in tenths of a microsecond
	Waits      column            `json:"waits,omitzero"`
	Wait50     column            `json:"wait50,omitzero"`
	Wait99     column            `json:"wait99,omitzero"`
	User       column            `json:"user,omitzero"`
	System     column            `json:"system,omitzero"`
	Metrics    map[string]column `json:"metrics,omitempty"`
}

// number is a field of a slice that has a column.
type number struct {
	column func(*sideLine) *column
	get    func(*Slice) float64
	set    func(*Slice, float64)
	// whole is true of what is counted: never negative, below 2⁵³.
	whole bool
}

// numbers are the columns of a side but for its metrics. Overheads are kept to
// a tenth of a nanosecond: a thousandth of what they are known to.
var numbers = []number{
	{func(l *sideLine) *column { return &l.N }, func(s *Slice) float64 { return float64(s.N) }, func(s *Slice, v float64) { s.N = int64(v) }, true},
	{func(l *sideLine) *column { return &l.Raw }, func(s *Slice) float64 { return s.Raw }, func(s *Slice, v float64) { s.Raw = v }, false},
	{func(l *sideLine) *column { return &l.Pauses }, func(s *Slice) float64 { return float64(s.Pauses) }, func(s *Slice, v float64) { s.Pauses = int64(v) }, true},
	{func(l *sideLine) *column { return &l.OverheadLo }, func(s *Slice) float64 { return tenths(s.OverheadLo) }, func(s *Slice, v float64) { s.OverheadLo = v }, false},
	{func(l *sideLine) *column { return &l.OverheadHi }, func(s *Slice) float64 { return tenths(s.OverheadHi) }, func(s *Slice, v float64) { s.OverheadHi = v }, false},
	{func(l *sideLine) *column { return &l.Counted }, func(s *Slice) float64 { return oneIf(s.Counted) }, func(s *Slice, v float64) { s.Counted = v == 1 }, true},
	{func(l *sideLine) *column { return &l.Mallocs }, func(s *Slice) float64 { return float64(s.Mallocs) }, func(s *Slice, v float64) { s.Mallocs = uint64(v) }, true},
	{func(l *sideLine) *column { return &l.Bytes }, func(s *Slice) float64 { return float64(s.Bytes) }, func(s *Slice, v float64) { s.Bytes = uint64(v) }, true},
	{func(l *sideLine) *column { return &l.GCs }, func(s *Slice) float64 { return float64(s.GCs) }, func(s *Slice, v float64) { s.GCs = uint32(v) }, true},
	{func(l *sideLine) *column { return &l.GCTime }, func(s *Slice) float64 { return s.GCTime }, func(s *Slice, v float64) { s.GCTime = v }, false},
	{func(l *sideLine) *column { return &l.Collected }, func(s *Slice) float64 { return oneIf(s.Collected) }, func(s *Slice, v float64) { s.Collected = v == 1 }, true},
	{func(l *sideLine) *column { return &l.Settle }, func(s *Slice) float64 { return s.Settle }, func(s *Slice, v float64) { s.Settle = v }, false},
	{func(l *sideLine) *column { return &l.CPU }, func(s *Slice) float64 { return math.Round(s.CPU / 100) }, func(s *Slice, v float64) { s.CPU = 100 * v }, true},
	{func(l *sideLine) *column { return &l.Waits }, func(s *Slice) float64 { return float64(s.Waits) }, func(s *Slice, v float64) { s.Waits = int64(v) }, true},
	{func(l *sideLine) *column { return &l.Wait50 }, func(s *Slice) float64 { return s.Wait50 }, func(s *Slice, v float64) { s.Wait50 = v }, false},
	{func(l *sideLine) *column { return &l.Wait99 }, func(s *Slice) float64 { return s.Wait99 }, func(s *Slice, v float64) { s.Wait99 = v }, false},
	{func(l *sideLine) *column { return &l.User }, func(s *Slice) float64 { return s.User }, func(s *Slice, v float64) { s.User = v }, false},
	{func(l *sideLine) *column { return &l.System }, func(s *Slice) float64 { return s.System }, func(s *Slice, v float64) { s.System = v }, false},
}

func tenths(v float64) float64 { return math.Round(v*10) / 10 }

func oneIf(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// lineOf lays a block out by columns.
func lineOf(b *Block) (*blockLine, error) {
	p := b.Packed
	if p == nil {
		var err error
		if p, err = pack(b); err != nil {
			return nil, err
		}
	}
	return &blockLine{
		Benchmark: b.Benchmark, Machine: b.Machine, Block: b.Block, Try: b.Try, First: b.First, Layouts: b.Layouts,
		Rounds: p.Timed, Counting: p.Counting, Processes: b.Processes,
		Seconds: b.Seconds, SliceSeconds: b.SliceSeconds, Disturbed: b.Disturbed, Failed: b.Failed,
	}, nil
}

// AsRead is the block as readers of the file get it, whose numbers the file
// rounds: what is judged while it is measured is then what is shown later. Its
// rounds are at hand as well as packed.
func (b *Block) AsRead() (*Block, error) {
	line, err := lineOf(b)
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(line)
	if err != nil {
		return nil, fmt.Errorf("encode block: %w", err)
	}
	var l blockLine
	if err := json.Unmarshal(text, &l); err != nil {
		return nil, fmt.Errorf("read block: %w", err)
	}
	return l.block()
}

func columnsOf(rounds []Round) *roundsLine {
	if len(rounds) == 0 {
		return nil
	}
	l := &roundsLine{Count: len(rounds), At: make(column, len(rounds))}
	orders := make([]string, len(rounds))
	before, ordered := 0.0, false
	sides := 0
	for i, r := range rounds {
		now := math.Round(1e6 * r.At)
		l.At[i] = now - before
		before = now
		orders[i] = orderText(r.Order)
		ordered = ordered || len(r.Order) > 0
		sides = max(sides, len(r.Slices))
		if r.Warmup && l.Warmup == i {
			l.Warmup++
		}
	}
	if ordered {
		l.Orders = strings.Join(orders, " ")
	}
	l.Sides = make([]sideLine, sides)
	for v := range l.Sides {
		l.Sides[v].fill(rounds, v)
	}
	return l
}

// orderText is a digit a variant; a comma before numbers above 9.
func orderText(order []int) string {
	if len(order) == 0 {
		return "-"
	}
	var text []byte
	for i, v := range order {
		if i > 0 && slices.Max(order) > 9 {
			text = append(text, ',')
		}
		text = strconv.AppendInt(text, int64(v), 10)
	}
	return string(text)
}

func parseOrder(text string) ([]int, error) {
	if text == "-" {
		return nil, nil
	}
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

// fill takes the slices of one variant.
func (l *sideLine) fill(rounds []Round, variant int) {
	units := make(map[string]bool)
	for _, n := range numbers {
		values := make(column, len(rounds))
		for i := range rounds {
			if variant < len(rounds[i].Slices) {
				values[i] = n.get(&rounds[i].Slices[variant])
			}
		}
		*n.column(l) = values
	}
	for _, r := range rounds {
		if variant < len(r.Slices) {
			for unit := range r.Slices[variant].Metrics {
				units[unit] = true
			}
		}
	}
	for unit := range units {
		values := make(column, len(rounds))
		for i, r := range rounds {
			values[i] = math.NaN()
			if variant < len(r.Slices) {
				if v, ok := r.Slices[variant].Metrics[unit]; ok {
					values[i] = v
				}
			}
		}
		if l.Metrics == nil {
			l.Metrics = make(map[string]column)
		}
		l.Metrics[unit] = values
	}
}

// block turns columns back into rounds, and keeps them packed too.
func (l *blockLine) block() (*Block, error) {
	b := &Block{
		Benchmark: l.Benchmark, Machine: l.Machine, Block: l.Block, Try: l.Try, First: l.First, Layouts: l.Layouts,
		Processes: l.Processes, Seconds: l.Seconds, SliceSeconds: l.SliceSeconds,
		Disturbed: l.Disturbed, Failed: l.Failed,
	}
	var err error
	if b.Rounds, err = unpackRounds(l.Rounds); err != nil {
		return nil, fmt.Errorf("rounds of a block: %w", err)
	}
	if b.Counting, err = unpackRounds(l.Counting); err != nil {
		return nil, fmt.Errorf("counting rounds of a block: %w", err)
	}
	b.Packed = &Packed{
		Timed: l.Rounds, Counting: l.Counting,
		Rounds: len(b.Rounds) + len(b.Counting), Variants: max(variantsIn(b.Rounds), variantsIn(b.Counting)),
	}
	return b, nil
}

// mostRounds and mostVariants bound what a broken file can ask for: a column
// of one number stands for any count of rounds.
const mostRounds, mostVariants = 1 << 20, 1 << 10

func (l *roundsLine) rounds() ([]Round, error) {
	if l == nil || l.Count == 0 {
		return nil, nil
	}
	if l.Count < 0 || l.Count > mostRounds || len(l.Sides) > mostVariants || l.Count*len(l.Sides) > 4*mostRounds {
		return nil, fmt.Errorf("%d rounds of %d variants", l.Count, len(l.Sides))
	}
	out := make([]Round, l.Count)
	at, err := l.At.filled(l.Count)
	if err != nil {
		return nil, fmt.Errorf("at: %w", err)
	}
	var orders []string
	if l.Orders != "" {
		if orders = strings.Split(l.Orders, " "); len(orders) != l.Count {
			return nil, fmt.Errorf("%d orders of %d rounds", len(orders), l.Count)
		}
	}
	all := make([]Slice, l.Count*len(l.Sides))
	now := 0.0
	known := make(map[string][]int) // few orders, many rounds
	for i := range out {
		now += at[i]
		out[i] = Round{At: now / 1e6, Warmup: i < l.Warmup, Slices: all[i*len(l.Sides) : (i+1)*len(l.Sides) : (i+1)*len(l.Sides)]}
		if orders == nil {
			continue
		}
		order, ok := known[orders[i]]
		if !ok {
			if order, err = parseOrder(orders[i]); err != nil {
				return nil, err
			}
			known[orders[i]] = order
		}
		out[i].Order = order
	}
	for v := range l.Sides {
		if err := l.Sides[v].empty(out, v); err != nil {
			return nil, fmt.Errorf("variant %d: %w", v, err)
		}
	}
	return out, nil
}

// empty puts the columns into the slices of one variant.
func (l *sideLine) empty(rounds []Round, variant int) error {
	for _, n := range numbers {
		values := *n.column(l)
		if len(values) == 0 {
			continue
		}
		values, err := values.filled(len(rounds))
		if err != nil {
			return err
		}
		for i, v := range values {
			if math.IsNaN(v) || n.whole && (v < 0 || v > 1<<53) {
				return fmt.Errorf("round %d: no number that a slice can have", i)
			}
			n.set(&rounds[i].Slices[variant], v)
		}
	}
	for _, unit := range slices.Sorted(maps.Keys(l.Metrics)) {
		values, err := l.Metrics[unit].filled(len(rounds))
		if err != nil {
			return fmt.Errorf("%s: %w", unit, err)
		}
		// A metric without any number was reported as NaN or infinite; a null
		// among numbers may also be a slice without it.
		none := !slices.ContainsFunc(values, func(v float64) bool { return !math.IsNaN(v) })
		for i, v := range values {
			if math.IsNaN(v) && !none {
				continue
			}
			s := &rounds[i].Slices[variant]
			if s.Metrics == nil {
				s.Metrics = make(map[string]float64, len(l.Metrics))
			}
			s.Metrics[unit] = v
		}
	}
	return nil
}
