package worker

import (
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/tarebench/tare/cmd/tare/internal/result"
)

// apart are workers in groups of their own: the slices of all sides run at the same
// time, those of a side in their order. If other programs use the CPU, each worker has
// its own share of it.
type apart struct {
	groups []Group // by side, each of one worker
	uses   []result.Process
}

func startApart(ctx context.Context, configs []Config, o Options) (Group, error) {
	padding, errs := evenly(configs, o.Shift), make([]error, len(configs))
	g := &apart{make([]Group, len(configs)), make([]result.Process, len(configs))}
	var sides sync.WaitGroup
	for i := range configs {
		own := o
		own.padding = padding[i : i+1]
		sides.Go(func() { g.groups[i], errs[i] = StartGroup(ctx, configs[i:i+1], own) })
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

// ofSide is the error of a group of one worker as the one of a side.
func ofSide(err error, side int) error {
	if of := (*SideError)(nil); errors.As(err, &of) {
		of.Side = side
	}
	return err
}

func (g *apart) Run(ctx context.Context, slots []Slot) (taken []result.Slice, err error) {
	own := make([][]Slot, len(g.groups))
	for _, s := range slots {
		side := s.Side
		s.Side = 0
		own[side] = append(own[side], s)
	}
	all, errs := make([][]result.Slice, len(own)), make([]error, len(own))
	var sides sync.WaitGroup
	for i, one := range g.groups {
		g.uses[i] = result.Process{}
		sides.Go(func() {
			for rest := own[i]; len(rest) > 0 && errs[i] == nil; {
				n := len(rest)
				if rest[0].Reading&Long != 0 {
					n = 1
				}
				var some []result.Slice
				some, errs[i] = one.Run(ctx, rest[:n])
				g.uses[i].Add(one.Uses()[0])
				all[i], rest = append(all[i], some...), rest[n:]
			}
			errs[i] = ofSide(errs[i], i)
		})
	}
	sides.Wait()
	// The slices up to the first one that was not taken.
	for _, s := range slots {
		if len(all[s.Side]) == 0 {
			break
		}
		taken, all[s.Side] = append(taken, all[s.Side][0]), all[s.Side][1:]
	}
	for _, err := range errs {
		if err != nil {
			return taken, err
		}
	}
	return taken, nil
}

func (g *apart) Leaf(side int) Message { return g.groups[side].Leaf(0) }

func (g *apart) Worker(side int) *Worker { return g.groups[side].Worker(0) }

func (g *apart) Direct() (direct bool, why string) { return g.groups[0].Direct() }

func (g *apart) Uses() []result.Process { return slices.Clone(g.uses) }

func (g *apart) End(ctx context.Context) (messages []Message, err error) {
	for i, one := range g.groups {
		m, ended := one.End(ctx)
		if messages = append(messages, m...); err == nil {
			err = ofSide(ended, i)
		}
	}
	return messages, err
}

func (g *apart) Close() {
	for _, one := range g.groups {
		if one != nil {
			one.Close()
		}
	}
}
