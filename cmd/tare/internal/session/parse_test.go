package session

import (
	"slices"
	"testing"
	"time"
)

func TestParseProcs(t *testing.T) {
	for text, want := range map[string][]int{"": nil, "4": {4}, "1, 2,4,2": {1, 2, 4}} {
		if got, err := ParseProcs(text); err != nil || !slices.Equal(got, want) {
			t.Errorf("%q: %v, %v, want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"0", "a", "1,", "-2"} {
		if _, err := ParseProcs(text); err == nil {
			t.Errorf("%q: no error", text)
		}
	}
}

func TestParseBenchtime(t *testing.T) {
	for _, test := range []struct {
		text       string
		block      time.Duration
		iterations int64
	}{{"", 0, 0}, {"100x", 0, 100}, {"1.5s", 1500 * time.Millisecond, 0}} {
		block, iterations, err := ParseBenchtime(test.text)
		if err != nil || block != test.block || iterations != test.iterations {
			t.Errorf("%q: %v, %d, %v", test.text, block, iterations, err)
		}
	}
	for _, text := range []string{"0x", "x", "1", "-1s", "1.5x"} {
		if _, _, err := ParseBenchtime(text); err == nil {
			t.Errorf("%q: no error", text)
		}
	}
}

func TestParseRates(t *testing.T) {
	for text, want := range map[string]float64{"0.05": 0.05, "5%": 0.05} {
		if got, err := ParseAlpha(text); err != nil || got != want {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "0", "50%", "-1%", "a"} {
		if _, err := ParseAlpha(text); err == nil {
			t.Errorf("alpha %q: no error", text)
		}
	}
	for _, text := range []string{"", "0s", "-1s", "10"} {
		if _, err := ParseBudget(text); err == nil {
			t.Errorf("budget %q: no error", text)
		}
	}
}
