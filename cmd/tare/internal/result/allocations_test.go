package result

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The first iterations of each call have three allocations and 56 bytes less than
// the rest, as an append to a buffer on the stack has in Go 1.26: the slope is 20.
func TestDifferencesLeaveTheFirstIterationOut(t *testing.T) {
	call := func(n int64) Round {
		return Round{Slices: []Slice{{N: n, Counted: true, Mallocs: uint64(20*n - 3), Bytes: uint64(13440*n - 56)}}}
	}
	want := []Round{
		{Slices: []Slice{{N: 7, Counted: true, Mallocs: 140, Bytes: 7 * 13440}}},
		{Slices: []Slice{{N: 14, Counted: true, Mallocs: 280, Bytes: 14 * 13440}}},
	}
	if d := cmp.Diff(want, Differences([]Round{call(7), call(14), call(28)})); d != "" {
		t.Error(d)
	}
	if got := Differences([]Round{call(7), call(7), {Slices: []Slice{{}}}}); got != nil {
		t.Errorf("calls of one length have the differences %v", got)
	}
}
