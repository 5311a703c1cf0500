//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly || windows)

package build

import (
	"errors"
	"fmt"
	"os"
)

func tryLock(*os.File) error {
	return fmt.Errorf("no file locks on this system: %w", errors.ErrUnsupported)
}
