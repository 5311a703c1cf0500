//go:build !(linux || darwin || freebsd || windows)

package machine

// freeBytes is not known here.
func freeBytes(string) (free uint64, known bool) { return 0, false }
