package study

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"time"

	"github.com/tarebench/tare/internal/result"
	"github.com/tarebench/tare/internal/worker"
)

// member is one live worker of a block.
type member struct {
	variant int
	w       *worker.Worker
	leaf    worker.Message
	// asked is set while the worker has the order for its next slice already.
	asked bool
	// counted is nil unless counters were asked for.
	counted *counted
}

// crew are the live workers of a block, by variant.
type crew struct {
	r       *runner
	members map[int]*member
}

func (c *crew) close() {
	for _, m := range c.members {
		m.close()
	}
}

// start starts the workers in the order of the coin and waits until each
// stands before its first slice.
func (r *runner) start(ctx context.Context, b *bench, plan BlockPlan, bins map[int]Binary, which []int) (*crew, error) {
	c := &crew{r: r, members: make(map[int]*member)}
	for _, v := range which {
		bin := bins[v]
		w, err := worker.Start(ctx, worker.Config{
			Path: bin.Path, Dir: bin.Dir, Env: bin.Env, Args: r.o.Args,
			Bench: worker.Pattern("Benchmark" + b.Name), Procs: b.Procs,
		})
		if err != nil {
			c.close()
			return nil, err
		}
		c.members[v] = &member{variant: v, w: w}
	}
	for _, v := range which {
		m := c.members[v]
		for m.leaf.Kind != worker.Leaf {
			msg, err := m.w.Next(r.o.Timeout)
			if f := c.failed(ctx, m, msg, err, "Benchmark"+b.Name); f != nil {
				c.close()
				return nil, f
			}
			if msg.Kind == worker.Leaf && msg.Name == "Benchmark"+b.Name {
				m.leaf = msg
				b.saw(msg.Slice)
			} else if msg.Kind == worker.Leaf {
				m.w.End() // a benchmark of the same pattern, not ours
			}
		}
	}
	return c, nil
}

// failed turns a message or an error of a worker into a failure; nil when
// nothing is wrong. Errors of ours come back as they are.
func (c *crew) failed(ctx context.Context, m *member, msg worker.Message, err error, name string) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, worker.ErrGone):
		exit := m.w.Wait(c.r.o.Timeout)
		text := failureText(m.w.Output())
		switch {
		case exit != nil:
			text = exit.Error() + "\n" + text
		case m.leaf.Kind == "":
			text = "the benchmark did not run: " + text
		default:
			text = "the test process ended in the middle (exit status 0)\n" + text
		}
		return &failure{m.variant, "failed", text}
	case errors.Is(err, worker.ErrTimeout):
		return &failure{m.variant, "failed", err.Error() + "\n" + failureText(m.w.Output())}
	case err != nil:
		return err
	case msg.Kind == worker.Fail && (msg.Name == name || m.leaf.Kind != ""):
		finish(m.w, c.r.o.Timeout)
		return &failure{m.variant, "failed", wordsOf(msg, m.w)}
	case msg.Kind == worker.Skip && msg.Name == name:
		return &failure{m.variant, "skipped", msg.Words}
	}
	return nil
}

// turn is a round to come: the same slice of every worker, in this order.
type turn struct {
	order []int
	slice worker.Order
}

// round runs one slice of every member, one after the other. Where the next
// round begins with the worker that ends this one, that worker takes both
// slices in a row: to wake a process takes a tenth of a slice.
func (c *crew) round(ctx context.Context, b *bench, now, next turn) (t trial, slices []result.Slice, err error) {
	slices = make([]result.Slice, c.r.variants())
	t.n = now.slice.N
	for i, v := range now.order {
		m, ok := c.members[v]
		if !ok {
			continue
		}
		counted := c.counting(b, m)
		if m.asked {
			m.asked = false
		} else {
			ask := []worker.Order{now.slice}
			// Counters are read while the worker waits between two slices.
			if i == len(now.order)-1 && len(next.order) > 0 && next.order[0] == v && m.counted == nil {
				ask = append(ask, next.slice)
				m.asked = true
			}
			if err := m.w.Ask(ask...); err != nil {
				return t, nil, c.failed(ctx, m, worker.Message{}, err, "Benchmark"+b.Name)
			}
		}
		msg, err := m.w.Answer(c.r.o.Timeout)
		if f := c.failed(ctx, m, msg, err, "Benchmark"+b.Name); f != nil {
			return t, nil, f
		}
		if err := counted(&msg.Slice); err != nil {
			return t, nil, err
		}
		if msg.Kind != worker.Done {
			return t, nil, fmt.Errorf("measure %s: unexpected %q from the worker", b.Name, msg.Kind)
		}
		b.saw(msg.Slice)
		slices[v] = msg.Slice
		t.sides = append(t.sides, msg.Slice)
		t.walls = append(t.walls, time.Duration(msg.Span))
	}
	return t, slices, nil
}

// wordsOf says why a benchmark failed: what it logged, or else what its
// process printed.
func wordsOf(msg worker.Message, w *worker.Worker) string {
	if msg.Words != "" {
		return msg.Words
	}
	return failureText(w.Output())
}

// finish lets a worker run to its end, so that all its words are there.
func finish(w *worker.Worker, timeout time.Duration) {
	w.End()
	for {
		m, err := w.Next(timeout)
		if err != nil {
			break
		}
		if m.Kind == worker.Leaf {
			w.End()
		}
	}
	w.Wait(timeout)
}

// end lets the benchmarks and their processes finish: clean-up code runs. What
// a b.Loop benchmark says behind its loop comes here: metrics, which belong to
// the last slice of each side, and that it failed.
func (c *crew) end(ctx context.Context, b *bench, last []result.Slice) error {
	for _, m := range c.members {
		m.w.End()
	}
	for v, m := range c.members {
		metrics, err := c.over(ctx, m, "Benchmark"+b.Name)
		if err != nil {
			return err
		}
		if b.Loop != "b.Loop" || len(metrics) == 0 {
			continue
		}
		if last[v].Metrics == nil {
			last[v].Metrics = make(map[string]float64)
		}
		maps.Copy(last[v].Metrics, metrics)
	}
	return nil
}

// over waits for the outcome of a benchmark that was told to end, then for the
// end of its process.
func (c *crew) over(ctx context.Context, m *member, name string) (metrics map[string]float64, err error) {
	for known := false; ; {
		msg, err := m.w.Next(c.r.o.Timeout)
		switch {
		case err != nil && known:
			m.w.Wait(c.r.o.Timeout)
			return metrics, nil
		case err != nil, msg.Kind == worker.Fail && msg.Name == name:
			return nil, c.failed(ctx, m, msg, err, name)
		case msg.Kind == worker.Leaf:
			m.w.End()
		case msg.Name == name:
			known, metrics = true, msg.Slice.Metrics
		}
	}
}
