package explain

import (
	"strings"
	"testing"
)

// TestDistrust keeps the facts if profiles have few samples or show the slower
// variant as the faster one.
func TestDistrust(t *testing.T) {
	of := func(samples int, seconds float64) sampled {
		return sampled{times: &profileTimes{samples: samples}, running: &running{Seconds: seconds}}
	}
	for _, c := range []struct {
		name     string
		old, new sampled
		slower   bool
		want     string
	}{
		{"enough", of(300, 1e-6), of(300, 2e-6), true, ""},
		{"about equal", of(300, 1e-6), of(300, 0.999e-6), true, ""},
		{"few", of(12, 1e-6), of(36, 2e-6), true, "12 and 36 samples"},
		{"the other way", of(300, 2e-6), of(300, 1e-6), true, "contradict"},
		{"faster, the other way", of(300, 1e-6), of(300, 2e-6), false, "contradict"},
		{"none", sampled{}, of(300, 2e-6), true, "no profile"},
	} {
		if got := distrust(c.old, c.new, c.slower); c.want == "" && got != "" || !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
