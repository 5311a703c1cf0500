package machine

import (
	"slices"
	"testing"

	"github.com/tarebench/tare/clock"
	"github.com/tarebench/tare/cmd/tare/internal/result"
)

// TestCheckTriggers holds, for what Trees cannot show, an observation just
// inside and one just outside each check's limit.
func TestCheckTriggers(t *testing.T) {
	calibration := func(overhead, resolution float64) *clock.Calibration {
		c := &clock.Calibration{Resolution: resolution}
		c.Overhead.Lo, c.Overhead.Typical, c.Overhead.Hi = overhead-5, overhead, overhead+5
		return c
	}
	for _, tt := range []struct {
		name string
		o    Observation
		want []string
	}{
		{"pinned by its range", Observation{Machine: result.Machine{CPU: result.CPU{Frequency: []result.FrequencyPolicy{
			{CPUs: "0-3", Governor: "powersave", MinHz: 2e9, MaxHz: 2e9}}}}}, nil},
		{"not pinned", Observation{Machine: result.Machine{CPU: result.CPU{Frequency: []result.FrequencyPolicy{
			{CPUs: "0-3", Governor: "powersave", MinHz: 1e9, MaxHz: 2e9}}}}}, []string{"governor"}},
		{"boost held below base", Observation{Machine: result.Machine{CPU: result.CPU{Boost: new(true), Frequency: []result.FrequencyPolicy{
			{CPUs: "0-3", Governor: "performance", MinHz: 1e9, MaxHz: 2e9, BaseHz: 2e9}}}}}, nil},
		{"cheap clock", Observation{Clock: calibration(60, 10)}, nil},
		{"dear clock", Observation{Clock: calibration(800, 10)}, []string{"clock-cost"}},
		{"coarse clock", Observation{Clock: calibration(60, 100)}, nil},
		{"lock held", Observation{LockHolder: "process 7"}, []string{"lock-held"}},
		{"race", Observation{BuildFlags: []string{"-race"}}, []string{"build-flags"}},
		{"no race", Observation{BuildFlags: []string{"-race=false", "-tags=race", "-v"}}, nil},
		{"two dashes", Observation{BuildFlags: []string{"--msan"}}, []string{"build-flags"}},
		{"cover", Observation{BuildFlags: []string{"-covermode=atomic"}}, []string{"build-flags"}},
		{"unoptimized", Observation{BuildFlags: []string{`-gcflags=all="-N -l"`}}, []string{"build-flags"}},
		{"other gcflags", Observation{BuildFlags: []string{"-gcflags=-m"}}, nil},
		{"quiet CPU", Observation{Spins: []CPUProfile{{CPU: 0, UnitSeconds: 1e-5, LostShare: 0.019}}}, nil},
		{"noisy CPU", Observation{Spins: []CPUProfile{{CPU: 0, UnitSeconds: 1e-5}, {CPU: 1, UnitSeconds: 1e-5, LostShare: 0.021}}}, []string{"noise"}},
		{"a fifth lost", Observation{Spins: []CPUProfile{{CPU: 0, UnitSeconds: 1e-5, LostShare: 0.2}}}, []string{"heavy-noise"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := ids(Findings(&tt.o)); !slices.Equal(got, tt.want) {
				t.Errorf("findings %v, want %v", got, tt.want)
			}
		})
	}
}
