package machine

import (
	"context"
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

func openShared(name string) (*os.File, error) {
	return os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o666)
}

// lockedByte is far after the file's text: a lock on Windows prevents others
// from reading the bytes that it covers.
const lockedByte = 1 << 30

func lockFileEx(f *os.File, flags uint32) error {
	return windows.LockFileEx(windows.Handle(f.Fd()), flags|windows.LOCKFILE_EXCLUSIVE_LOCK, 0, 1, 0, &windows.Overlapped{Offset: lockedByte})
}

// TryLock takes the lock of f or fails at once.
func TryLock(f *os.File) error {
	err := lockFileEx(f, windows.LOCKFILE_FAIL_IMMEDIATELY)
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) || errors.Is(err, windows.ERROR_IO_PENDING) {
		return ErrLocked
	}
	return err
}

func waitLock(ctx context.Context, f *os.File) error {
	got := make(chan error, 1)
	go func() { got <- lockFileEx(f, 0) }()
	select {
	case err := <-got:
		return err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func unlock(f *os.File) error {
	return windows.UnlockFileEx(windows.Handle(f.Fd()), 0, 1, 0, &windows.Overlapped{Offset: lockedByte})
}

// SameFile is always true: an open file cannot be removed here.
func SameFile(*os.File, string) bool { return true }
