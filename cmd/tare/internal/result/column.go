package result

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
)

// column is one quantity of the rounds of a block: a number per round, one
// number if all are equal, none if all are 0. In the file it is an array, a
// single number, or absent. NaN is null in the file.
type column []float64

// columnOf returns a column of n numbers. An infinite one becomes NaN, because
// JSON has neither.
func columnOf(n int, value func(round int) float64) column {
	c := make(column, n)
	equal := true
	for i := range c {
		if c[i] = value(i); math.IsInf(c[i], 0) {
			c[i] = math.NaN()
		}
		equal = equal && (c[i] == c[0] || math.IsNaN(c[i]) && math.IsNaN(c[0]))
	}
	switch {
	case n == 0 || equal && c[0] == 0:
		return nil
	case equal:
		return column{c[0]}
	}
	return c
}

func (c column) at(round int) float64 {
	switch len(c) {
	case 0:
		return 0
	case 1:
		return c[0]
	}
	return c[round]
}

// MarshalJSON writes integers as such, and other numbers in the shortest form
// that parses to the same number.
func (c column) MarshalJSON() ([]byte, error) {
	if len(c) < 2 {
		return appendNumber(nil, c.at(0)), nil
	}
	out := append(make([]byte, 0, 2+8*len(c)), '[')
	for i, v := range c {
		if i > 0 {
			out = append(out, ',')
		}
		out = appendNumber(out, v)
	}
	return append(out, ']'), nil
}

func appendNumber(out []byte, v float64) []byte {
	switch {
	case math.IsNaN(v):
		return append(out, "null"...)
	case v == math.Trunc(v) && math.Abs(v) < 1<<53:
		return strconv.AppendInt(out, int64(v), 10)
	}
	return strconv.AppendFloat(out, v, 'g', -1, 64)
}

var errColumn = errors.New("neither a number nor an array of numbers")

func readColumn(text json.RawMessage, n int) (column, error) {
	var c column
	switch {
	case len(text) == 0:
		return nil, nil
	case text[0] == '[':
		c = make(column, 0, n)
		for word := range bytes.SplitSeq(text[1:len(text)-1], []byte(",")) {
			v, err := parseNumber(bytes.TrimSpace(word))
			if err != nil {
				return nil, err
			}
			c = append(c, v)
		}
	default:
		v, err := parseNumber(text)
		return column{v}, err
	}
	if len(c) != n {
		return nil, fmt.Errorf("%d numbers for %d rounds", len(c), n)
	}
	return c, nil
}

func parseNumber(text []byte) (float64, error) {
	if string(text) == "null" {
		return math.NaN(), nil
	}
	v, err := strconv.ParseFloat(string(text), 64)
	if err != nil {
		return 0, errColumn
	}
	return v, nil
}
