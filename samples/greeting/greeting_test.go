package greeting

import (
	"math"
	"testing"
)

func TestGreeting(t *testing.T) {
	for _, test := range []struct {
		n    int
		want string
	}{
		{123, "hello, world 123"},
		{0, "hello, world 0"},
		{-1, "hello, world -1"},
		{math.MaxInt32, "hello, world 2147483647"},
	} {
		if got := Greeting(test.n); got != test.want {
			t.Errorf("Greeting(%d) = %q, want %q", test.n, got, test.want)
		}
	}
}

// BenchmarkGreeting is the same for every build tag.
func BenchmarkGreeting(b *testing.B) {
	for b.Loop() {
		Greeting(123)
	}
}
