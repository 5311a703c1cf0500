package report

import (
	"bytes"
	"strings"
	"testing"
	"time"
)

// A search over 64 points takes as long for each halving: the remaining time is
// the time of the remaining halvings.
func TestTimeLeftOfBisection(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	l := &LiveBisection{Live: NewLive(&b, LiveOptions{Terminal: true, Width: 200})}
	now := time.Unix(0, 0)
	l.now = func() time.Time { return now }
	even := func(n int) []float64 {
		p := make([]float64, 64)
		for i := range n {
			p[i] = 1 / float64(n)
		}
		return p
	}
	for _, test := range []struct {
		after time.Duration
		open  int
		want  string
	}{
		{0, 64, ""},
		{10, 60, ""}, // too little to conclude from
		{30, 32, "about 2m30s left"},
		{60, 16, "about 2m00s left"},
		{150, 2, "about 30s left"},
		{180, 1, ""},
		{300, 16, ""}, // inside of a merge
		{320, 4, "about 20s left"},
	} {
		b.Reset()
		now = time.Unix(0, 0).Add(test.after * time.Second)
		l.Posterior(even(test.open), 5)
		got := b.String()
		if test.want == "" && strings.Contains(got, "left") || !strings.Contains(got, test.want) {
			t.Errorf("%d open: %q, want %q", test.open, got, test.want)
		}
	}
}
