//go:build unix

package machine

import (
	"context"
	"errors"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// openShared opens a file that all users share, or makes it. It opens an
// existing file without O_CREAT, since fs.protected_regular would reject this
// for another user's file in a sticky directory. It rejects a symbolic link, a
// hard link, which would let a lock overwrite another file, and a file that is
// not regular, such as a FIFO.
func openShared(name string) (*os.File, error) {
	const safe = unix.O_NOFOLLOW | unix.O_NONBLOCK
	f, err := os.OpenFile(name, os.O_RDWR|safe, 0)
	if errors.Is(err, fs.ErrPermission) {
		f, err = os.OpenFile(name, os.O_RDONLY|safe, 0)
	}
	if errors.Is(err, fs.ErrNotExist) {
		f, err = os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL|safe, 0o666)
		if errors.Is(err, fs.ErrExist) { // another process was faster
			f, err = os.OpenFile(name, os.O_RDONLY|safe, 0)
		} else if err == nil {
			_ = f.Chmod(0o666) // every user may lock, whatever the umask
		}
	}
	if err != nil {
		return nil, err
	}
	var info unix.Stat_t
	if err = unix.Fstat(int(f.Fd()), &info); err == nil && (info.Mode&unix.S_IFMT != unix.S_IFREG || info.Nlink > 1) {
		err = &fs.PathError{Op: "open", Path: name, Err: errors.New("not a regular file with one name")}
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// TryLock takes the lock of f or fails at once.
func TryLock(f *os.File) error {
	err := retryInterrupted(func() error { return unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB) })
	if errors.Is(err, unix.EWOULDBLOCK) {
		return ErrLocked
	}
	return err
}

// waitLock sleeps in the kernel's queue until it has the lock of f. A canceled
// wait cannot leave that queue. It sleeps on a copy of the descriptor, which is
// closed when it wakes.
func waitLock(ctx context.Context, f *os.File) error {
	fd, err := unix.FcntlInt(f.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return err
	}
	got := make(chan error, 1)
	go func() {
		got <- retryInterrupted(func() error { return unix.Flock(fd, unix.LOCK_EX) })
		unix.Close(fd) // the lock stays with f, or ends when f is closed too
	}()
	select {
	case err := <-got:
		return err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// unlock releases the lock, for every process that has a copy of f.
func unlock(f *os.File) error { return unix.Flock(int(f.Fd()), unix.LOCK_UN) }

func retryInterrupted(call func() error) error {
	for {
		if err := call(); !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}

// SameFile reports whether name is still the file f. Another process may have
// removed it while this one waited.
func SameFile(f *os.File, name string) bool {
	mine, err := f.Stat()
	if err != nil {
		return false
	}
	theirs, err := os.Stat(name)
	return err == nil && os.SameFile(mine, theirs)
}
