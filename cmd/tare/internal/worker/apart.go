package worker

import (
	"context"
	"errors"
	"sync"

	"github.com/tarebench/tare/cmd/tare/internal/result"
)

// apart are workers, each in its own group. The slices of all sides run at the same
// time, and the slices of a side in their order. If other programs use the CPU, each
// worker gets its own share of the CPU.
type apart []Group

func startApart(ctx context.Context, configs []Config, o Options) (Group, error) {
	padding, g, errs := evenly(configs, o.Shift), make(apart, len(configs)), make([]error, len(configs))
	var sides sync.WaitGroup
	for i := range configs {
		own := o
		own.padding = padding[i : i+1]
		sides.Go(func() { g[i], errs[i] = StartGroup(ctx, configs[i:i+1], own) })
	}
	sides.Wait()
	for i, err := range errs {
		if err != nil {
			g.Close()
			return nil, ofSide(err, i)
		}
	}
	return g, nil
}

// ofSide is the error of a group of one worker as the error of a side.
func ofSide(err error, side int) error {
	if of := (*SideError)(nil); errors.As(err, &of) {
		of.Side = side
	}
	return err
}

func (g apart) Run(ctx context.Context, slots []Slot) (taken []result.Slice, err error) {
	own := make([][]Slot, len(g))
	for _, s := range slots {
		side := s.Side
		s.Side = 0
		own[side] = append(own[side], s)
	}
	all, errs := make([][]result.Slice, len(g)), make([]error, len(g))
	var sides sync.WaitGroup
	for i, one := range g {
		sides.Go(func() { all[i], errs[i] = one.Run(ctx, own[i]) })
	}
	sides.Wait()
	// The slices up to the first one that was not taken.
	for _, s := range slots {
		if len(all[s.Side]) == 0 {
			break
		}
		taken, all[s.Side] = append(taken, all[s.Side][0]), all[s.Side][1:]
	}
	for i, err := range errs {
		if err != nil {
			return taken, ofSide(err, i)
		}
	}
	return taken, nil
}

func (g apart) Leaf(side int) Message { return g[side].Leaf(0) }

func (g apart) Direct() (direct bool, why string) { return g[0].Direct() }

func (g apart) Uses() (all []result.Process) {
	for _, one := range g {
		all = append(all, one.Uses()...)
	}
	return all
}

func (g apart) End(ctx context.Context) (messages []Message, err error) {
	for i, one := range g {
		m, ended := one.End(ctx)
		if messages = append(messages, m...); err == nil {
			err = ofSide(ended, i)
		}
	}
	return messages, err
}

func (g apart) Close() {
	for _, one := range g {
		if one != nil {
			one.Close()
		}
	}
}
