package stats

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestSerialRates counts false and true alarms over samples of 20, with a fixed
// seed.
func TestSerialRates(t *testing.T) {
	const runs = 4000
	rng := rand.New(rand.NewPCG(1, 2))
	alarms := func(shape func(noise, last float64) float64) (serial float64) {
		for range runs {
			x := make([]float64, 20)
			last := 0.0
			for i := range x {
				x[i] = shape(rng.NormFloat64(), last)
				last = x[i]
			}
			if SerialCorrelation(x).P < 0.05 {
				serial++
			}
		}
		return serial / runs
	}
	if serial := alarms(func(noise, _ float64) float64 { return noise }); serial > 0.065 || serial < 0.03 {
		t.Errorf("independent values: alarms %v, want about 0.05", serial)
	}
	if serial := alarms(func(noise, last float64) float64 { return 0.7*last + noise }); serial < 0.7 {
		t.Errorf("an autocorrelation of 0.7 is seen in %v", serial)
	}
	if s := SerialCorrelation(slices.Repeat([]float64{7}, 12)); s.P != 1 {
		t.Errorf("constant: %+v, want p = 1", s)
	}
	// By hand: ranks 1 … 12 in order.
	if s := SerialCorrelation([]float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}); math.Abs(s.Correlation-(1-11.0/143/2)) > 1e-12 {
		t.Errorf("rising: %+v", s)
	}
	// Ties have the mean of their ranks: 1.5, 1.5, 3 … 10.
	if s := SerialCorrelation([]float64{1, 1, 3, 4, 5, 6, 7, 8, 9, 10}); math.Abs(s.Correlation-(1-(1.5*1.5+7)/82/2)) > 1e-12 {
		t.Errorf("ties: %+v", s)
	}
}
