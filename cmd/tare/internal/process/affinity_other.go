//go:build !linux || portable

package process

// Processors are not known here: processes cannot be placed.
func Processors() ([]int, error) { return nil, nil }

// OnProcessors runs do. Processes cannot be placed here.
func OnProcessors(cpus []int, do func() error) error { return do() }
