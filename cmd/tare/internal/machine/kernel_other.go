//go:build !linux && !darwin && !windows

package machine

// kernelRelease is not known here.
func kernelRelease() string { return "" }
