//go:build unix

// Activity of the runtime and the kernel during a slice.

package testing

import (
	"runtime/metrics"
	_ "unsafe" // for linkname
)

var tareCycleSample = []metrics.Sample{{Name: "/gc/cycles/total:gc-cycles"}}

func tareCycles() uint64 {
	metrics.Read(tareCycleSample)
	if v := tareCycleSample[0].Value; v.Kind() == metrics.KindUint64 {
		return v.Uint64()
	}
	return 0
}

// tareBarrier is the runtime's flag that marks a collection. Package runtime
// offers it to others by linkname.
//
//go:linkname tareBarrier runtime.writeBarrier
var tareBarrier struct {
	enabled bool
	pad     [3]byte
	alignme uint64
}

func tareCollecting() bool { return tareBarrier.enabled }
