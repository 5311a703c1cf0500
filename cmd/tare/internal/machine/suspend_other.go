//go:build !linux || portable

package machine

func suspendedSeconds() float64 { return 0 }

// ownSeconds is of no use here, where the time of the CPUs is not known.
func ownSeconds() float64 { return 0 }
