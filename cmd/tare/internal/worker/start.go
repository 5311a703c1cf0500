package worker

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"syscall"
	"time"

	"github.com/tarebench/tare/cmd/tare/internal/overlay/board"
	"github.com/tarebench/tare/cmd/tare/internal/result"
)

// group implements [Group]. With a board the workers pass the turn among
// themselves. Without one the parent commands each slice.
type group struct {
	options Options
	sides   []*side
	board   *board.Memory // may be nil
	why     string        // the reason if board is nil
	notify  chan struct{}
}

type side struct {
	index  int
	config Config
	w      *Worker
	leaf   Message
	// perOp is the longest observed wall time of an iteration so far, with
	// setup.
	perOp time.Duration
	use   result.Process
	// over is set after the benchmark has ended. It is the last message.
	over   bool
	last   Message
	broken bool // the process has ended, or does not answer
}

// StartGroup starts the workers of configs, in this order, and waits until each
// is ready for its first slice. If one fails, StartGroup ends the others in
// order, so that their clean-up runs. The error is a *[SideError].
func StartGroup(ctx context.Context, configs []Config, o Options) (Group, error) {
	if len(configs) == 0 || len(configs) > board.MostSides {
		return nil, fmt.Errorf("start workers: %d of them, want 1 to %d", len(configs), board.MostSides)
	}
	if o.Apart && len(configs) > 1 {
		return startApart(ctx, configs, o)
	}
	if o.Stall <= 0 {
		o.Stall = leastStall
	}
	g := &group{options: o, notify: make(chan struct{}, 1)}
	if o.Pipe {
		g.why = "the user chose pipes"
	} else if b, err := board.Create(len(configs)); err == nil {
		g.board = b
	} else { // there is no shared memory, or a limit forbids it: the group uses the pipes
		g.why = err.Error()
	}
	if err := g.start(ctx, configs); err != nil {
		if ctx.Err() == nil {
			g.finish(ctx)
		}
		g.Close()
		return nil, err
	}
	return g, nil
}

const leastStall = 2 * time.Second

func (g *group) start(ctx context.Context, configs []Config) error {
	padding := g.options.padding
	if padding == nil {
		padding = evenly(configs, g.options.Shift)
	}
	for i, c := range configs {
		at := place{side: i, cpus: g.options.CPUs, notify: g.notify, padding: padding[i]}
		if g.board != nil {
			at.board = g.board.Files(i)
		}
		w, err := startAt(ctx, c, at)
		switch {
		case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.EINVAL), errors.Is(err, syscall.E2BIG):
			// The benchmark removed its program, or has a name that is no argument.
			return &SideError{Side: i, Err: err}
		case err != nil:
			return err
		}
		g.sides = append(g.sides, &side{index: i, config: c, w: w})
	}
	waiting := func() int { return slices.IndexFunc(g.sides, func(s *side) bool { return s.leaf.Kind == "" }) }
	began := time.Now()
	limit := time.Duration(0) // no limit before the first one is ready
	for i := waiting(); i >= 0; i = waiting() {
		s, m, err := g.await(ctx, func() (*side, time.Duration) { return g.sides[i], limit })
		if err != nil {
			return err
		}
		switch wanted := s.config.Name == "" || m.Name == s.config.Name; {
		case m.Kind == Leaf && wanted:
			s.leaf = m
			s.perOp = time.Duration(m.Slice.Raw)
			// If a worker takes far longer than the others, it waits for something.
			limit = max(g.options.Stall, stallTimes*time.Since(began))
		case m.Kind == Leaf:
			if err := s.w.End(); err != nil { // another benchmark of the same pattern
				return g.failed(s, m, err)
			}
		case wanted && (m.Kind == Fail || m.Kind == Skip):
			s.over, s.last = true, m
			return g.failed(s, m, nil)
		}
	}
	for _, s := range g.sides {
		if g.board != nil && !s.w.shares {
			g.why = "a worker could not map the shared memory"
			g.board.Close()
			g.board = nil
		}
	}
	return nil
}

