package words

import "testing"

func TestSeconds(t *testing.T) {
	for s, want := range map[float64]string{0: "", 0.44: "0.4 s", 9.95: "10 s", 67: "67 s", 150: "2.5 min", 300: "5 min", 7199: "120 min", 10800: "3 h"} {
		if got := Seconds(s); got != want {
			t.Errorf("%g s: %q, want %q", s, got, want)
		}
	}
}
