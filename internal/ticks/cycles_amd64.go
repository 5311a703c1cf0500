package ticks

import "sync"

func read() int64
func after() int64
func before() int64
func fence()
func cpuid(leaf uint32) (eax, ebx, ecx, edx uint32)

// support is not a sync.OnceValue, which would put more code into every
// program.
var support struct {
	once sync.Once
	err  error
}

func supported() error {
	support.once.Do(func() { support.err = detect() })
	return support.err
}

func detect() error {
	const (
		extended  = 0x80000000 // EAX: the highest extended leaf
		powerLeaf = 0x80000007 // EDX bit 8: invariant TSC
		invariant = 1 << 8
	)
	if highest, _, _, _ := cpuid(extended); highest < powerLeaf {
		return unsupported("CPUID has no leaf 0x80000007")
	}
	if _, _, _, edx := cpuid(powerLeaf); edx&invariant == 0 {
		return unsupported("TSC is not invariant according to CPUID")
	}
	return nil
}
