//go:build !amd64 && !arm64

package ticks

import "runtime"

func read() int64   { return 0 }
func after() int64  { return 0 }
func before() int64 { return 0 }
func fence()        {}

func supported() error {
	return unsupported("not implemented for " + runtime.GOARCH)
}
