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
func (c *Column) Append(v float64) {
	switch {
	case c.values != nil:
		c.values = append(roomy(c.values), v)
	case c.n == 0:
		c.first = v
	case math.Float64bits(v) != math.Float64bits(c.first):
		c.values = make([]float64, c.n, roomFor(c.n))
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
