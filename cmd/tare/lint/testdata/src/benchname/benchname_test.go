package benchname

import (
	"fmt"
	"testing"
)

func run(b *testing.B) {
	for b.Loop() {
	}
}

func BenchmarkNames(b *testing.B) {
	b.Run("two words", run)                  // reported with -benchname.spaces
	b.Run("size-1024", run)                  // want `the name ends in -NUMBER`
	b.Run(fmt.Sprintf("n %d", 3), run)       // reported with -benchname.spaces
	b.Run(fmt.Sprintf("size-%d", 3), run)    // want `the name ends in -NUMBER`
	b.Run(fmt.Sprintf("%s-%v", "x", 3), run) // want `the name ends in -NUMBER`
	b.Run("tab\there", run)                  // reported with -benchname.spaces

	// Near misses.
	b.Run("size=1024", run)
	b.Run("one-word", run)
	b.Run("utf-8x", run)
	b.Run("sha-256/size=1", run)
	b.Run(fmt.Sprintf("size=%d", 3), run)
	b.Run(fmt.Sprintf("%s-%v", "x", "y"), run)
	b.Run(fmt.Sprint("a b"), run)
}
