package history

import (
	"sync"
	"time"

	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/session"
)

// whole is the watcher of a run of several comparisons: it passes on the
// remaining time of all of them.
type whole struct {
	session.Watcher
	now func() time.Time
	// end is the end of the total, zero without one.
	end time.Time

	mu sync.Mutex // a session reports from several goroutines
	// began is the start of the comparison under way; after is the number of its
	// kind that follow.
	began     time.Time
	after     int
	announced bool
}

// next begins a comparison that others of its kind follow.
func (w *whole) next(after int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.began, w.after = w.now(), after
}

// Progress passes on the expected time of all comparisons. The first comparison
// that has to measure announces the plan, once.
func (w *whole) Progress(p result.Progress) {
	w.mu.Lock()
	again := p.Phase == "planned" && w.announced
	w.announced = w.announced || p.Phase == "planned" && p.Left > 0
	spent := w.now().Sub(w.began)
	p.Left, p.Most = w.all(p.Left, spent), w.all(p.Most, spent)
	p.Reach = result.Reach{} // the reach of one comparison is not the reach of all
	w.mu.Unlock()
	if !again {
		w.Watcher.Progress(p)
	}
}

// all is the time of the comparison under way and of the following ones, each of
// which takes as long; 0 is unknown.
func (w *whole) all(left, spent time.Duration) time.Duration {
	if left <= 0 {
		return 0
	}
	left += time.Duration(w.after) * (spent + left)
	if !w.end.IsZero() {
		left = min(left, max(time.Second, w.end.Sub(w.now())))
	}
	return left
}
