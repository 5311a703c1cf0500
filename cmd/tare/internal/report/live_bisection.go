package report

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/words"
)

// LiveBisection shows the progress of a bisection: the probabilities, and the
// progress of the session that answers the present question.
type LiveBisection struct {
	*Live
	posterior string // empty before the first answer
	// began is the time of the first answer of a search, and open the bits that
	// it left open. last is the open bits after the last answer.
	began      time.Time
	open, last float64
}

// Finished does nothing: the benchmark is measured again for every question.
func (l *LiveBisection) Finished(result.Progress) {}

// Progress shows the progress of the session after the probabilities, once they
// are known.
func (l *LiveBisection) Progress(p result.Progress) {
	l.mu.Lock()
	line := l.posterior
	if line != "" {
		l.draw(words.Shorten(line+"; "+p.Phase, l.o.Width-1))
	}
	l.mu.Unlock()
	if line == "" {
		l.Live.Progress(p)
	}
}

// Posterior shows the probability of every point after an answer.
func (l *LiveBisection) Posterior(p []float64, blocks int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	text := fmt.Sprintf("%d blocks, best %.0f%%", blocks, 100*slices.Max(p))
	if left := l.left(entropy(p)); left > 0 {
		text += fmt.Sprintf(", about %s left", shortDuration(left))
	}
	l.log(text)
	l.posterior = posteriorLine(p, 50) + "  " + text
	l.draw(words.Shorten(l.posterior, l.o.Width-1))
}

// leastBits is how much must be answered before the time of the rest can be
// estimated from it.
const leastBits = 0.5

// left is the expected remaining time of the search, given the open bits. It
// assumes that each bit takes as long as the bits so far. It is 0 while there is
// nothing to base it on.
func (l *LiveBisection) left(open float64) time.Duration {
	now := l.now()
	// An answer that opens much more begins a new search, inside of a merge.
	if again := open > l.last+1; l.began.IsZero() || again {
		l.began, l.open = now, open
	}
	l.last = open
	answered := l.open - open
	if answered < leastBits {
		return 0
	}
	return time.Duration(float64(now.Sub(l.began)) * open / answered)
}

// entropy of probabilities, in bits.
func entropy(p []float64) (bits float64) {
	for _, x := range p {
		if x > 0 {
			bits -= x * math.Log2(x)
		}
	}
	return bits
}
