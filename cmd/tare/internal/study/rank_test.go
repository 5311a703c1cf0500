package study

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tarebench/tare/cmd/tare/internal/judge"
	"github.com/tarebench/tare/cmd/tare/internal/result"
)

// Benchmarks of a lower rank come first, those of one rank as they are drawn
// from the seed; packages are built in the same order.
func TestInOrder(t *testing.T) {
	t.Parallel()
	ranks := map[result.Key]int{{Pkg: "b", Name: "Z"}: -1, {Pkg: "a", Name: "Y"}: 2, {Pkg: "b"}: -1, {Pkg: "c"}: 1}
	r := &runner{o: Options{Rank: ranks}}
	r.o.Study = compareStudy(10)
	r.design = judge.DesignOf(r.o.Study)
	var benches []*bench
	for _, pkg := range []string{"a", "b"} {
		for _, name := range []string{"V", "W", "X", "Y", "Z"} {
			benches = append(benches, &bench{Benchmark: result.Benchmark{Key: result.Key{Pkg: pkg, Name: name}}})
		}
	}
	orders := make(map[string]bool)
	for seed := range uint64(20) {
		r.o.Study.Seed = seed
		var names string
		for _, b := range r.inOrder(benches) {
			names += b.Pkg + b.Name
		}
		orders[names] = true
		if names[:2] != "bZ" || names[18:] != "aY" {
			t.Errorf("seed %d: order %s", seed, names)
		}
	}
	if len(orders) < 10 {
		t.Errorf("only %d orders of 20 seeds", len(orders))
	}
	synctest.Test(t, func(t *testing.T) { // whose clock stands still
		r.o.Study.TotalSeconds, r.o.Begun = 60, time.Now()
		slow := benches[7] // bX
		slow.turn, slow.took = -1, 2*time.Second
		if last := r.inOrder(benches)[8]; last != slow { // of its rank
			t.Errorf("the last of its rank is %s%s, want bX, whose first look takes half of the total", last.Pkg, last.Name)
		}
	})
	packages := func() (order []string) {
		for _, g := range r.buildOrder([]*packageBenchmarks{{pkg: "c"}, {pkg: "a"}, {pkg: "b"}}) {
			order = append(order, g.pkg)
		}
		return order
	}
	if order := packages(); !slices.Equal(order, []string{"b", "a", "c"}) {
		t.Errorf("packages are built in the order %v", order)
	}
	r.o.Rank = nil
	if order := packages(); !slices.Equal(order, []string{"c", "a", "b"}) {
		t.Errorf("without ranks, packages are built in the order %v", order)
	}
}
