package result

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strconv"
)

// column is one quantity of the slices of a side, one number per round. In
// the file it is an array; one number where all are equal; nothing where all
// are 0. A number that is not finite is null, and null is read as NaN.
type column []float64

// MarshalJSON writes whole numbers as such, others in the shortest form that
// is read back as the same number.
func (c column) MarshalJSON() ([]byte, error) {
	if len(c) > 0 && c.constant() {
		return appendNumber(nil, c[0]), nil
	}
	out := make([]byte, 0, 2+8*len(c))
	out = append(out, '[')
	for i, v := range c {
		if i > 0 {
			out = append(out, ',')
		}
		out = appendNumber(out, v)
	}
	return append(out, ']'), nil
}

// constant compares bits: NaN equals NaN here, and 0 is not -0.
func (c column) constant() bool {
	for _, v := range c {
		if math.Float64bits(v) != math.Float64bits(c[0]) {
			return false
		}
	}
	return true
}

// IsZero leaves the column out of the file.
func (c column) IsZero() bool {
	for _, v := range c {
		if v != 0 {
			return false
		}
	}
	return true
}

func appendNumber(out []byte, v float64) []byte {
	switch {
	case math.IsNaN(v) || math.IsInf(v, 0):
		return append(out, "null"...)
	case v == math.Trunc(v) && math.Abs(v) < 1<<53:
		return strconv.AppendInt(out, int64(v), 10)
	}
	return strconv.AppendFloat(out, v, 'g', -1, 64)
}

var errColumn = errors.New("neither a number nor an array of numbers")

// UnmarshalJSON reads the text that encoding/json has found to be one JSON
// value. A single number becomes a column of one.
func (c *column) UnmarshalJSON(text []byte) error {
	if len(text) == 0 || text[0] != '[' {
		v, err := parseNumber(text)
		*c = column{v}
		return err
	}
	*c = make(column, 0, 1+bytes.Count(text, []byte(",")))
	text = text[1:]
	for len(text) > 0 {
		end := bytes.IndexAny(text, ",]")
		if end < 0 {
			return errColumn
		}
		word := bytes.TrimSpace(text[:end])
		if len(word) == 0 && text[end] == ']' && len(*c) == 0 {
			return nil
		}
		v, err := parseNumber(word)
		if err != nil {
			return err
		}
		*c = append(*c, v)
		if text[end] == ']' {
			return nil
		}
		text = text[end+1:]
	}
	return errColumn
}

// parseNumber has a short way for the whole numbers that columns are made of.
func parseNumber(text []byte) (float64, error) {
	if len(text) > 0 && len(text) <= 15 {
		n := int64(0)
		for _, b := range text {
			if b < '0' || b > '9' {
				n = -1
				break
			}
			n = 10*n + int64(b-'0')
		}
		if n >= 0 {
			return float64(n), nil
		}
	}
	if string(text) == "null" {
		return math.NaN(), nil
	}
	v, err := strconv.ParseFloat(string(text), 64)
	if err != nil {
		return 0, fmt.Errorf("%w: %.20q", errColumn, text)
	}
	return v, nil
}

// filled has one number for each of the rounds.
func (c column) filled(rounds int) (column, error) {
	switch len(c) {
	case rounds:
		return c, nil
	case 0:
		return make(column, rounds), nil
	case 1:
		all := make(column, rounds)
		for i := range all {
			all[i] = c[0]
		}
		return all, nil
	}
	return nil, fmt.Errorf("%d numbers for %d rounds", len(c), rounds)
}
