//go:build !linux || portable

package machine

// suspendedSeconds is not known here.
func suspendedSeconds() float64 { return 0 }
