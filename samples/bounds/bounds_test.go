package bounds

import "testing"

func TestDot(t *testing.T) {
	if got := Dot([]int{1, 2, 3}, []int{4, 5, 6, 7}); got != 32 {
		t.Errorf("Dot = %d, want 32", got)
	}
	if got := Dot(nil, nil); got != 0 {
		t.Errorf("Dot of nothing = %d", got)
	}
}

// The compiler must not know these lengths, or it would remove the check.
var x, y = make([]int, 100), make([]int, 100)

// BenchmarkDot is the same for every build tag.
func BenchmarkDot(b *testing.B) {
	for i := range x {
		x[i], y[i] = i, 2*i
	}
	for b.Loop() {
		Dot(x, y)
	}
}
