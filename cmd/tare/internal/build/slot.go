package build

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/tarebench/tare/cmd/tare/internal/machine"
)

// A slot is a temporary folder that a live process holds by a lock on the
// file next to it. A folder whose lock can be taken was left by a process that
// was killed, and whoever sees it clears it.
type slot struct {
	dir  string
	lock *os.File
}

// slotRecord records for a later process what outside the folder belongs to it.
type slotRecord struct {
	// Repository is the user's git folder, where git keeps an entry for
	// Worktree.
	Repository string `json:"repository,omitempty"`
	Worktree   string `json:"worktree,omitempty"`
}

const (
	lockSuffix   = ".lock"
	recordSuffix = ".json"
)

// acquireSlot takes the folder parent/name, or parent/name-2 and so on when
// live processes hold those before it, and empties it.
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
		if err = s.clear(); err == nil {
			err = os.Mkdir(dir, 0o700)
		}
		if err != nil {
			s.release()
			return nil, fmt.Errorf("make temporary folder: %w", err)
		}
		return s, nil
	}
	return nil, fmt.Errorf("make temporary folder %s: a thousand are in use", filepath.Join(parent, name))
}

// lockSlot returns nil without an error when another process holds the slot.
func lockSlot(dir string) (*slot, error) {
	for {
		f, err := os.OpenFile(dir+lockSuffix, os.O_RDWR|os.O_CREATE, 0o600)
		if err != nil {
			return nil, fmt.Errorf("make temporary folder: %w", err)
		}
		if err := machine.TryLock(f); err != nil {
			f.Close()
			if !errors.Is(err, machine.ErrLocked) {
				return nil, fmt.Errorf("lock %s: %w", f.Name(), err)
			}
			return nil, nil
		}
		// Another process may have removed the file between open and lock;
		// then the lock guards nothing.
		if machine.SameFile(f, f.Name()) {
			f.Truncate(0)
			f.WriteAt([]byte(strconv.Itoa(os.Getpid())), 0)
			return &slot{dir, f}, nil
		}
		f.Close()
	}
}

// lockStale is lockSlot with patience for the lock of a process that is gone:
// a child that it was about to start holds the lock too, until it becomes
// another program or finds its parent dead. On a busy machine that takes
// milliseconds.
func lockStale(dir string) (*slot, error) {
	for began := time.Now(); ; time.Sleep(5 * time.Millisecond) {
		s, err := lockSlot(dir)
		if err != nil || s != nil || time.Since(began) > 5*time.Second {
			return s, err
		}
		holder, err := os.ReadFile(dir + lockSuffix)
		if err != nil {
			return nil, ignoreMissing(err)
		}
		if pid, err := strconv.Atoi(string(holder)); err != nil || !gone(pid) {
			return nil, nil
		}
	}
}

// record notes what outside the folder belongs to the slot.
func (s *slot) record(r slotRecord) error {
	data, err := json.Marshal(r)
	if err != nil {
		return err
	}
	return os.WriteFile(s.dir+recordSuffix, data, 0o600)
}

// clear removes all that the slot holds, here and in the user's repository.
func (s *slot) clear() error {
	var r slotRecord
	data, err1 := os.ReadFile(s.dir + recordSuffix)
	info, err2 := os.Stat(s.dir + recordSuffix)
	if err1 == nil && err2 == nil && json.Unmarshal(data, &r) == nil {
		removeEntry(r, info.ModTime())
	}
	return errors.Join(removeAll(s.dir), ignoreMissing(os.Remove(s.dir+recordSuffix)))
}

// release clears the slot and gives it back.
func (s *slot) release() error {
	err := s.clear()
	// Removed while the lock is held: see lockSlot. Where a held file cannot
	// be removed (Windows), an empty lock file stays.
	removed := ignoreMissing(os.Remove(s.lock.Name()))
	s.lock.Close()
	if removed != nil {
		os.Remove(s.lock.Name())
	}
	return err
}

// clearStale clears the slots of processes that are gone.
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
			continue // held by a live process
		}
		all = errors.Join(all, s.release())
	}
	return all
}

// removeEntry removes git's own entry for our worktree, and no other: its file
// gitdir names the worktree, or it was begun after the record was written and
// never got that far. git worktree prune would also drop what the user left
// there.
func removeEntry(r slotRecord, recorded time.Time) {
	if r.Repository == "" || r.Worktree == "" {
		return
	}
	entries := filepath.Join(r.Repository, "worktrees")
	all, _ := os.ReadDir(entries)
	for _, entry := range all {
		dir := filepath.Join(entries, entry.Name())
		to := worktreeOf(dir)
		if to == "" && abandoned(dir, recorded) || to == filepath.Join(r.Worktree, ".git") {
			os.RemoveAll(dir)
			os.Remove(entries) // succeeds when it is empty now, as git does
		}
	}
}

// worktreeOf is the file .git of the worktree that an entry of git's is for; ""
// while there is none, which is so for the first moment of git worktree add.
func worktreeOf(entry string) string {
	data, err := os.ReadFile(filepath.Join(entry, "gitdir"))
	if to := strings.TrimSpace(string(data)); err == nil && to != "" {
		return filepath.Clean(to)
	}
	return ""
}

// abandoned reports whether a killed git left an entry that it began after the
// record. A live one, of the user's, is given a second to go on.
func abandoned(entry string, recorded time.Time) bool {
	for {
		info, err := os.Stat(entry)
		switch {
		case err != nil, worktreeOf(entry) != "", info.ModTime().Before(recorded):
			return false
		case time.Since(info.ModTime()) > time.Second:
			return true
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// removeAll is os.RemoveAll for trees that may hold read-only folders (a test
// may leave such).
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
