//go:build !linux

package mod

import "testing"

func threadTime(b *testing.B) int64 {
	b.Skip("no CPU time of a thread")
	return 0
}
