//go:build linux || darwin || freebsd

package machine

import "golang.org/x/sys/unix"

// freeBytes is the room that an ordinary user has left in dir's file system.
func freeBytes(dir string) (free uint64, known bool) {
	var s unix.Statfs_t
	if unix.Statfs(dir, &s) != nil {
		return 0, false
	}
	return uint64(max(0, int64(s.Bavail))) * uint64(s.Bsize), true
}
