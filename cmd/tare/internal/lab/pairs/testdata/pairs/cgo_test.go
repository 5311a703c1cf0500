//go:build cgo

package pairs

import "testing"

// Calls of C.
func BenchmarkRuntimeCgo(b *testing.B) {
	for b.Loop() {
		for range choose(3, 2) {
			sink = inC(sink)
		}
	}
}
