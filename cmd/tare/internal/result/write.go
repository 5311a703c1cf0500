package result

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
)

// WriteFile writes a file when its text is whole: until then nothing is in the
// directory, and an existing file stays as it is. What is no regular file, such as
// /dev/stdout, is written to. A link to a file is refused: a checkout may have brought it.
func WriteFile(path string, write func(io.Writer) error) error {
	var text bytes.Buffer
	err := write(&text)
	if err == nil {
		err = writeWhole(path, text.Bytes())
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", filepath.Base(path), err)
	}
	return nil
}

func writeWhole(path string, text []byte) error {
	info, err := os.Lstat(path)
	if err == nil && info.Mode()&fs.ModeSymlink != 0 && !ofSystem(path) {
		if to, err := os.Stat(path); err != nil || to.Mode().IsRegular() {
			return errors.New("it is a link: name the file that it leads to, or remove it")
		}
	}
	if err == nil && info.Mode().IsRegular() {
		if f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*"); err == nil {
			_, err = f.Write(text)
			if err = errors.Join(err, f.Chmod(info.Mode().Perm()), f.Close()); err == nil {
				err = os.Rename(f.Name(), path)
			}
			if err != nil {
				os.Remove(f.Name())
			}
			return err
		} // the directory is not writable
	}
	isNew := errors.Is(err, fs.ErrNotExist)
	if err = os.WriteFile(path, text, 0o666); err != nil && isNew {
		os.Remove(path)
	}
	return err
}

// ofSystem is true for the links in which the system keeps open files: /dev/stdout
// leads to a file if the shell redirects it.
func ofSystem(path string) bool {
	path, _ = filepath.Abs(path)
	return strings.HasPrefix(path, "/dev/") || strings.HasPrefix(path, "/proc/")
}

// WriteJSON writes a document, such as a [Comparison], with unrounded numbers that
// are [Possible]. Unknown values are null.
func WriteJSON(w io.Writer, v any) error {
	document := reflect.New(reflect.TypeOf(v))
	document.Elem().Set(reflect.ValueOf(v))
	Possible(document.Interface())
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return fmt.Errorf("encode JSON: %w", err)
	}
	return nil
}
