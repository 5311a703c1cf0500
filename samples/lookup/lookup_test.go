package lookup

import (
	"fmt"
	"testing"
)

// table is n sorted names of one length.
func table(n int) []string {
	names := make([]string, n)
	for i := range names {
		names[i] = fmt.Sprintf("customer-%06d", i*7)
	}
	return names
}

func TestFind(t *testing.T) {
	names := table(100)
	for i, name := range names {
		if got := Find(names, name); got != i {
			t.Errorf("Find(%q) = %d, want %d", name, got, i)
		}
	}
	if got := Find(names, "nobody"); got != -1 {
		t.Errorf("Find of a name that is not there = %d, want -1", got)
	}
}

// BenchmarkFind looks every name up in turn.
func BenchmarkFind(b *testing.B) {
	for _, n := range []int{2, 4, 8, 16, 64, 256} {
		b.Run(fmt.Sprintf("keys=%d", n), func(b *testing.B) {
			names := table(n)
			next := 0
			for b.Loop() {
				Find(names, names[next])
				if next++; next == n {
					next = 0
				}
			}
		})
	}
}

// BenchmarkJoin is the same code in both variants.
func BenchmarkJoin(b *testing.B) {
	for _, n := range []int{16, 256} {
		b.Run(fmt.Sprintf("keys=%d", n), func(b *testing.B) {
			names := table(n)
			for b.Loop() {
				Join(names)
			}
		})
	}
}
