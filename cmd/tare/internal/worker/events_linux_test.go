package worker

import (
	"errors"
	"os"
	"testing"

	"github.com/tarebench/tare/cmd/tare/internal/pattern"
)

// testEvents hands over what is no event: the worker takes it, fails to stop
// it, and says so; and it waits where the benchmark resets its timer.
// That real events stand still is shown in internal/study.
func testEvents(t *testing.T, version string) {
	null, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	for bench, resets := range map[string]int{"BenchmarkPaused": 1, "BenchmarkLoop": 0} {
		w := start(t, version, pattern.Exact(bench))
		next(t, w)
		leaders := make([]Leader, 300) // more than one message may carry
		for i := range leaders {
			leaders[i] = Leader{Thread: w.Pid(), Fd: int(null.Fd())}
		}
		if err := w.Hold(nil, 1, 2, patience); err != nil {
			t.Errorf("no events: %v", err)
		}
		if err := w.Hold(leaders, 1, 2, patience); !errors.Is(err, ErrNotHeld) || err.Error() != ErrNotHeld.Error()+": 300 of 300 held, 300 requests failed" {
			t.Errorf("what is no event: %v", err)
		}
		forgotten := 0
		m, err := w.CountedSlice(10, func() error { forgotten++; return nil }, patience)
		if err != nil || m.Kind != Done || m.Slice.N != 10 || forgotten != resets {
			t.Errorf("%s: %+v, %v; %d times forgotten, want %d", bench, m, err, forgotten, resets)
		}
		if err := w.Empty(10, patience); !errors.Is(err, ErrNotHeld) {
			t.Errorf("empty intervals: %v", err)
		}
		stop := errors.New("stop")
		if _, err := w.CountedSlice(10, func() error { return stop }, patience); resets > 0 && !errors.Is(err, stop) {
			t.Errorf("an error of forget: %v", err)
		}
		w.Close()
		if err := w.Empty(1, patience); !errors.Is(err, ErrGone) {
			t.Errorf("a closed worker: %v", err)
		}
	}
}
