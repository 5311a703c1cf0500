package parallelfatal

import "testing"

func work() error { return nil }

func BenchmarkFatal(b *testing.B) {
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if err := work(); err != nil {
				b.Fatal(err) // want `b.Fatal in a goroutine of RunParallel`
			}
		}
	})
}

func BenchmarkSkip(b *testing.B) {
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if err := work(); err != nil {
				b.Skip(err) // want `b.Skip in a goroutine of RunParallel`
			}
		}
	})
}

// Near misses.

func BenchmarkError(b *testing.B) {
	if err := work(); err != nil {
		b.Fatal(err)
	}
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if err := work(); err != nil {
				b.Error(err)
				return
			}
		}
	})
}
