package session

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
)

// The most studies in .tare, and the most bytes of studies.
const (
	KeptStudies = 20
	keptBytes   = 1 << 30
)

// aStudy matches the directory name that newFolder gives a comparison or a run.
var aStudy = regexp.MustCompile(`^[0-9]{8}-[0-9]{6}-(compare|run)(-[0-9]+)?$`)

// Keep removes the oldest studies in root, a directory .tare, until at most that
// many studies and at most keptBytes remain. It returns how many it removed. It
// keeps a study that a process measures, and the directory except.
func Keep(root string, studies int, except string) (removed int, err error) {
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
	}
	for i := len(entries) - 1; i >= 0; i-- {
		path := filepath.Join(root, entries[i].Name())
		if !entries[i].IsDir() || !aStudy.MatchString(entries[i].Name()) || path == except {
			continue
		}
		bytes += size(path)
		if kept++; kept <= studies && bytes <= keptBytes {
			continue
		}
		lock, err := lockFolder(path)
		if err != nil {
			continue // a process measures it
		}
		err = os.RemoveAll(path)
		_ = lock.Close()
		if err != nil {
			return removed, fmt.Errorf("remove old studies: %w", err)
		}
		removed++
	}
	return removed, nil
}

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
