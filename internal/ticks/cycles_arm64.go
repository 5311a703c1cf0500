package ticks

func read() int64
func after() int64
func before() int64
func fence()

// The generic timer is part of the architecture and ticks at a constant rate on
// every arm64 (Arm ARM D11.1). All systems on which Go runs let programs read
// it.
func supported() error { return nil }
