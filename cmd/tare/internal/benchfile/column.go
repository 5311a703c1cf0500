package benchfile

import "math"

// Column holds the values of a series in one unit, in the order they were
// taken. While they are all equal, as counts often are, it holds one of them.
type Column struct {
	n      int
	first  float64
	values []float64 // nil while all are equal
}

// ColumnOf is the column of values.
func ColumnOf(values []float64) (c Column) {
	for _, v := range values {
		c.Append(v)
	}
	return c
}

// Append adds a value.
func (c *Column) Append(v float64) { c.appendOf(v, 0) }

// appendOf adds a value to a column that will have expected values, or more.
func (c *Column) appendOf(v float64, expected int) {
	switch {
	case c.values != nil:
		c.values = append(roomy(c.values), v)
	case c.n == 0:
		c.first = v
	case math.Float64bits(v) != math.Float64bits(c.first):
		room := expected
		if room <= c.n {
			room = roomFor(c.n)
		}
		c.values = make([]float64, c.n, room)
		for i := range c.values {
			c.values[i] = c.first
		}
		c.values = append(c.values, v)
	}
	c.n++
}

// repeatLast adds the last value once more.
func (c *Column) repeatLast() {
	if c.values == nil {
		c.n++
		return
	}
	c.Append(c.values[c.n-1])
}

// Places are where the values of a series stand among the results of its file.
// Suites are repeated in one order: as long as the distance is the same, the
// first place and the distance are all that is held.
type Places struct {
	n           int
	first, step int32
	all         []int32 // nil while the distance is the same
}

// Append adds the place of another value.
func (p *Places) Append(place int) {
	at := int32(place)
	switch {
	case p.all != nil:
		p.all = append(roomy(p.all), at)
	case p.n == 0:
		p.first = at
	case p.n == 1:
		p.step = at - p.first
	case at != p.first+int32(p.n)*p.step:
		p.all = make([]int32, p.n, roomFor(p.n))
		for i := range p.all {
			p.all[i] = p.first + int32(i)*p.step
		}
		p.all = append(p.all, at)
	}
	p.n++
}

// Len is the number of places.
func (p *Places) Len() int { return p.n }

// At is the place of value i.
func (p *Places) At(i int) int {
	if p.all != nil {
		return int(p.all[i])
	}
	return int(p.first) + i*int(p.step)
}

// Len is the number of values.
func (c *Column) Len() int { return c.n }

// First is the first value.
func (c *Column) First() float64 { return c.first }

// Constant reports whether all values are equal.
func (c *Column) Constant() bool { return c.values == nil }

// Values are the values, the memory of c itself where they are not all equal.
func (c *Column) Values() []float64 {
	if !c.Constant() {
		return c.values
	}
	all := make([]float64, c.n)
	for i := range all {
		all[i] = c.first
	}
	return all
}

// roomy is s with room for another one. The room grows from 10 to 20, 50, 100,
// 200 and so on: as many runs as people take fill it without waste.
func roomy[T any](s []T) []T {
	if len(s) < cap(s) {
		return s
	}
	grown := make([]T, len(s), roomFor(len(s)))
	copy(grown, s)
	return grown
}

// roomFor is the first of 10, 20, 50, 100, 200, … that is more than n.
func roomFor(n int) int {
	for room := 10; ; room *= 10 {
		for _, r := range [...]int{room, 2 * room, 5 * room} {
			if r > n {
				return r
			}
		}
	}
}
