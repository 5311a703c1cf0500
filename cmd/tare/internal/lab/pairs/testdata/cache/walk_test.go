package cache

import (
	"fmt"
	"math/rand"
	"testing"
)

var sink int32

func BenchmarkWalk(b *testing.B) {
	for _, kb := range []int{16, 64, 256, 1024, 4096, 32768} {
		b.Run(fmt.Sprintf("%dKB", kb), func(b *testing.B) {
			size := kb
			if big {
				size = 32768
			}
			type line struct {
				next int32
				_    [60]byte
			}
			all := make([]line, size*16)
			order := rand.New(rand.NewSource(1)).Perm(len(all))
			for i, at := range order {
				all[at].next = int32(order[(i+1)%len(all)])
			}
			at := int32(0)
			for b.Loop() {
				for range 1000 {
					at = all[at].next
				}
			}
			sink = at
		})
	}
}
