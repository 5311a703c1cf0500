package ignore

import (
	"fmt"
	"testing"
)

var X int

func BenchmarkIgnored(b *testing.B) {
	for b.Loop() {
		//tare:ignore loopnoise // want `//tare:ignore loopnoise has no reason`
		//tare:ignore nosuchcheck because // want `no check is called "nosuchcheck"`
		//tare:ignore // want `no check is called ""`
		X++
		//tare:ignore loopnoise the fixture says so
		fmt.Println(X)
	}
}
