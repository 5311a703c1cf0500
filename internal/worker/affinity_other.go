//go:build !linux

package worker

// onProcessors runs do; what it starts cannot be placed here.
func onProcessors(cpus []int, do func() error) error { return do() }
