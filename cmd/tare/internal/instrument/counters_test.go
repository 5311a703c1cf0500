package instrument

import (
	"encoding/binary"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCountsSince(t *testing.T) {
	before := Reading{
		Cycles: {Count: 1000, Enabled: 100, Running: 100}, Branches: {Count: 10, Enabled: 100, Running: 100},
		CacheMisses: {Count: 5, Enabled: 100, Running: 0}, TaskClock: {Count: 0, Enabled: 100, Running: 100},
	}
	after := Reading{
		Cycles: {Count: 3000, Enabled: 300, Running: 150}, Branches: {Count: 10, Enabled: 100, Running: 100},
		CacheMisses: {Count: 5, Enabled: 300, Running: 0}, TaskClock: {Count: 2e9, Enabled: 300, Running: 300},
	}
	c := after.Since(before)
	// A count of 2,000 in a quarter of the time means 8,000. A counter that
	// never ran is absent, not zero.
	want := map[string]float64{"cycles/op": 800, "branches/op": 0, "cpu-sec/op": 0.2}
	if diff := cmp.Diff(want, c.PerOp(10)); diff != "" {
		t.Errorf("PerOp (-want +got):\n%s", diff)
	}
	if c.Share != 0 {
		t.Errorf("Share = %v, want 0: one counter never ran", c.Share)
	}
	delete(after, CacheMisses)
	if c := after.Since(before); c.Share != 0.25 {
		t.Errorf("Share = %v, want 0.25", c.Share)
	}
	if len(c.PerOp(0)) != 0 {
		t.Error("counts per no operations")
	}
	if f := MultiplexFinding("X", 0.25); f == nil || f.ID != "counters-multiplexed" {
		t.Errorf("finding %v", f)
	}
	if f := MultiplexFinding("X", 1); f != nil {
		t.Errorf("finding %v", f)
	}
	// A fixed cost is subtracted, but never more than the count.
	if got := c.Less(map[Event]float64{Cycles: 2000}).PerOp(10)["cycles/op"]; got != 600 {
		t.Errorf("%g cycles/op, want 600: a quarter less", got)
	}
	if got := c.Less(map[Event]float64{Cycles: 9000}).PerOp(10)["cycles/op"]; got != 0 {
		t.Errorf("%g cycles/op, want 0", got)
	}
}

func FuzzDecodeValue(f *testing.F) {
	f.Add([]byte("123456781234567812345678"))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, b []byte) {
		v, err := decodeValue(b)
		if (err == nil) != (len(b) == 24) {
			t.Fatalf("%d bytes: %v", len(b), err)
		}
		if err != nil {
			return
		}
		var back []byte
		for _, w := range []uint64{v.Count, v.Enabled, v.Running} {
			back = binary.NativeEndian.AppendUint64(back, w)
		}
		if string(back) != string(b) {
			t.Fatalf("%x decodes to %v", b, v)
		}
	})
}
