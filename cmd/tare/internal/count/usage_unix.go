//go:build unix

package count

import (
	"os"
	"syscall"
)

func usage(s *os.ProcessState) Usage {
	u := Usage{User: s.UserTime(), System: s.SystemTime()}
	if r, ok := s.SysUsage().(*syscall.Rusage); ok {
		u.PageFaults = int64(r.Minflt) + int64(r.Majflt)
	}
	return u
}
