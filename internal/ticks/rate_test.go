package ticks

import (
	"math"
	"testing"
)

func TestRateBetween(t *testing.T) {
	for _, test := range []struct {
		name     string
		from, to Pairing
		want     float64 // 0: an error
	}{
		{"2.5 GHz", Pairing{1000, 500, 60}, Pairing{25_001_000, 10_000_500, 80}, 0.4},
		{"24 MHz", Pairing{0, 0, 1}, Pairing{240_000, 10_000_000, 1}, 1000. / 24},
		{"no time", Pairing{1000, 500, 60}, Pairing{1000, 500, 60}, 0},
		{"counter reset", Pairing{1 << 40, 500, 60}, Pairing{100, 10_000_500, 60}, 0},
		{"wrong order", Pairing{1000, 500, 60}, Pairing{100, 50, 60}, 0},
		{"shorter than the slack", Pairing{0, 0, 100}, Pairing{90, 40, 100}, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			r, err := rateBetween(test.from, test.to)
			if (err != nil) != (test.want == 0) {
				t.Fatalf("error %v", err)
			}
			if math.Abs(r.NanosPerTick-test.want) > 1e-12 {
				t.Errorf("%v ns a tick, want %v", r.NanosPerTick, test.want)
			}
			if err == nil && !(r.Lo < test.want && test.want < r.Hi) {
				t.Errorf("bounds %v to %v miss %v", r.Lo, r.Hi, test.want)
			}
		})
	}
}

func BenchmarkFence(b *testing.B) {
	for b.Loop() {
		Fence()
	}
}
