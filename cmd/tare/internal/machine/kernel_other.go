//go:build !linux && !darwin && !windows

package machine

func kernelRelease() string { return "" }
