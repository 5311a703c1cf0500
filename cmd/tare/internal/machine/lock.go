package machine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/tarebench/tare/cmd/tare/internal/file"
)

// LockMode is the behavior while another process measures.
type LockMode string

const (
	LockOff  LockMode = "off"  // measure anyway
	LockWait LockMode = "wait" // queue
	LockFail LockMode = "fail" // return an error at once
)

// ErrHeld is wrapped by the error of LockFail.
var ErrHeld = errors.New("another process measures now")

// ErrLocked is returned by [TryLock] when another process holds the lock.
var ErrLocked = errors.New("locked")

// Locker takes the lock of this machine.
type Locker struct {
	// File is locked by the kernel (flock, LockFileEx), which releases the lock
	// when the holder ends for any reason. Its text names the holder.
	File string
}

// lockFileEnv moves the lock. Containers of one machine can share a lock
// through a file mounted in all of them. heldEnv is set for commands that run
// under the lock, which must not wait for their own parent.
const (
	lockFileEnv = "TARE_LOCK"
	heldEnv     = "TARE_LOCK_HELD"
)

// DefaultLocker is the lock that all users of the machine share.
func DefaultLocker() Locker {
	return Locker{File: cmp.Or(os.Getenv(lockFileEnv), defaultFile())}
}

// ParseLockMode reads a mode.
func ParseLockMode(text string) (LockMode, error) {
	switch m := LockMode(text); m {
	case LockWait, LockFail, LockOff:
		return m, nil
	}
	return "", fmt.Errorf("%q is none of wait, fail, off", text)
}

// Lock takes the machine's lock, see [Locker.Lock].
func Lock(ctx context.Context, mode LockMode, onWait func(holder string)) (release func(), err error) {
	return DefaultLocker().Lock(ctx, mode, onWait)
}

// Lock makes this the only measuring process of the machine until release is
// called or the process ends. See [Locker.Hold].
func (l Locker) Lock(ctx context.Context, mode LockMode, onWait func(holder string)) (release func(), err error) {
	h, err := l.Hold(ctx, mode, onWait)
	if err != nil {
		return nil, err
	}
	return h.Release, nil
}

// Held is a lock that this process holds. It is empty with mode LockOff, or if
// a parent holds the lock.
type Held struct {
	file *os.File
	// env marks a command that runs under the lock, empty with mode LockOff.
	env  string
	once sync.Once
}

// Hold makes this the only measuring process of the machine until it releases
// the lock or ends. While another process holds it, onWait (may be nil) is
// called once with its name. Waiters sleep in the kernel without polling, first
// come first served. A process started under the lock (see [Held.Start]) holds
// it through its parent.
func (l Locker) Hold(ctx context.Context, mode LockMode, onWait func(holder string)) (*Held, error) {
	switch mode {
	case LockOff:
		return &Held{}, nil
	case LockWait, LockFail:
	default:
		return nil, fmt.Errorf("lock machine: mode %q is not off, wait or fail", mode)
	}
	if held := os.Getenv(heldEnv); held != "" && held == l.heldBy() {
		return &Held{env: l.env()}, nil
	}
	if onWait == nil {
		onWait = func(string) {}
	}
	file, err := l.lockFile(ctx, mode, onWait)
	if err != nil {
		return nil, err
	}
	return &Held{file: file, env: l.env()}, nil
}

// Lost returns an error if the lock file was removed while this process had
// the lock. Another process may then have measured at the same time.
func (h *Held) Lost() error {
	if h.file == nil || SameFile(h.file, h.file.Name()) {
		return nil
	}
	return fmt.Errorf("lock machine: %s was removed while it was locked: another process may have measured too", h.file.Name())
}

// Release releases the lock, even if a command still has a copy of it.
func (h *Held) Release() {
	h.once.Do(func() {
		if h.file != nil {
			_ = h.file.Truncate(0) // no process has the lock, so name none
			_ = unlock(h.file)
			h.file.Close()
		}
	})
}

