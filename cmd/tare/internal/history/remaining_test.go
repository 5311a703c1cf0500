package history

import (
	"testing"
	"time"

	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/session"
)

// seen keeps the calls of a watcher.
type seen struct {
	session.Quiet
	all []result.Progress
}

func (s *seen) Progress(p result.Progress) { s.all = append(s.all, p) }

// The remaining time covers all comparisons, within the total.
func TestTimeLeftOfARecord(t *testing.T) {
	t.Parallel()
	now := time.Unix(1000, 0)
	to := new(seen)
	w := &whole{Watcher: to, now: func() time.Time { return now }}
	last := func(p result.Progress) result.Progress {
		t.Helper()
		w.Progress(p)
		return to.all[len(to.all)-1]
	}
	w.next(3)
	last(result.Progress{Phase: "planned"}) // all of it is the same code
	w.next(2)
	now = now.Add(10 * time.Second) // of builds
	if p := last(result.Progress{Phase: "planned", Left: 50 * time.Second, Most: 90 * time.Second}); p.Left != 170*time.Second || p.Most != 290*time.Second {
		t.Errorf("planned: %v, %v at most", p.Left, p.Most)
	}
	now = now.Add(30 * time.Second)
	if p := last(result.Progress{Phase: "measuring", Left: 20 * time.Second}); p.Left != 140*time.Second || p.Most != 0 {
		t.Errorf("measuring: %v", p.Left)
	}
	w.next(0)
	if p := last(result.Progress{Phase: "building"}); p.Left != 0 {
		t.Errorf("building: %v", p.Left)
	}
	n := len(to.all)
	w.Progress(result.Progress{Phase: "planned", Left: time.Minute})
	if len(to.all) != n {
		t.Error("a plan was announced twice")
	}
	w.next(9)
	w.end = now.Add(45 * time.Second)
	if p := last(result.Progress{Phase: "measuring", Left: 20 * time.Second, Reach: result.Reach{Of: 3}}); p.Left != 45*time.Second || p.Reach.Of != 0 {
		t.Errorf("within the total: %v, %v", p.Left, p.Reach)
	}
}
