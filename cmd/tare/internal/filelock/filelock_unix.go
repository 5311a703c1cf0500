//go:build unix

package filelock

import (
	"context"
	"errors"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// ErrLocked is returned by [Try] when another process holds the lock.
var ErrLocked = errors.New("locked")

// OpenShared opens a file that all users share, or makes it. Opening an
// existing one does not ask to create it: fs.protected_regular would refuse
// that for another user's file in a sticky folder. A symbolic link is refused.
func OpenShared(name string) (*os.File, error) {
	for _, flags := range []int{os.O_RDWR, os.O_RDONLY} {
		f, err := os.OpenFile(name, flags|unix.O_NOFOLLOW, 0)
		if err == nil {
			return f, nil
		}
		if errors.Is(err, fs.ErrNotExist) {
			break
		}
		if !errors.Is(err, fs.ErrPermission) {
			return nil, err
		}
	}
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL|unix.O_NOFOLLOW, 0o666)
	if errors.Is(err, fs.ErrExist) {
		return os.OpenFile(name, os.O_RDONLY|unix.O_NOFOLLOW, 0) // another process was faster
	}
	if err == nil {
		_ = f.Chmod(0o666) // whatever the umask: every user may lock
	}
	return f, err
}

// Try takes the lock of f or fails at once.
func Try(f *os.File) error {
	err := retryInterrupted(func() error { return unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB) })
	if errors.Is(err, unix.EWOULDBLOCK) {
		return ErrLocked
	}
	return err
}

// Wait sleeps in the kernel's queue until it has the lock of f. A canceled
// wait cannot be called back from there: it sleeps on a copy of the
// descriptor, which is closed when it wakes.
func Wait(ctx context.Context, f *os.File) error {
	fd, err := unix.FcntlInt(f.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return err
	}
	got := make(chan error, 1)
	go func() {
		got <- retryInterrupted(func() error { return unix.Flock(fd, unix.LOCK_EX) })
		unix.Close(fd) // the lock stays with f, or goes when f is closed too
	}()
	select {
	case err := <-got:
		return err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Unlock gives the lock back, for every process that has a copy of f.
func Unlock(f *os.File) error { return unix.Flock(int(f.Fd()), unix.LOCK_UN) }

func retryInterrupted(call func() error) error {
	for {
		if err := call(); !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}

// Same reports whether name still is the file f: another process may have
// removed it while this one waited.
func Same(f *os.File, name string) bool {
	mine, err := f.Stat()
	if err != nil {
		return false
	}
	theirs, err := os.Stat(name)
	return err == nil && os.SameFile(mine, theirs)
}
