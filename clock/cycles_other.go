//go:build !amd64 && !arm64

package clock

import (
	"fmt"
	"runtime"
)

func cycles() int64      { return 0 }
func cyclesAfter() int64 { return 0 }
func fence()             {}

func cyclesSupported() error {
	return fmt.Errorf("%w: not written for %s", ErrNoCycles, runtime.GOARCH)
}
