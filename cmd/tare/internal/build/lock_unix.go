//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package build

import (
	"os"
	"syscall"
)

// tryLock takes the lock or fails at once. The kernel drops it when the
// process ends, however it ends.
func tryLock(f *os.File) error { return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) }
