// Package board is the shared memory through which the workers of a group pass
// the turn to each other, and in which they write the times of their slices.
//
// [Create] makes a board, and [Memory.Files] are what a worker needs to join it. [Memory.Plan]
// writes the slots of a batch. The workers take the slots, and each waits for
// its turn at its own word. [Memory.Progress] shows the progress of a
// batch and [Memory.Stop] ends it early. The results are in the fields. The
// file layout.go joins package testing as well, so the layout has one
// definition.
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

// Magic and Version identify the layout of the memory. Worker and parent must
// agree.
const (
	Magic   = tareBoardMagic
	Version = tareBoardVersion
)

// Readings of a slot.
const (
	ReadFew    = tareReadFew
	ReadEvery  = tareReadEvery
	ReadMemory = tareReadMemory
	ReadTail   = tareReadTail
	ReadLong   = tareReadLong
	ReadReady  = tareReadReady
)

// Flags of a result.
const (
	Done      = tareDone
	Counted   = tareCounted
	Collected = tareCollected
	Overflow  = tareOverflow
	Followed  = tareFollowed
)

var errUnsupported = errors.New("workers cannot hand over among themselves here")

// Operations on the metrics of a result.
func Metrics(b *Board, slot int, do func(unit string, value float64)) {
	side := &b.Side[b.Slot[slot].Side%tareMostSides]
	for k := range min(side.Units, tareMostUnits) {
		if b.Result[slot].Metrics>>k&1 != 0 {
			u := &side.Unit[k]
			do(string(u.Name[:min(u.Len, tareUnitBytes)]), b.Metrics[k][slot])
		}
	}
}
