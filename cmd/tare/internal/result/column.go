package result

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
)

// column is one quantity of the slices of a side, one number per round. In
// the file it is an array, in which [v,n] stands for n times v;
// {"repeat":[…],"count":n} where the same few numbers come again and again; one
// number where all are equal; nothing where all are 0. A number that is not finite is
// null, and null is read as NaN.
type column []float64

const (
	leastRun   = 3  // equal numbers that are worth a pair
	mostPeriod = 16 // numbers that are looked for again and again
)

// MarshalJSON writes whole numbers as such, others in the shortest form that
// is read back as the same number.
func (c column) MarshalJSON() ([]byte, error) {
	if len(c) > 0 && c.constant() {
		return appendNumber(nil, c[0]), nil
	}
	if n := c.period(); n > 0 {
		out := append(c[:n].appendRuns([]byte(`{"repeat":`)), `,"count":`...)
		return append(strconv.AppendInt(out, int64(len(c)), 10), '}'), nil
	}
	return c.appendRuns(make([]byte, 0, 2+8*len(c))), nil
}

// appendRuns writes an array.
func (c column) appendRuns(out []byte) []byte {
	out = append(out, '[')
	for i := 0; i < len(c); {
		run := 1
		for i+run < len(c) && equal(c[i], c[i+run]) {
			run++
		}
		if run < leastRun {
			run = 1
			out = appendNumber(out, c[i])
		} else {
			out = appendNumber(append(out, '['), c[i])
			out = strconv.AppendInt(append(out, ','), int64(run), 10)
			out = append(out, ']')
		}
		if i += run; i < len(c) {
			out = append(out, ',')
		}
	}
	return append(out, ']')
}

// period is the number of numbers after which the column repeats, twice at
// least; 0 where it does not.
func (c column) period() int {
periods:
	for n := 2; n <= min(mostPeriod, len(c)/2); n++ {
		for i := n; i < len(c); i++ {
			if !equal(c[i], c[i-n]) {
				continue periods
			}
		}
		return n
	}
	return 0
}

// equal compares bits: NaN equals NaN here, and 0 is not -0.
func equal(v, w float64) bool { return math.Float64bits(v) == math.Float64bits(w) }

func (c column) constant() bool {
	for _, v := range c {
		if !equal(v, c[0]) {
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
	switch {
	case len(text) == 0:
		return errColumn
	case text[0] == '{':
		return c.readRepeated(text)
	case text[0] != '[':
		v, err := parseNumber(text)
		*c = column{v}
		return err
	}
	*c = make(column, 0, 1+bytes.Count(text, []byte(",")))
	text = text[1:]
	for len(text) > 0 {
		text = bytes.TrimLeft(text, " \t\r\n")
		if len(text) > 0 && text[0] == '[' {
			end := bytes.IndexByte(text, ']')
			if end < 0 {
				return errColumn
			}
			if err := c.readRun(text[1:end]); err != nil {
				return err
			}
			text = bytes.TrimLeft(text[end+1:], " \t\r\n")
			if len(text) == 0 {
				return errColumn
			}
			if text[0] == ']' {
				return nil
			}
			text = text[1:]
			continue
		}
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

// readRepeated reads a column that repeats after some numbers.
func (c *column) readRepeated(text []byte) error {
	var r struct {
		Repeat column
		Count  int
	}
	if err := json.Unmarshal(text, &r); err != nil {
		return err
	}
	if len(r.Repeat) == 0 || r.Count < 0 || r.Count > mostRounds {
		return errColumn
	}
	*c = make(column, r.Count)
	for i := range *c {
		(*c)[i] = r.Repeat[i%len(r.Repeat)]
	}
	return nil
}

// readRun reads "v,n": n times v.
func (c *column) readRun(text []byte) error {
	value, count, ok := bytes.Cut(text, []byte(","))
	if !ok {
		return errColumn
	}
	v, err := parseNumber(bytes.TrimSpace(value))
	if err != nil {
		return err
	}
	n, err := strconv.Atoi(string(bytes.TrimSpace(count)))
	if err != nil || n < 1 || n > mostRounds-len(*c) {
		return errColumn
	}
	for range n {
		*c = append(*c, v)
	}
	return nil
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
