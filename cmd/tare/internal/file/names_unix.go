//go:build unix

package file

import (
	"io/fs"
	"syscall"
)

// nonblock opens a FIFO without waiting for its other end.
const nonblock = syscall.O_NONBLOCK

// Identity is a number that the file system gave a file or directory when it was made,
// and that a copy of it does not have.
func Identity(info fs.FileInfo) uint64 {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(stat.Ino)
	}
	return 0
}

func names(info fs.FileInfo) uint64 {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(stat.Nlink)
	}
	return 1
}
