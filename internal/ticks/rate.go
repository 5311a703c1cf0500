package ticks

import "errors"

// Pairing is one moment read on both clocks.
type Pairing struct {
	// Ticks and Nanos are the readings of [Read] and [Now].
	Ticks, Nanos int64
	// Within is the number of ticks between the counter reads before and after
	// the read of Nanos. It is the maximum distance of the two readings.
	Within int64
}

// Pair reads both clocks at one moment. It takes the best of a few dozen tries,
// to exclude a preemption between the two reads.
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

// Rate turns ticks into nanoseconds. Lo and Hi bound NanosPerTick for every
// position of the reads within Within.
type Rate struct {
	NanosPerTick, Lo, Hi float64
	// Window is the time in nanoseconds over which the rate was measured.
	Window int64
}

// RateSince returns the rate of the cycle clock between an earlier pairing and
// p. Let at least 10 ms pass between them: the rate is then accurate to a few
// parts in a million, as [Rate.Lo] and [Rate.Hi] show. RateSince fails if there
// is no cycle clock, or if either clock did not move forward.
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
		return Rate{}, errors.New("measure rate of the cycle clock: no time passed on both clocks between the pairings")
	}
	return Rate{
		NanosPerTick: float64(nanos) / float64(ticks),
		Lo:           float64(nanos-1) / float64(ticks+slack),
		Hi:           float64(nanos+1) / float64(ticks-slack),
		Window:       nanos,
	}, nil
}
