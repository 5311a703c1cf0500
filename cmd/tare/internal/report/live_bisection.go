package report

import (
	"fmt"
	"slices"

	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/words"
)

// LiveBisection shows the progress of a bisection: the probabilities, and the
// progress of the current session.
type LiveBisection struct {
	*Live
	posterior string // empty before the first answer
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
	l.log(text)
	l.posterior = posteriorLine(p, 50) + "  " + text
	l.draw(words.Shorten(l.posterior, l.o.Width-1))
}
