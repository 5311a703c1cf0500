package study

import (
	"strings"
	"testing"

	"github.com/tarebench/tare/cmd/tare/internal/result"
)

// TestCannotCountNamesTheReason: a binary without the overlay cannot count, and the
// reason why it has none comes first.
func TestCannotCountNamesTheReason(t *testing.T) {
	t.Parallel()
	b := &bench{Benchmark: result.Benchmark{Key: result.Key{Name: "X"}}}
	all := new(counter).process(t.Context(), []*bench{b}, 0, 0, map[int]Binary{0: {WhyNot: "no function predictN"}})
	if got := all["BenchmarkX"].message; !strings.Contains(got, "(no function predictN) and cannot count: remove -units counts") {
		t.Errorf("%q", got)
	}
}
