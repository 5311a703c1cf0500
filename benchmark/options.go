package benchmark

import "github.com/tarebench/tare"

// Option says how a [B] times its laps.
type Option func(*settings)

type settings struct {
	repeat int
	laps   []tare.Option
}

// Repeat puts k operations into one lap, as [tare.Repeat] does. The percentiles
// are then those of means of k operations, and the result line says so: it has
// p50-of-k-ns/op in place of p50-ns/op.
func Repeat(k int) Option {
	return func(s *settings) {
		s.repeat = max(1, k)
		s.laps = append(s.laps, tare.Repeat(k))
	}
}

// Monotonic reads the monotonic clock also where the cycle clock is cheaper.
func Monotonic() Option {
	return func(s *settings) { s.laps = append(s.laps, tare.Monotonic()) }
}

// KeepLaps keeps the last n laps one by one, for [B.Series] and [B.Laps].
func KeepLaps(n int) Option {
	return func(s *settings) { s.laps = append(s.laps, tare.KeepLaps(n)) }
}