// Start starts cmd under the lock. The command does not wait for its own
// parent. It has a copy of the lock, which is held until both this process and
// the command have ended, for any reason. If files cannot be passed on, the
// lock ends with this process.
func (h *Held) Start(cmd *exec.Cmd) error {
	if h.env != "" {
		cmd.Env = append(cmd.Environ(), h.env)
	}
	if h.file != nil && runtime.GOOS != "windows" {
		cmd.ExtraFiles = append(cmd.ExtraFiles, h.file)
	}
	return cmd.Start()
}

// env is the environment entry for a command that runs under this process's
// lock.
func (l Locker) env() string { return heldEnv + "=" + l.heldBy() }

func (l Locker) heldBy() string {
	pid, _, _ := strings.Cut(l.readHolder(), " ")
	return l.File + ":" + pid
}

// Holder names the process that has the lock, or is empty.
func (l Locker) Holder() string {
	if f, err := openShared(l.File); err == nil {
		defer f.Close()
		if err := TryLock(f); errors.Is(err, ErrLocked) {
			return l.describeHolder()
		}
	}
	return ""
}

func (l Locker) lockFile(ctx context.Context, mode LockMode, onWait func(string)) (*os.File, error) {
	waiting := false
	for {
		f, err := openShared(l.File)
		if err != nil {
			return nil, fmt.Errorf("open lock file: %w: make it readable, or set %s to a readable file", err, lockFileEnv)
		}
		err = TryLock(f)
		if errors.Is(err, ErrLocked) {
			if mode == LockFail {
				f.Close()
				return nil, fmt.Errorf("lock machine: %w: %s", ErrHeld, l.describeHolder())
			}
			if !waiting {
				onWait(l.describeHolder())
				waiting = true
			}
			err = waitLock(ctx, f)
		}
		if err != nil {
			f.Close()
			return nil, fmt.Errorf("lock %s: %w", l.File, err)
		}
		// A cleaner of /tmp may have removed the file during the wait. This lock
		// is then on a file that nobody else will find.
		if !SameFile(f, l.File) {
			f.Close()
			continue
		}
		l.writeHolder(f)
		return f, nil
	}
}

// writeHolder names this process: "pid since command". A user with only read
// permission also holds the lock, but without a name.
func (l Locker) writeHolder(f *os.File) {
	line := fmt.Sprintf("%d %s %s\n", os.Getpid(), time.Now().UTC().Format(time.RFC3339), strings.Join(os.Args, " "))
	if f.Truncate(0) == nil {
		_, _ = f.WriteAt([]byte(line), 0)
	}
}

func (l Locker) readHolder() string {
	f, err := openShared(l.File)
	if err != nil {
		return ""
	}
	defer f.Close()
	b, _ := io.ReadAll(io.LimitReader(f, mostName))
	line, _, _ := strings.Cut(string(b), "\n")
	return clean(line)
}

// LockIn takes the lock of a directory, its file "lock", or fails at once. It ends when
// the file is closed, or with this process.
func LockIn(dir string) (*os.File, error) {
	f, err := file.Change(dir, "lock", os.O_RDWR|os.O_CREATE)
	if err != nil {
		return nil, err
	}
	if err := TryLock(f); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

const mostName = 400

// clean returns a name that any user may have written, without control
// characters and cut to a length that cannot flood a terminal.
func clean(name string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r >= 0x80 && r < 0xa0 {
			return -1
		}
		return r
	}, name[:min(len(name), mostName)])
}

func (l Locker) describeHolder() string {
	f := strings.SplitN(l.readHolder(), " ", 3)
	if len(f) < 3 {
		return "a process without a name in " + l.File
	}
	since := ""
	if t, err := time.Parse(time.RFC3339, f[1]); err == nil {
		since = " since " + t.Local().Format(time.TimeOnly)
	}
	return fmt.Sprintf("process %s%s: %s", f[0], since, f[2])
}
