//go:build notare

package benchmark

import (
	"testing"

	"github.com/tarebench/tare"
	"github.com/tarebench/tare/plot"
)

// B is a plain [testing.B]: the build tag notare is set.
type B struct{ *testing.B }

// NewB wraps b.
func NewB(b *testing.B, _ ...tare.LoopOption) *B { return &B{b} }

// Lap does nothing.
func (b *B) Lap() {}

// Pause is StopTimer.
func (b *B) Pause() { b.StopTimer() }

// Resume is StartTimer.
func (b *B) Resume() { b.StartTimer() }

// Distribution returns a distribution without laps.
func (b *B) Distribution() tare.Distribution { return tare.Distribution{} }

// LapNanos returns no laps.
func (b *B) LapNanos() []float64 { return nil }

// Series returns a series without values.
func (b *B) Series(name string) plot.Series { return plot.Series{Name: name} }

// PB is a plain [testing.PB].
type PB struct{ *testing.PB }

// RunParallel is RunParallel of package testing.
func (b *B) RunParallel(body func(*PB)) {
	b.B.RunParallel(func(pb *testing.PB) { body(&PB{pb}) })
}
