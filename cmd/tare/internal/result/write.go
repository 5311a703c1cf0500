package result

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// WriteFile writes a file. An existing one stays as it is until the new one is whole,
// and a new one that cannot be written goes. What is no regular file, such as
// /dev/stdout, is written to. A link to a file is refused: a checkout may have brought it.
func WriteFile(path string, write func(io.Writer) error) error {
	info, err := os.Lstat(path)
	if err == nil && info.Mode()&fs.ModeSymlink != 0 && !ofSystem(path) {
		if to, err := os.Stat(path); err != nil || to.Mode().IsRegular() {
			return fmt.Errorf("write %s: it is a link: name the file that it leads to, or remove it", path)
		}
	}
	isNew, replaces := errors.Is(err, fs.ErrNotExist), err == nil && info.Mode().IsRegular()
	var f *os.File
	if replaces {
		f, err = os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
		replaces = err == nil
	}
	if !replaces { // in a directory that is not writable, too
		f, err = os.Create(path)
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", filepath.Base(path), err)
	}
	if err = write(f); err == nil && replaces {
		err = f.Chmod(info.Mode().Perm())
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err == nil && replaces {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		if isNew || replaces {
			os.Remove(f.Name())
		}
		return fmt.Errorf("write %s: %w", filepath.Base(path), err)
	}
	return nil
}

// ofSystem is true for the links in which the system keeps open files: /dev/stdout
// leads to a file if the shell redirects it.
func ofSystem(path string) bool {
	path, _ = filepath.Abs(path)
	return strings.HasPrefix(path, "/dev/") || strings.HasPrefix(path, "/proc/")
}

// WriteJSON writes a document, such as a [Comparison], with unrounded numbers.
// Unknown values are null.
func WriteJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return fmt.Errorf("encode JSON: %w", err)
	}
	return nil
}
