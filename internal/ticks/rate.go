package ticks

import (
	"errors"
)

// Pairing is one moment read on both clocks.
type Pairing struct {
	// Ticks and Nanos are the readings of [Read] and [Now].
	Ticks, Nanos int64
	// Within is how many ticks lie between the reads of the counter before and
	// after that of Nanos: the most that the two readings can be apart.
	Within int64
}

// Pair reads both clocks at one moment: the best of a few dozen tries, so
// that a preemption between the two reads does not count.
func Pair() Pairing {
	const tries = 32
	var best Pairing
	for i := range tries {
		before := Read()
		nanos := Now()
		after := Read()
		if within := after - before; i == 0 || within < best.Within {
			best = Pairing{before + within/2, nanos, within}
		}
	}
	return best
}

// Rate turns ticks into nanoseconds. Lo and Hi bound NanosPerTick: nothing is
// assumed about where in Within a clock was read.
type Rate struct {
	NanosPerTick, Lo, Hi float64
	// Window is the time in nanoseconds over which the rate was measured.
	Window int64
}

var errNoWindow = errors.New("measure rate of the cycle clock: no time passed on both clocks between the pairings")

// RateSince returns the rate of the cycle clock between an earlier pairing
// and p. Let at least 10 ms pass between them: then the rate is good to a few
// parts in a million, as [Rate.Lo] and [Rate.Hi] say. It fails where there is
// no cycle clock, and where either clock did not move forward.
func (p Pairing) RateSince(earlier Pairing) (Rate, error) {
	if err := Supported(); err != nil {
		return Rate{}, unsupported("its rate cannot be measured")
	}
	return rateBetween(earlier, p)
}

func rateBetween(from, to Pairing) (Rate, error) {
	ticks, nanos := to.Ticks-from.Ticks, to.Nanos-from.Nanos
	slack := (to.Within + from.Within + 1) / 2
	if nanos <= 0 || ticks <= slack {
		return Rate{}, errNoWindow
	}
	return Rate{
		NanosPerTick: float64(nanos) / float64(ticks),
		Lo:           float64(nanos-1) / float64(ticks+slack),
		Hi:           float64(nanos+1) / float64(ticks-slack),
		Window:       nanos,
	}, nil
}
