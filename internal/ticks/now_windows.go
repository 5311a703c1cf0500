package ticks

import (
	"sync"
	"syscall"
	"unsafe"
)

// Package time ticks every 0.5 to 15 ms on Windows. The performance counter
// ticks every 100 ns or faster.
var performanceCounter = sync.OnceValue(func() (c struct {
	read      uintptr
	frequency int64
}) {
	kernel := syscall.NewLazyDLL("kernel32.dll")
	c.read = kernel.NewProc("QueryPerformanceCounter").Addr()
	syscall.SyscallN(kernel.NewProc("QueryPerformanceFrequency").Addr(), uintptr(unsafe.Pointer(&c.frequency)))
	return c
})

func now() int64 {
	c := performanceCounter()
	var ticks int64
	syscall.SyscallN(c.read, uintptr(unsafe.Pointer(&ticks)))
	// In two parts: ticks × 1e9 would overflow after 15 minutes.
	return ticks/c.frequency*1e9 + ticks%c.frequency*1e9/c.frequency
}
