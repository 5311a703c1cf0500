// Package board is the memory through which the workers of a group hand the
// turn to each other, and in which they leave the times of their slices.
//
// The pipeline: [Create] makes a board and gives the file that workers map;
// [Memory.Plan] writes the slots of a batch; the workers take them, each
// waiting for its turn at a futex word of its own; [Memory.Progress] shows how
// far they are and [Memory.Stop] ends a batch early; the results lie in the
// fields. The layout (layout.go) joins package testing as well: there is one
// definition of it.
package board

import "errors"

// Board is the shared memory; Slot, Result and Use are parts of it.
type (
	Board  = tareBoard
	Slot   = tareSlot
	Result = tareResult
	Use    = tareUse
)

// Limits of a board.
const (
	MostSides = tareMostSides
	MostSlots = tareMostSlots
	MostUnits = tareMostUnits
	UnitBytes = tareUnitBytes
)

// Magic and Version say what the memory holds; worker and parent must agree.
const (
	Magic   = tareBoardMagic
	Version = tareBoardVersion
)

// Readings of a slot.
const (
	ReadFew   = tareReadFew
	ReadEvery = tareReadEvery
	ReadUse   = tareReadUse
)

// Flags of a result.
const (
	Done      = tareDone
	Counted   = tareCounted
	Used      = tareUsed
	Collected = tareCollected
	Overflow  = tareOverflow
	Watched   = tareWatched
)

// ErrUnsupported is returned where there is no memory to share or no futex.
var ErrUnsupported = errors.New("workers cannot hand over among themselves here")

// Metrics calls do with the metrics of a result.
func Metrics(b *Board, slot int, do func(unit string, value float64)) {
	side := &b.Side[b.Slot[slot].Side%tareMostSides]
	for k := range min(side.Units, tareMostUnits) {
		if b.Result[slot].Metrics>>k&1 != 0 {
			u := &side.Unit[k]
			do(string(u.Name[:min(u.Len, tareUnitBytes)]), b.Metrics[k][slot])
		}
	}
}
