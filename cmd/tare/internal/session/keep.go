package session

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/tarebench/tare/cmd/tare/internal/file"
)

// The most studies in .tare, and the most bytes of studies.
const (
	KeptStudies = 20
	keptBytes   = 1 << 30
)

var aStudy = regexp.MustCompile(`^[0-9]{8}-[0-9]{6}-(compare|run)(-[0-9]+)?$`)

// Keep removes the oldest studies that were made in .tare of the module of dir, until at most that
// many studies and at most keptBytes remain. It returns how many it removed. It
// keeps a study that a process measures, and the directory except.
//
// A study is renamed under its lock, and removed without it: an open file cannot be
// removed everywhere, and a study that is half removed has no name of a study.
func Keep(dir string, studies int, except string) (removed int, err error) {
	root, err := Root(dir)
	if err == nil {
		root, err = filepath.Abs(root)
	}
	if err != nil {
		return 0, fmt.Errorf("remove old studies: %w", err)
	}
	entries, err := os.ReadDir(root) // by name, which begins with the time
	if os.IsNotExist(err) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("remove old studies: %w", err)
	}
	kept, bytes := 0, int64(0)
	if except != "" {
		kept = 1
		if except, err = filepath.Abs(except); err != nil {
			return 0, err
		}
	}
	for i := len(entries) - 1; i >= 0; i-- {
		path := filepath.Join(root, entries[i].Name())
		if entries[i].IsDir() && strings.HasPrefix(entries[i].Name(), removing) {
			err = errors.Join(err, os.RemoveAll(path)) // of a process that was killed
			continue
		}
		if !entries[i].IsDir() || !aStudy.MatchString(entries[i].Name()) || path == except || !made(path) {
			continue
		}
		bytes += size(path)
		if kept++; kept <= studies && bytes <= keptBytes {
			continue
		}
		lock, lerr := lockFolder(path)
		if lerr != nil {
			continue // a process measures it, or it is not tare's own
		}
		_ = lock.Close()
		gone := filepath.Join(root, removing+entries[i].Name())
		if rerr := os.Rename(path, gone); rerr != nil {
			err = errors.Join(err, rerr)
			continue
		}
		err = errors.Join(err, os.RemoveAll(gone))
		removed++
	}
	if err != nil {
		err = fmt.Errorf("remove old studies: %w", err)
	}
	return removed, err
}

// FirstRemoval reports, once for the .tare of the module of dir, that tare removed
// studies.
func FirstRemoval(dir string) bool {
	root, err := Root(dir)
	if err != nil {
		return false
	}
	said, err := file.Change(root, "studies-removed", os.O_CREATE|os.O_EXCL|os.O_WRONLY)
	return err == nil && said.Close() == nil
}

const removing = "removing-"

// size is the number of bytes in a directory. A file that cannot be read counts
// as 0.
func size(folder string) (bytes int64) {
	_ = filepath.WalkDir(folder, func(_ string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil
		}
		if info, err := d.Info(); err == nil && info.Mode().IsRegular() {
			bytes += info.Size()
		}
		return nil
	})
	return bytes
}
