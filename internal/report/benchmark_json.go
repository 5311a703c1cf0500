package report

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"strings"

	"github.com/tarebench/tare/internal/result"
	"github.com/tarebench/tare/unit"
)

// current is one value of the newest variant: what trackers of history keep.
type current struct {
	key   result.Key
	row   string
	unit  string
	value result.Estimate
}

// currents lists the values of the new side, or of the run, without what
// failed.
func (d Document) currents() []current {
	var all []current
	if c := d.Comparison; c != nil {
		for i := range c.Benchmarks {
			if b := &c.Benchmarks[i]; known(b.New.Center) && b.New.N > 0 {
				all = append(all, current{b.Key, b.Row, b.Unit, b.New})
			}
		}
		return all
	}
	for i := range d.Run.Benchmarks {
		if m := &d.Run.Benchmarks[i]; m.Failed == "" && known(m.Value.Center) {
			all = append(all, current{m.Key, m.Row, m.Unit, m.Value})
		}
	}
	return all
}

// fullName tells benchmarks of several packages apart.
func (c current) fullName() string {
	name := rowName(c.key, c.row)
	if c.key.Pkg != "" {
		name = c.key.Pkg + "." + name
	}
	return printable(name)
}

// GitHubBenchmark writes the "customSmallerIsBetter" input of
// github-action-benchmark. That format has one direction: rates, where more is
// better, are left out.
func GitHubBenchmark(w io.Writer, d Document) error {
	type entry struct {
		Name  string  `json:"name"`
		Unit  string  `json:"unit"`
		Value float64 `json:"value"`
		Range string  `json:"range,omitempty"`
		Extra string  `json:"extra,omitempty"`
	}
	entries := []entry{}
	for _, c := range d.currents() {
		if unit.Better(c.unit) == unit.HigherIsBetter {
			continue
		}
		e := entry{Name: c.fullName(), Unit: printable(c.unit), Value: c.value.Center}
		if c.unit != "sec/op" {
			e.Name += " - " + e.Unit // the name is the key of the history
		} else {
			e.Unit, e.Value = "ns/op", c.value.Center*1e9
		}
		if around := spread(c.value); around != "" {
			e.Range = "± " + around
			e.Extra = "95% interval " + rangeText(c.value, scaleOf(c.unit, c.value.Center), c.unit)
		}
		entries = append(entries, e)
	}
	return JSON(w, entries)
}

// Bencher writes Bencher Metric Format: benchmark → measure → value with
// bounds. Time per operation is the built-in measure "latency", in
// nanoseconds; every other unit is a measure of its own name in base units.
func Bencher(w io.Writer, d Document) error {
	type metric struct {
		Value float64  `json:"value"`
		Lower *float64 `json:"lower_value,omitempty"`
		Upper *float64 `json:"upper_value,omitempty"`
	}
	all := make(map[string]map[string]metric)
	for _, c := range d.currents() {
		name, factor := within(c.fullName(), 1024), 1.0
		measure := within(slug(c.unit), 64)
		if c.unit == "sec/op" {
			measure, factor = "latency", 1e9
		}
		m := metric{Value: c.value.Center * factor}
		if known(c.value.Lo) && known(c.value.Hi) {
			lo, hi := c.value.Lo*factor, c.value.Hi*factor
			m.Lower, m.Upper = &lo, &hi
		}
		if all[name] == nil {
			all[name] = make(map[string]metric)
		}
		all[name][measure] = m
	}
	return JSON(w, all)
}

// within keeps a name to a tracker's limit, in bytes: what is cut off is told
// apart by a hash.
func within(name string, limit int) string {
	if len(name) <= limit {
		return name
	}
	hash := sha256.Sum256([]byte(name))
	return strings.TrimRight(strings.ToValidUTF8(name[:limit-9], ""), "-") + "-" + hex.EncodeToString(hash[:4])
}

// slug is a unit in lower-case letters, digits and dashes: "allocs-per-op".
func slug(u string) string {
	var b strings.Builder
	dash := false
	for _, r := range strings.ReplaceAll(strings.ToLower(u), "/", "-per-") {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			if dash && b.Len() > 0 {
				b.WriteByte('-')
			}
			dash = false
			b.WriteRune(r)
		} else {
			dash = true
		}
	}
	if b.Len() == 0 {
		return "value"
	}
	return b.String()
}
