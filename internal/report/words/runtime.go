package words

import (
	"fmt"
	"strings"

	"github.com/tarebench/tare/internal/result"
)

// Runtime says what the runtime did beside the time; "" when nothing is
// Known.
func Runtime(c *result.RuntimeCounts) string {
	if c == nil {
		return ""
	}
	var parts []string
	if c.User+c.System > 0 {
		s := Scale("sec/op", c.User, c.System)
		parts = append(parts, fmt.Sprintf("CPU time per op: user %s %s, system %s %s", s.Format(c.User), s.Symbol, s.Format(c.System), s.Symbol))
	}
	if c.GCs > 0 {
		gc := Plural(int(c.GCs), "collection")
		if c.GCShare > 0 {
			gc += fmt.Sprintf(" with %.2g %% of the CPU time", 100*c.GCShare)
		}
		parts = append(parts, gc)
	}
	if c.Waits > 0 {
		s := Scale("sec/op", c.Wait50, c.Wait99)
		parts = append(parts, fmt.Sprintf("goroutines waited for a processor: p50 %s %s, p99 %s %s", s.Format(c.Wait50), s.Symbol, s.Format(c.Wait99), s.Symbol))
	}
	return strings.Join(parts, "; ")
}

// Runtimes says it of two sides.
func Runtimes(old, new *result.RuntimeCounts) string {
	a, b := Runtime(old), Runtime(new)
	switch {
	case a == "" && b == "":
		return ""
	case a == "":
		return "new: " + b
	case b == "":
		return "old: " + a
	}
	return "old: " + a + " · new: " + b
}
