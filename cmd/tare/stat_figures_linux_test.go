//go:build lab

package main

import (
	"os"
	"syscall"
)

// maxRSS is the largest resident memory of a finished process in bytes.
func maxRSS(s *os.ProcessState) int64 {
	if u, ok := s.SysUsage().(*syscall.Rusage); ok {
		return u.Maxrss * 1024
	}
	return 0
}
