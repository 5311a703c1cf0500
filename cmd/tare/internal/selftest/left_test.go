package selftest

import (
	"math"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/tarebench/tare/cmd/tare/internal/machine"
	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/session"
)

// TestLeft: an open comparison takes as long as a finished one, and ends with
// the deadline. More comparisons than wanted leave nothing.
func TestLeft(t *testing.T) {
	const ever = math.MaxInt64
	all := []pair{{wanted: 20}, {wanted: 10}}
	truths := []result.SelfTestTruth{{Comparisons: 4}, {Comparisons: 6}}
	if got := left(all, truths, 30*time.Second, ever); got != time.Minute {
		t.Errorf("20 of 30 are open after 30 s: %v left", got)
	}
	for most, want := range map[time.Duration]time.Duration{10 * time.Second: 10 * time.Second, -time.Second: 0} {
		if got := left(all, truths, 30*time.Second, most); got != want {
			t.Errorf("%v left before a deadline in %v", got, most)
		}
	}
	truths[0].Comparisons, truths[1].Comparisons = 25, 10
	if got := left(all, truths, 30*time.Second, ever); got != 0 {
		t.Errorf("%v left of nothing", got)
	}
}

// TestMostInterrupts: the time of a self-test also ends a comparison that has
// begun. If none ended before, that is an error.
func TestMostInterrupts(t *testing.T) {
	out, err := Options{Null: 1, Known: 1, Most: time.Millisecond, Lock: machine.LockOff, Host: session.Host{Tree: os.DirFS("/")}}.Run(t.Context())
	if err == nil || !strings.Contains(err.Error(), "no comparison ended") {
		t.Errorf("%+v, %v", out, err)
	}
}
