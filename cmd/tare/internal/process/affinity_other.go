//go:build !linux

package process

// OnProcessors runs do. Processes cannot be placed here.
func OnProcessors(cpus []int, do func() error) error { return do() }
