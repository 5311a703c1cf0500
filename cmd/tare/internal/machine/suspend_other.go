//go:build !linux || portable

package machine

func suspendedSeconds() float64 { return 0 }
