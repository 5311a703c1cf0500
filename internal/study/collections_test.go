package study

import (
	"testing"

	"github.com/tarebench/tare/internal/result"
)

func TestCollectionRounds(t *testing.T) {
	rounds := func(n int, met ...int) []result.Round {
		all := make([]result.Round, n)
		for i := range all {
			all[i].Slices = make([]result.Slice, len(met))
			for v, m := range met {
				all[i].Slices[v] = result.Slice{N: 100, Raw: 1e5, Counted: true, Mallocs: 100, Collected: i < m}
				if m < 0 {
					all[i].Slices[v].Mallocs, all[i].Slices[v].Collected = 0, false
				}
			}
		}
		return all
	}
	for _, test := range []struct {
		name string
		last []result.Round
		want int
	}{
		{"no allocation", rounds(200, -1, -1), 0},
		{"one side met two", rounds(200, 2, 8), 400},
		{"none met", rounds(200, 0, 0), 400},
		{"enough", rounds(200, 10, 20), 80},
		{"one side allocates", rounds(100, -1, 1), 400},
		{"no longer than a quarter of a second", rounds(2000, 1, 1), 2500},
	} {
		if got := collectionRounds(test.last, 2, 1e-4); got != test.want {
			t.Errorf("%s: %d rounds, want %d", test.name, got, test.want)
		}
	}
}
