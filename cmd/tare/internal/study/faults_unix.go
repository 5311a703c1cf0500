//go:build unix

package study

import (
	"os"
	"syscall"
)

func faultsOf(p *os.ProcessState) (n float64, ok bool) {
	used, ok := p.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0, false
	}
	return float64(used.Minflt) + float64(used.Majflt), true
}
