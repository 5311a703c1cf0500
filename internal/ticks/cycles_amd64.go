package ticks

import (
	"fmt"
	"sync"
)

func read() int64
func after() int64
func before() int64
func fence()
func cpuid(leaf uint32) (eax, ebx, ecx, edx uint32)

var supported = sync.OnceValue(func() error {
	const (
		extended   = 0x80000000 // EAX: the highest extended leaf
		powerLeaf  = 0x80000007 // EDX bit 8: invariant TSC
		invariant  = 1 << 8
		wantedLeaf = powerLeaf
	)
	if highest, _, _, _ := cpuid(extended); highest < wantedLeaf {
		return fmt.Errorf("%w: CPUID has no leaf %#x", ErrNone, uint32(wantedLeaf))
	}
	if _, _, _, edx := cpuid(powerLeaf); edx&invariant == 0 {
		return fmt.Errorf("%w: CPUID says that TSC is not invariant", ErrNone)
	}
	return nil
})
