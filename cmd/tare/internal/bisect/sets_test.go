package bisect

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// changes are simulated ones.
type changes struct {
	// groups bring steps: a group does when all of its changes are made.
	groups map[float64][]int
	// together cannot be built but with all or none of them.
	together [][]int
	noise    func(*rand.Rand) float64
	random   *rand.Rand
	exact    bool
	history  // for its rule
}

func (c *changes) level(set []int) float64 {
	sum := 0.0
	for size, group := range c.groups {
		if len(without(group, set)) == 0 {
			sum += size
		}
	}
	return sum
}

func (c *changes) CompareSets(ctx context.Context, a, b []int) (Outcome, error) {
	for _, set := range [][]int{a, b} {
		for _, group := range c.together {
			if missing := without(group, set); len(missing) != 0 && len(missing) != len(group) {
				return Outcome{}, &BrokenError{Reason: "undefined: f"}
			}
		}
	}
	if c.exact {
		o := Outcome{Exact: true, Old: 100 + 1000*c.level(a), New: 100 + 1000*c.level(b)}
		o.Center = math.Log(o.New / o.Old)
		o.Differs, o.Same = o.Old != o.New, o.Old == o.New
		return o, nil
	}
	h := newHistory(1, map[int]float64{1: c.level(b) - c.level(a)}, c.noise, c.random.Uint64())
	return h.Compare(ctx, 0, 1)
}

func TestSearchSets(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name     string
		n        int
		groups   map[float64][]int
		together [][]int
		want     [][]int // in any order
	}{
		{"one file of many", 20, map[float64][]int{0.05: {13}}, nil, [][]int{{13}}},
		{"two that must go together", 12, map[float64][]int{0.05: {3, 9}}, nil, [][]int{{3, 9}}},
		{"two that compile only together", 12, map[float64][]int{0.05: {4}}, [][]int{{4, 10}}, [][]int{{4, 10}}},
		{"two steps", 10, map[float64][]int{0.04: {2}, 0.05: {7}}, nil, [][]int{{2}, {7}}},
		{"a speed-up", 8, map[float64][]int{-0.05: {0}}, nil, [][]int{{0}}},
		{"one file", 1, map[float64][]int{0.05: {0}}, nil, [][]int{{0}}},
		{"all files", 3, map[float64][]int{0.05: {0, 1, 2}}, nil, [][]int{{0, 1, 2}}},
		{"nothing", 8, nil, nil, nil},
	} {
		for _, exact := range []bool{false, true} {
			right, open := 0, 0
			const runs = 20
			for seed := range uint64(runs) {
				c := &changes{groups: test.groups, together: test.together, noise: spiked(0.002, 0.05), random: rand.New(rand.NewPCG(seed, 9)), exact: exact}
				r, err := SearchSets(context.Background(), c, test.n, Options{})
				if err != nil {
					t.Fatal(err)
				}
				var got [][]int
				for _, g := range r.Groups {
					got = append(got, g.Changes)
				}
				slices.SortFunc(got, slices.Compare)
				switch {
				case cmp.Equal(got, test.want):
					right++
				case len(got) == 0:
					open++
				}
			}
			least := runs - 1
			if exact {
				least = runs
			}
			if right < least-open || open > 1 || exact && open > 0 {
				t.Errorf("%s, exact %t: right in %d of %d, open in %d", test.name, exact, right, runs, open)
			}
		}
	}
}

// A search whose blocks end first names nothing.
func TestSearchSetsEnds(t *testing.T) {
	t.Parallel()
	c := &changes{groups: map[float64][]int{0.05: {13}}, noise: normal(0.002), random: rand.New(rand.NewPCG(1, 1))}
	r, err := SearchSets(context.Background(), c, 40, Options{MaxBlocks: 20})
	if err != nil || len(r.Groups) != 0 || !slices.Contains(r.Open, 13) {
		t.Errorf("groups %v, open %v, %v", r.Groups, r.Open, err)
	}
}
