package machine

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"golang.org/x/sys/windows"
)

var errLocked = errors.New("locked")

func defaultLockFile() string {
	if dir := os.Getenv("ProgramData"); dir != "" {
		return filepath.Join(dir, "tare.lock")
	}
	return filepath.Join(os.TempDir(), "tare.lock")
}

func openLockFile(name string) (*os.File, error) {
	return os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o666)
}

// lockedByte lies far behind the holder's name: a lock on Windows keeps
// others from reading what it covers.
const lockedByte = 1 << 30

func lockFileEx(f *os.File, flags uint32) error {
	return windows.LockFileEx(windows.Handle(f.Fd()), flags|windows.LOCKFILE_EXCLUSIVE_LOCK, 0, 1, 0, &windows.Overlapped{Offset: lockedByte})
}

func tryLockFile(f *os.File) error {
	err := lockFileEx(f, windows.LOCKFILE_FAIL_IMMEDIATELY)
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) || errors.Is(err, windows.ERROR_IO_PENDING) {
		return errLocked
	}
	return err
}

func waitLockFile(ctx context.Context, f *os.File) error {
	got := make(chan error, 1)
	go func() { got <- lockFileEx(f, 0) }()
	select {
	case err := <-got:
		return err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func sameFile(*os.File, string) bool { return true } // an open file cannot be removed
