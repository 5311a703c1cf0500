package unbalancedtimer

import "testing"

func work() bool { return true }

func BenchmarkContinue(b *testing.B) {
	for i := 0; i < b.N; i++ {
		b.StopTimer() // want `there is a path from this b.StopTimer`
		if work() {
			continue
		}
		b.StartTimer()
		work()
	}
}

func BenchmarkNeverStarted(b *testing.B) {
	for i := 0; i < b.N; i++ {
		work()
		b.StopTimer() // want `the timer is stopped and not started again`
		work()
	}
}

func BenchmarkOneBranch(b *testing.B) {
	for b.Loop() {
		b.StopTimer() // want `there is a path from this b.StopTimer`
		if work() {
			b.StartTimer()
		}
		work()
	}
}

func BenchmarkSwitch(b *testing.B) {
	for i := 0; i < b.N; i++ {
		b.StopTimer() // want `there is a path from this b.StopTimer`
		switch i % 3 {
		case 0:
			b.StartTimer()
		case 1:
			b.StartTimer()
		}
		work()
	}
}

// Near misses.

func BenchmarkBalanced(b *testing.B) {
	for i := 0; i < b.N; i++ {
		b.StopTimer()
		ok := work()
		b.StartTimer()
		if ok {
			continue
		}
		work()
	}
}

func BenchmarkStartFirst(b *testing.B) {
	b.StopTimer()
	for i := 0; i < b.N; i++ {
		b.StartTimer()
		work()
		b.StopTimer()
	}
}

func BenchmarkFatal(b *testing.B) {
	for i := 0; i < b.N; i++ {
		b.StopTimer()
		if !work() {
			b.Fatal("no")
		}
		b.StartTimer()
		work()
	}
}

func BenchmarkBothBranches(b *testing.B) {
	for i := 0; i < b.N; i++ {
		b.StopTimer()
		if work() {
			b.StartTimer()
		} else {
			b.StartTimer()
			work()
		}
	}
}

func BenchmarkInnerContinue(b *testing.B) {
	for i := 0; i < b.N; i++ {
		b.StopTimer()
		for range 3 {
			if work() {
				continue
			}
		}
		b.StartTimer()
		work()
	}
}

func restart(b *testing.B) { b.StartTimer() }

func BenchmarkHelper(b *testing.B) {
	for i := 0; i < b.N; i++ {
		b.StopTimer()
		work()
		restart(b)
		work()
	}
}

func BenchmarkStoppedBefore(b *testing.B) {
	b.StopTimer() // want `stopped before the timed loop and started nowhere`
	for i := 0; i < b.N; i++ {
		work()
	}
}

func BenchmarkStartedLater(b *testing.B) {
	b.StopTimer()
	for i := 0; i < b.N; i++ {
		b.StartTimer()
		work()
		b.StopTimer()
	}
}
