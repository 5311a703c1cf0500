//go:build !linux

package machine

import "errors"

func pinThread(int) error { return errors.New("pin to a CPU: not known here") }

// AllowedCPUs is not known here.
func AllowedCPUs() []int { return nil }
