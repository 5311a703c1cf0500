package session

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/tarebench/tare/cmd/tare/internal/file"
	"github.com/tarebench/tare/cmd/tare/internal/process"
	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/words"
)

// folder is the directory of one study: .tare/STAMP next to go.mod.
type folder struct {
	path string
	file *os.File
	lock *os.File
	*result.Writer
}

func withAdvice(err error, s *Session) error {
	full := errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) || errors.Is(err, syscall.EFBIG)
	if full {
		err = fmt.Errorf("%w: make room", err)
	}
	switch {
	case errors.Is(err, errMakeFolder):
		return fmt.Errorf("%w: tare keeps its studies next to go.mod: make that directory writable, or work in a copy of it", err)
	case err == nil || s.rec == nil:
		return err
	case full && s.spec.Kind == "compare" && (s.rec.End == nil || s.rec.End.Interrupted):
		return fmt.Errorf("%w, then resume with %s", err, words.Again(s.spec.Command, "-resume", s.folder.path))
	case s.Measured():
		return fmt.Errorf("%w (the measurements so far: tare show %s)", err, s.folder.path)
	}
	return err
}

var errMakeFolder = errors.New("make study folder")

// Root is the directory .tare next to the go.mod of dir. It need not exist. One that
// is a link, or that git tracks, came with the files: it is refused, because studies
// in it are shown, continued and removed.
func Root(dir string) (string, error) {
	root := filepath.Join(moduleRoot(dir), ".tare")
	info, err := os.Lstat(root)
	switch {
	case err != nil: // it is made, or nothing is in it
		return root, nil
	case !info.IsDir():
		return "", fmt.Errorf("%s is not a directory: remove it: tare keeps its studies in a directory of this name", root)
	}
	tracked, err := process.GitIn(filepath.Dir(root))(context.Background(), nil, "ls-files", "-z", "--", ".tare")
	if err != nil && !errors.Is(err, exec.ErrNotFound) && !strings.Contains(err.Error(), "not a git repository") {
		return "", fmt.Errorf("find studies: git does not tell whether %s is in the repository: %w", root, err)
	}
	if len(tracked) > 0 { // without git, nothing is
		return "", fmt.Errorf("%s is in the repository, so its studies are not yours: run git rm -r --cached .tare, and remove the directory", root)
	}
	return root, nil
}

// MakeRoot makes the directory of [Root]. A .gitignore in it makes git ignore the
// directory.
func MakeRoot(dir string) (string, error) {
	root, err := Root(dir)
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(root, 0o777); err != nil {
		return "", fmt.Errorf("%w: %w", errMakeFolder, err)
	}
	ignore, err := file.Change(root, ".gitignore", os.O_CREATE|os.O_EXCL|os.O_WRONLY)
	if err == nil {
		_, err = ignore.WriteString("*\n")
		err = errors.Join(err, ignore.Close())
	}
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return "", fmt.Errorf("%w: %w", errMakeFolder, err)
	}
	return root, nil
}

func newFolder(dir, kind string, now time.Time) (*folder, error) {
	root, err := MakeRoot(dir)
	if err != nil {
		return nil, err
	}
	path, err := file.MakeFolder(root, now.Format("20060102-150405")+"-"+kind)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errMakeFolder, err)
	}
	return openFolder(path)
}

// openFolder opens result.jsonl in a directory that may not exist yet. It replaces
// the files of an interrupted study there.
func openFolder(path string) (*folder, error) {
	if err := os.MkdirAll(path, 0o777); err != nil {
		return nil, fmt.Errorf("%w: %w", errMakeFolder, err)
	}
	lock, err := lockFolder(path)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errMakeFolder, err)
	}
	f, err := file.Change(path, "result.jsonl", os.O_CREATE|os.O_TRUNC|os.O_APPEND|os.O_WRONLY)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%w: %w", errMakeFolder, err), lock.Close())
	}
	return &folder{path, f, lock, result.NewWriter(f)}, nil
}

// NewFolder makes the directory of a study in .tare next to go.mod.
func NewFolder(dir, kind string, now time.Time) (string, error) {
	f, err := newFolder(dir, kind, now)
	if err != nil {
		return "", err
	}
	path := f.path
	return path, errors.Join(f.close(), os.Remove(filepath.Join(path, "result.jsonl")))
}

func (f *folder) close() error { return errors.Join(f.file.Close(), f.lock.Close()) }

func moduleRoot(dir string) string {
	for d := dir; filepath.Dir(d) != d; d = filepath.Dir(d) {
		if _, err := os.Stat(filepath.Join(d, "go.mod")); err == nil {
			return d
		}
	}
	return dir
}
