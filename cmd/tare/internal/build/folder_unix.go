//go:build unix

package build

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"syscall"
)

func userFolder() string { return "tare-" + strconv.Itoa(os.Getuid()) }

// ownFolder rejects a directory that another user made with this name. That
// user could replace the programs in it.
func ownFolder(dir string) error {
	info, err := os.Lstat(dir)
	if err != nil {
		return err
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !info.IsDir() || ok && int(stat.Uid) != os.Getuid() {
		return fmt.Errorf("%s belongs to another user: remove it, or set TMPDIR to another directory", dir)
	}
	return os.Chmod(dir, 0o700)
}

// gone reports whether no process has this number.
func gone(pid int) bool { return errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) }
