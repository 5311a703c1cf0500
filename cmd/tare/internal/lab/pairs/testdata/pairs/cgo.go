//go:build cgo

package pairs

/*
static unsigned long step(unsigned long x) { return x * 6364136223846793005UL + 1; }
*/
import "C"

func inC(x uint64) uint64 { return uint64(C.step(C.ulong(x))) }
