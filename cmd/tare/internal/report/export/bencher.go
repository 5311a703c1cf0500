package export

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"strings"

	"github.com/tarebench/tare/cmd/tare/internal/report"
	"github.com/tarebench/tare/cmd/tare/internal/report/words"
	"github.com/tarebench/tare/cmd/tare/internal/result"
)

// Bencher writes Bencher Metric Format: benchmark → measure → value with
// bounds. Time per operation is the built-in measure "latency", in
// nanoseconds; every other unit is a measure of its own name in base units.
func Bencher(w io.Writer, d report.Document) error {
	type metric struct {
		Value float64  `json:"value"`
		Lower *float64 `json:"lower_value,omitempty"`
		Upper *float64 `json:"upper_value,omitempty"`
	}
	all := make(map[string]map[string]metric)
	for _, c := range currents(d) {
		name, factor := within(c.fullName(), 1024), 1.0
		measure := within(slug(c.unit), 64)
		if c.unit == "sec/op" {
			measure, factor = "latency", 1e9
		}
		m := metric{Value: c.value.Center * factor}
		if words.Known(c.value.Lo) && words.Known(c.value.Hi) {
			lo, hi := c.value.Lo*factor, c.value.Hi*factor
			m.Lower, m.Upper = &lo, &hi
		}
		if all[name] == nil {
			all[name] = make(map[string]metric)
		}
		all[name][measure] = m
	}
	return result.WriteJSON(w, all)
}

// within keeps a name to a tracker's limit, in bytes: what is cut off is reported
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
