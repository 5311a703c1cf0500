//go:build unix

package file

import (
	"io/fs"
	"syscall"
)

// nonblock opens a FIFO without waiting for its other end.
const nonblock = syscall.O_NONBLOCK

// names is the number of names of a file.
func names(info fs.FileInfo) uint64 {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(stat.Nlink)
	}
	return 1
}
