//go:build !linux

package machine

import "errors"

func pinThread(int) error { return errors.New("pin to a CPU: not known here") }

// allowedCPUs is not known here.
func allowedCPUs() []int { return nil }
