//go:build unix

package study

import (
	"os"
	"syscall"
)

// faultsOf counts the page faults of a process that has ended.
func faultsOf(p *os.ProcessState) (n float64, ok bool) {
	used, ok := p.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0, false
	}
	return float64(used.Minflt) + float64(used.Majflt), true
}
