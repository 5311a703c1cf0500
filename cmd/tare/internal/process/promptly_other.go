//go:build !linux

package process

// Promptly runs do.
func Promptly(do func() error) error { return do() }
