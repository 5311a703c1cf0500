package build

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/tarebench/tare/cmd/tare/internal/file"
	"github.com/tarebench/tare/cmd/tare/internal/machine"
)

// A slot is a temporary directory that a live process owns by a lock on the
// file next to it. If a lock can be taken, its process was killed, and any
// other process clears the directory.
type slot struct {
	dir  string
	lock *os.File
}

const lockSuffix = ".lock"

// takeSlot takes a slot in the user's directory below temp, or below GOTMPDIR, as in
// go test, or os.TempDir. It clears what killed processes left there.
func takeSlot(temp, name string) (*slot, error) {
	parent := filepath.Join(cmp.Or(temp, os.Getenv("GOTMPDIR"), os.TempDir()), userFolder())
	err := os.MkdirAll(parent, 0o700)
	if err == nil {
		err = ownFolder(parent)
	}
	if err == nil {
		parent, err = filepath.EvalSymlinks(parent)
	}
	if err != nil {
		return nil, fmt.Errorf("make temporary directory: %w", err)
	}
	_ = clearStale(parent) // a slot that stays is taken by nobody
	return acquireSlot(parent, name)
}

// Temporary makes a temporary directory. Release removes it, or the next start of
// any tare after a kill.
func Temporary(name string) (dir string, release func() error, err error) {
	s, err := takeSlot("", name)
	if err != nil {
		return "", nil, err
	}
	return s.dir, func() error { defer os.Remove(filepath.Dir(s.dir)); return s.release() }, nil
}

// acquireSlot takes the directory parent/name and empties it. If a live
// process owns it, acquireSlot tries parent/name-2, and so on.
func acquireSlot(parent, name string) (*slot, error) {
	for attempt := 1; attempt <= 1000; attempt++ {
		dir := filepath.Join(parent, name)
		if attempt > 1 {
			dir = fmt.Sprintf("%s-%d", dir, attempt)
		}
		s, err := lockSlot(dir)
		if err != nil {
			return nil, err
		}
		if s == nil {
			continue
		}
		if err = removeAll(dir); err == nil {
			err = os.Mkdir(dir, 0o700)
		}
		if err != nil {
			s.release()
			return nil, fmt.Errorf("make temporary directory: %w", err)
		}
		return s, nil
	}
	return nil, fmt.Errorf("make temporary directory %s: a thousand are in use", filepath.Join(parent, name))
}

// lockSlot returns nil without an error if another process owns the slot.
func lockSlot(dir string) (*slot, error) {
	for {
		f, err := os.OpenFile(dir+lockSuffix, os.O_RDWR|os.O_CREATE, 0o600)
		if err != nil {
			return nil, fmt.Errorf("make temporary directory: %w", err)
		}
		if err := machine.TryLock(f); err != nil {
			f.Close()
			if !errors.Is(err, machine.ErrLocked) {
				return nil, fmt.Errorf("lock %s: %w", f.Name(), err)
			}
			return nil, nil
		}
		// Another process may have removed the file between open and lock. Then the
		// lock has no effect.
		if machine.SameFile(f, f.Name()) {
			f.Truncate(0)
			f.WriteAt([]byte(strconv.Itoa(os.Getpid())), 0)
			return &slot{dir, f}, nil
		}
		f.Close()
	}
}

// lockStale is lockSlot, but waits for the lock of a process that has ended. A
// child that the process was starting inherits the lock until exec, or until it
// finds its parent dead. On a busy machine this takes milliseconds.
func lockStale(dir string) (*slot, error) {
	for began := time.Now(); ; time.Sleep(5 * time.Millisecond) {
		s, err := lockSlot(dir)
		if err != nil || s != nil || time.Since(began) > 5*time.Second {
			return s, err
		}
		holder, err := file.ReadNamed(dir + lockSuffix)
		if err != nil {
			return nil, ignoreMissing(err)
		}
		if pid, err := strconv.Atoi(string(holder)); err != nil || !gone(pid) {
			return nil, nil
		}
	}
}

func (s *slot) release() error {
	err := removeAll(s.dir)
	// Remove it while locked, see lockSlot. If a held file cannot be removed
	// (Windows), an empty lock file stays.
	removed := ignoreMissing(os.Remove(s.lock.Name()))
	s.lock.Close()
	if removed != nil {
		os.Remove(s.lock.Name())
	}
	return err
}

func clearStale(parent string) error {
	entries, err := os.ReadDir(parent)
	if err != nil {
		return ignoreMissing(err)
	}
	var all error
	for _, entry := range entries {
		name, ok := strings.CutSuffix(entry.Name(), lockSuffix)
		if !ok {
			continue
		}
		s, err := lockStale(filepath.Join(parent, name))
		if err != nil || s == nil {
			continue // locked by a live process
		}
		all = errors.Join(all, s.release())
	}
	return all
}

// removeAll is os.RemoveAll for trees with read-only directories, which a
// test may leave.
func removeAll(dir string) error {
	if err := os.RemoveAll(dir); err == nil {
		return nil
	}
	filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if d != nil && d.IsDir() {
			os.Chmod(path, 0o700)
		}
		return nil
	})
	return os.RemoveAll(dir)
}

func ignoreMissing(err error) error {
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return err
}
