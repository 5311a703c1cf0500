//go:build unix

package file

import (
	"io/fs"
	"syscall"
)

// nonblock opens a FIFO without waiting for its other end.
const nonblock = syscall.O_NONBLOCK

// Identity is a number that the file system gave a file or directory when it was made,
// and that a copy of it does not have. It is 0 if it is not known.
func Identity(path string) uint64 {
	var stat syscall.Stat_t
	if err := syscall.Stat(path, &stat); err != nil {
		return 0
	}
	return uint64(stat.Ino)
}

func names(info fs.FileInfo) uint64 {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(stat.Nlink)
	}
	return 1
}
