//go:build !(linux || darwin || freebsd || windows)

package machine

// FreeBytes is not known here.
func FreeBytes(string) (free uint64, known bool) { return 0, false }
