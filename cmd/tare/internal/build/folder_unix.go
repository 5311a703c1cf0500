//go:build unix

package build

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"syscall"
)

// userFolder names the folder of this user below the common temporary one.
func userFolder() string { return "tare-" + strconv.Itoa(os.Getuid()) }

// ownFolder refuses a folder that somebody else put in our place: what runs
// from it would be his.
func ownFolder(dir string) error {
	info, err := os.Lstat(dir)
	if err != nil {
		return err
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !info.IsDir() || ok && int(stat.Uid) != os.Getuid() {
		return fmt.Errorf("%s is not a folder of yours; remove it, or set TMPDIR to another folder", dir)
	}
	return os.Chmod(dir, 0o700)
}

// gone reports whether no process has this number.
func gone(pid int) bool { return errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) }
