//go:build !linux || portable

package process

// Promptly runs do.
func Promptly(do func() error) error { return do() }