func (g *group) Leaf(side int) Message { return g.sides[side].leaf }

func (g *group) Direct() (bool, string) { return g.board != nil, g.why }

func (g *group) Uses() []result.Process {
	uses := make([]result.Process, len(g.sides))
	for i, s := range g.sides {
		uses[i] = s.use
	}
	return uses
}

func (g *group) End(ctx context.Context) ([]Message, error) {
	err := g.finish(ctx)
	messages := make([]Message, len(g.sides))
	for i, s := range g.sides {
		messages[i] = s.last
	}
	return messages, err
}

func (g *group) Close() {
	for _, s := range g.sides {
		s.w.Close()
	}
	if g.board != nil {
		g.board.Close()
		g.board = nil
	}
}

// MostMessages is the most messages of a process while its benchmarks are listed,
// counted or ended. A benchmark that writes to the pipe without end has more.
const MostMessages = 1 << 16

// finish lets all workers that still answer run to their end. The error is the
// error of the first side that failed.
func (g *group) finish(ctx context.Context) error {
	var first error
	for _, s := range g.sides {
		if !s.broken {
			s.w.End()
		}
	}
	for messages := 1; ; messages++ {
		s, m, err := g.await(ctx, func() (*side, time.Duration) {
			for _, s := range g.sides {
				if !s.broken {
					return s, g.limit(s, 0)
				}
			}
			return nil, 0
		})
		if err == nil && s != nil && messages > MostMessages {
			err = g.failed(s, Message{}, fmt.Errorf("%w: messages without end", errForged))
		}
		var of *SideError
		switch {
		case err == nil && s == nil:
			return first
		case errors.As(err, &of):
			s := g.sides[of.Side]
			s.broken = true
			if errors.Is(err, ErrGone) && s.over && s.last.Kind != Fail {
				continue // as expected
			}
			if first == nil && !errors.Is(err, ErrGone) || first == nil && !s.over {
				first = err
			}
		case err != nil:
			return err
		case m.Kind == Leaf:
			s.w.End()
		case m.Kind == Over || m.Kind == Fail || m.Kind == Skip:
			if m.Name != s.leaf.Name && s.leaf.Name != "" {
				continue
			}
			s.over, s.last = true, m
			if m.Kind == Fail && first == nil {
				first = g.failed(s, m, nil)
			}
		}
	}
}

// failed is the error of a side: a message of its benchmark or an error of its
// process. It waits for a process that has ended. A stalled process may
// continue after the others have ended.
func (g *group) failed(s *side, m Message, err error) *SideError {
	e := &SideError{Side: s.index, Message: m, Err: err}
	switch {
	case errors.Is(err, errForged): // it may wait for the next command
		s.broken = true
		s.w.Wait(time.Millisecond)
	case err != nil && !errors.Is(err, ErrStalled):
		s.broken = true
		e.Exit = s.w.Wait(g.options.Timeout)
	}
	e.Output = s.w.Output()
	return e
}

func (g *group) sliceOf(i int) result.Slice {
	r := g.board.Result[i] // once: the worker may write it
	s := result.Slice{
		N: r.N, Raw: float64(r.Raw), Span: float64(r.Span), Pauses: r.Pauses,
		OverheadLo: r.OverheadLo, OverheadHi: r.OverheadHi,
		Counted: r.Flags&board.Counted != 0, Mallocs: r.Mallocs, Bytes: r.Bytes,
		GCs:       r.GCs,
		Collected: r.Flags&board.Collected != 0, Settle: float64(r.Settle),
		Followed: r.Flags&board.Followed != 0, Delay: float64(r.Delay),
		MaxDelay: r.MaxDelay * float64(r.Raw), CPUs: r.CPUs, CPUTime: float64(r.CPUTime),
	}
	board.Metrics(g.board.Board, i, func(unit string, v float64) { setMetric(&s, unit, v) })
	setBytes(&s, r.SetBytes)
	return s
}
