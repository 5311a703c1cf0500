package bisect

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// commitsBetween whose machine code equals their parent's are neither measured nor
// named, and every one of them that is looked at is excluded.
func TestSearchLeavesOutSameCode(t *testing.T) {
	t.Parallel()
	unnamed := 0
	for seed := range uint64(200) {
		random := rand.New(rand.NewPCG(seed, 3))
		n := 4 + random.IntN(60)
		h := newHistory(n, nil, normal(0.003), seed)
		h.code, h.broken = make([]int, n+1), make(map[int]bool)
		var changes []int
		for k := 1; k <= n; k++ {
			h.code[k] = h.code[k-1]
			if random.IntN(4) == 0 || k == n && len(changes) == 0 {
				h.code[k] = k
				changes = append(changes, k)
			}
			if k < n && random.IntN(10) == 0 {
				h.broken[k] = true
			}
		}
		at := changes[random.IntN(len(changes))]
		for k := at; k <= n; k++ {
			h.level[k] = 0.05
		}
		r, err := findCulprits(context.Background(), h, n, options{})
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Culprits) == 0 && len(changes) > 1 && slices.Equal(r.Open, []int{at}) {
			// Three commits with other code do not exclude large moves.
			if unnamed++; unnamed > 2 {
				t.Fatalf("seed %d: the only open commit was not named, as in %d searches before", seed, unnamed-1)
			}
			continue
		}
		if len(r.Culprits) != 1 || !slices.Contains(r.Culprits[0].Commits, at) {
			t.Fatalf("seed %d: found %+v, want commit %d of %d", seed, r.Culprits, at, n)
		}
		for _, k := range r.SameCode {
			if h.code[k] != h.code[k-1] {
				t.Errorf("seed %d: commit %d was left out, and its code differs from its parent's", seed, k)
			}
			if r.Posterior.Step[k] != 0 || slices.Contains(r.Culprits[0].Commits, k) {
				t.Errorf("seed %d: commit %d was left out, with probability %g", seed, k, r.Posterior.Step[k])
			}
		}
		for k := range h.measured {
			if k > 0 && k < n && h.code[k] == h.code[k-1] && !h.broken[k-1] && !h.parents[k] {
				t.Errorf("seed %d: commit %d was measured, and its code is its parent's", seed, k)
			}
		}
	}
}

// If one commit changes code, the comparison of the ends names it: the ends run
// its parent's code and its own.
func TestSearchMeasuresNothingWhereCodeDecides(t *testing.T) {
	t.Parallel()
	h := newHistory(100, map[int]float64{70: 0.02}, normal(0.002), 1)
	h.code = make([]int, 101)
	for k := 70; k <= 100; k++ {
		h.code[k] = 1
	}
	r, err := findCulprits(context.Background(), h, 100, options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Culprits) != 1 || !slices.Equal(r.Culprits[0].Commits, []int{70}) || len(r.SameCode) != 99 {
		t.Errorf("found %+v, left out %d", r.Culprits, len(r.SameCode))
	}
	if want := len(r.Ends.Logs); r.Blocks != want {
		t.Errorf("%d blocks, want %d", r.Blocks, want)
	}
}

func TestSearchExactly(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		count  []float64
		broken map[int]bool
		want   [][]int
	}{
		{"one step", []float64{7, 7, 7, 7, 8, 8, 8}, nil, [][]int{{4}}},
		{"fewer", []float64{9, 9, 3, 3, 3}, nil, [][]int{{2}}},
		{"first and last", []float64{1, 2, 2, 2, 3}, nil, [][]int{{1}, {4}}},
		{"three steps", []float64{10, 12, 12, 13, 13, 13, 13, 19}, nil, [][]int{{1}, {3}, {7}}},
		{"a step that does not matter", []float64{1000, 1000, 1001, 1001, 1001, 1101, 1101}, nil, [][]int{{5}}},
		{"broken before the step", []float64{5, 5, 5, 6, 6, 6}, map[int]bool{2: true}, [][]int{{2, 3}}},
		{"broken step", []float64{5, 5, 5, 6, 6, 6}, map[int]bool{3: true}, [][]int{{3, 4}}},
		{"all broken", []float64{5, 5, 5, 6}, map[int]bool{1: true, 2: true}, [][]int{{1, 2, 3}}},
	} {
		h := newHistory(len(test.count)-1, nil, normal(1), 1)
		h.count, h.broken = test.count, test.broken
		r, err := findCulprits(context.Background(), h, len(test.count)-1, options{})
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		var got [][]int
		for _, c := range r.Culprits {
			got = append(got, c.Commits)
			if want := test.count[c.Commit] - test.count[c.Parent]; c.Change.New-c.Change.Old != want {
				t.Errorf("%s: commit %d changes by %g, want %g", test.name, c.Commit, c.Change.New-c.Change.Old, want)
			}
		}
		if d := cmp.Diff(test.want, got); d != "" || len(r.Open) > 0 {
			t.Errorf("%s (-want +got):\n%s", test.name, d)
		}
	}
}

// Ends that are exact, and a commit between that is not: the blocks decide.
func TestSearchExactlyFallsBack(t *testing.T) {
	t.Parallel()
	h := &varying{newHistory(20, map[int]float64{13: 0.1}, normal(0.001), 5)}
	r, err := findCulprits(context.Background(), h, 20, options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Culprits) != 1 || !slices.Equal(r.Culprits[0].Commits, []int{13}) {
		t.Errorf("found %+v", r.Culprits)
	}
}

// varying has counts that are exact at the ends only.
type varying struct{ *history }

func (v *varying) Compare(ctx context.Context, a, b int) (outcome, error) {
	o, err := v.history.Compare(ctx, a, b)
	if a == 0 && b == 20 {
		o.Exact, o.Old, o.New = true, 100, 110
	}
	return o, err
}
