package worker

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/tarebench/tare/cmd/tare/internal/overlay/board"
	"github.com/tarebench/tare/cmd/tare/internal/result"
)

// stallTimes limits how many times its known duration a slice may take
// without using the CPU.
const stallTimes = 10

func (g *group) Run(ctx context.Context, slots []Slot) (taken []result.Slice, err error) {
	for _, s := range g.sides {
		s.use = result.Process{}
	}
	for len(slots) > 0 {
		n, take := min(len(slots), board.MostSlots), g.take
		if slots[0].Reading&Long != 0 {
			n, take = 1, g.takeLong
		}
		some, err := take(ctx, slots[:n])
		taken = append(taken, some...)
		if err != nil {
			return taken, err
		}
		slots = slots[n:]
	}
	return taken, nil
}

func (g *group) take(ctx context.Context, slots []Slot) ([]result.Slice, error) {
	if g.board != nil {
		return g.batch(ctx, slots)
	}
	return g.commanded(ctx, slots)
}

// takeLong takes one long run, and asks the kernel for its delays: a system call that
// waits looks like a delay to the Go runtime, and not to the kernel.
func (g *group) takeLong(ctx context.Context, slots []Slot) (taken []result.Slice, err error) {
	w, began := g.sides[slots[0].Side].w, time.Now()
	before := threadTimes(w.Pid())
	taken, err = g.take(ctx, slots)
	if len(taken) == 1 && len(before) > 0 {
		s := &taken[0]
		part, threads := delayOf(before, threadTimes(w.Pid()), time.Since(began))
		s.MaxDelay = min(s.MaxDelay, part*s.Raw)
		if slots[0].Reading&Ready == 0 { // not sampled
			s.CPUs = min(s.CPUs, threads)
		}
	}
	return taken, err
}

// limit is how long a slice of n iterations may use no CPU time.
func (g *group) limit(s *side, n int64) time.Duration {
	const most = time.Hour
	expected := stallTimes * float64(s.perOp) * float64(n)
	return max(g.options.Stall, time.Duration(min(expected, float64(most))))
}

func (g *group) batch(ctx context.Context, slots []Slot) (taken []result.Slice, err error) {
	plan := make([]board.Slot, len(slots))
	comes := make(map[int]bool)
	for i, s := range slots {
		if s.Side < 0 || s.Side >= len(g.sides) || s.N < 1 || s.Warm < 0 {
			return nil, fmt.Errorf("run slices: slot %d is %+v", i, s)
		}
		plan[i] = board.Slot{Side: uint32(s.Side), N: s.N, Warm: s.Warm, Reading: uint32(s.Reading)}
		comes[s.Side] = true
	}
	g.board.Plan(plan)
	for i, s := range g.sides {
		if !comes[i] {
			continue
		}
		if s.w.command("batch") != nil {
			g.board.Stop()
			return nil, g.failed(s, Message{}, ErrGone)
		}
	}
	err = g.batchOver(ctx, slots)
	if err != nil {
		g.board.Stop()
	}
	overflow := false
	for i := range slots {
		flags := g.board.Result[i].Flags
		done := flags&board.Done != 0
		if !done && err != nil {
			break
		}
		overflow = overflow || flags&board.Overflow != 0
		s, from := g.sliceOf(i), g.sides[slots[i].Side]
		if why := s.Check(); !done || s.N < 1 || why != nil {
			if err == nil {
				err = g.failed(from, Message{}, fmt.Errorf("%w: slice %d is %v of %d iterations (%w)", errForged, i, s.Raw, s.N, cmp.Or(why, errors.New("it was not taken"))))
			}
			break
		}
		taken = append(taken, s)
		from.noteDuration(slots[i].N+slots[i].Warm, s.Span)
	}
	for i, s := range g.sides {
		s.use.Add(useOf(g.board.Side[i].Use))
	}
	for _, s := range slots {
		g.sides[s.Side].use.N += s.N + s.Warm
	}
	if overflow && err == nil {
		// The board has no room for so many metrics. Lines have no such limit.
		g.board.Close()
		g.board, g.why = nil, "the benchmark reports more metrics than the shared memory has room for"
		return g.commanded(ctx, slots)
	}
	return taken, err
}

func (g *group) batchOver(ctx context.Context, slots []Slot) error {
	s, m, err := g.await(ctx, func() (*side, time.Duration) {
		if side, ok := g.board.Absent(); ok {
			return g.sides[side], g.options.Stall
		}
		slot := slots[min(g.board.Progress(), len(slots)-1)]
		s := g.sides[slot.Side]
		return s, g.limit(s, slot.N+slot.Warm)
	})
	switch {
	case err != nil:
		return err
	case m.Kind == ran:
		return nil
	}
	return g.amongSlices(s, m)
}

// amongSlices is the error of a side that sends another message than its slices.
func (g *group) amongSlices(s *side, m Message) *SideError {
	if m.Kind == Fail || m.Kind == Skip {
		s.over, s.last = true, m
		return g.failed(s, m, nil)
	}
	return g.failed(s, Message{}, fmt.Errorf("%w: %q among slices", errForged, m.Kind))
}

func (s *side) noteDuration(n int64, span float64) {
	if n > 0 {
		s.perOp = max(s.perOp, time.Duration(span)/time.Duration(n))
	}
}

func useOf(u board.Use) result.Process {
	return result.Process{
		User: float64(u.User), System: float64(u.System),
		GCs: u.GCs, GCTime: float64(u.GCTime), Bytes: u.Bytes, Mallocs: u.Mallocs, HeapLive: u.HeapLive, HeapGoal: u.HeapGoal,
		FirstProcs: u.FirstProcs, Procs: u.Procs,
	}
}

func (g *group) commanded(ctx context.Context, slots []Slot) (taken []result.Slice, err error) {
	for len(slots) > 0 {
		// Order the slices of one side together, so that no process wakes in between.
		row := 1
		for row < len(slots) && slots[row].Side == slots[0].Side {
			row++
		}
		s := g.sides[slots[0].Side]
		if s.w.Ask(slots[:row]...) != nil {
			return taken, g.failed(s, Message{}, ErrGone)
		}
		for i := 0; i < row; {
			from, m, err := g.await(ctx, func() (*side, time.Duration) {
				return s, g.limit(s, slots[i].N+slots[i].Warm)
			})
			switch {
			case err != nil:
				return taken, err
			case from == s && m.Kind == Done:
				taken = append(taken, m.Slice)
				s.noteDuration(slots[i].N+slots[i].Warm, m.Slice.Span)
				s.use.N += slots[i].N + slots[i].Warm
				i++
			default:
				return taken, g.amongSlices(from, m)
			}
		}
		slots = slots[row:]
	}
	return taken, nil
}
