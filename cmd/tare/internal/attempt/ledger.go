package attempt

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/tarebench/tare/cmd/tare/internal/file"
	"github.com/tarebench/tare/cmd/tare/internal/machine"
	"github.com/tarebench/tare/cmd/tare/internal/result"
)

// Schema is the version of a ledger.
const Schema = 1

const ledgerName = "ledger.jsonl"

// Ledger is the file of a session. One process at a time has it.
type Ledger struct {
	// Folder is the directory of the session.
	Folder string
	lines  []Line
	// whole is the length of the file's whole lines, or -1 if it has no others: a
	// killed process may have written a part of one.
	whole int64
}

// openLedger takes the lock of the sessions in a directory. It opens the
// session in folder, in .tare/try of this or another checkout, or the newest open one
// if folder is empty. The ledger is nil if there is none. It calls waiting once if
// another process has the lock.
func openLedger(ctx context.Context, root, folder string, waiting func()) (l *Ledger, release func(), err error) {
	if folder != "" {
		whole, err := filepath.Abs(folder)
		if root = filepath.Dir(whole); err != nil || !strings.HasSuffix(filepath.ToSlash(root), "/.tare/try") {
			return nil, nil, fmt.Errorf("open session: %s is not in .tare/try: name a session of a checkout, or begin one with tare try -best REV", folder)
		}
	}
	lock, err := lockSessions(ctx, root, waiting)
	if err != nil {
		return nil, nil, fmt.Errorf("open session: %w", err)
	}
	release = func() { lock.Close() }
	if folder == "" {
		l, err = newest(root)
	} else {
		l, err = read(folder)
	}
	if err != nil {
		release()
		return nil, nil, fmt.Errorf("open session: %w", err)
	}
	return l, release, nil
}

func createLedger(root string, now time.Time) (*Ledger, error) {
	folder, err := file.MakeFolder(root, now.Format("20060102-150405"))
	if err != nil {
		return nil, fmt.Errorf("begin session: %w", err)
	}
	return &Ledger{Folder: folder, whole: -1}, nil
}

// lockSessions waits for the lock. The kernel releases it when its process ends.
func lockSessions(ctx context.Context, root string, waiting func()) (*os.File, error) {
	if err := os.MkdirAll(root, 0o777); err != nil {
		return nil, err
	}
	for first := true; ; first = false {
		f, err := machine.LockIn(root)
		if !errors.Is(err, machine.ErrLocked) {
			return f, err
		}
		if first {
			waiting()
		}
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// ledgers are the ledgers below root, oldest first. The name of root is no pattern.
func ledgers(root string) []string {
	files, _ := fs.Glob(os.DirFS(root), "*/"+ledgerName) // it fails only for another pattern
	return files
}

func newest(root string) (*Ledger, error) {
	for _, name := range slices.Backward(ledgers(root)) {
		l, err := read(filepath.Join(root, filepath.Dir(name)))
		if err != nil {
			return nil, fmt.Errorf("%w: remove its directory to begin a session", err)
		}
		if !sessionOf(l.lines).Ended {
			return l, nil
		}
	}
	return nil, nil
}

func read(folder string) (*Ledger, error) {
	name := filepath.Join(folder, ledgerName)
	data, err := file.Read(folder, ledgerName)
	if err != nil {
		return nil, fmt.Errorf("read ledger: %w", err)
	}
	l := &Ledger{Folder: folder, whole: -1}
	whole := bytes.LastIndexByte(data, '\n') + 1
	if whole < len(data) {
		l.whole = int64(whole)
	}
	for i, text := range bytes.Split(data[:whole], []byte("\n")) {
		if len(text) == 0 {
			continue
		}
		var line Line
		if err := json.Unmarshal(text, &line); err != nil {
			return nil, fmt.Errorf("read ledger: %s:%d: %w", name, i+1, err)
		}
		if b := line.Baseline; b != nil && b.Schema > Schema {
			return nil, fmt.Errorf("read ledger: %s was written by a newer tare", name)
		}
		l.lines = append(l.lines, line)
	}
	return l, nil
}

// Session is the current state of the ledger.
func (l *Ledger) Session() Session { return sessionOf(l.lines) }

// Add appends a line in one write.
func (l *Ledger) Add(line Line) error {
	result.Possible(&line)
	data, err := json.Marshal(line)
	if err != nil {
		return fmt.Errorf("write ledger: %w", err)
	}
	f, err := file.Change(l.Folder, ledgerName, os.O_APPEND|os.O_CREATE|os.O_WRONLY)
	if err != nil {
		return fmt.Errorf("write ledger: %w", err)
	}
	if l.whole >= 0 {
		err = f.Truncate(l.whole)
		l.whole = -1
	}
	if err == nil {
		_, err = f.Write(append(data, '\n'))
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("write ledger: %w", err)
	}
	l.lines = append(l.lines, line)
	return nil
}
