// Package file opens the files of studies and sessions.
//
// A directory that tare reads or writes may come from a stranger: a name in it
// can be a link to any file of the user, a hard link, a FIFO, a device without
// an end, or a file that is larger than memory. So a file in a directory is
// opened here, below the directory ([os.Root]), and what is opened is looked at:
// a regular file, and to change it, one without another name.
package file

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Small is the most bytes that [Read] reads: much more than the lines, notes and
// settings that are read whole ever have.
const Small = 64 << 20

// Open opens a file of a directory for reading.
func Open(dir, name string) (*os.File, error) { return in(dir, name, os.O_RDONLY, false) }

// Read reads a whole file of a directory, of at most [Small] bytes.
func Read(dir, name string) ([]byte, error) {
	f, err := Open(dir, name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return ReadAll(f, Small)
}

// Named opens a file for reading that the user or a tool named, or that this process
// wrote. A link in its name counts.
func Named(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return nil, err
	}
	return checked(f, path, false)
}

// ReadNamed reads a whole file of [Named], of at most 1 GiB: some are programs.
func ReadNamed(path string) ([]byte, error) {
	f, err := Named(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return ReadAll(f, 1<<30)
}

// ReadAll reads a file to its end, which is at most that many bytes away.
func ReadAll(f *os.File, most int64) ([]byte, error) {
	var data bytes.Buffer
	if info, err := f.Stat(); err == nil && info.Size() <= most {
		data.Grow(int(info.Size()) + bytes.MinRead)
	}
	n, err := data.ReadFrom(io.LimitReader(f, most+1))
	if err == nil && n > most {
		err = refused(f.Name(), fmt.Errorf("it has more than %d MiB", most>>20))
	}
	return data.Bytes(), err
}

// Change opens a file of a directory for writing, with flags of [os.OpenFile].
// A file with another name stays as it is, also with [os.O_TRUNC].
func Change(dir, name string, flags int) (*os.File, error) {
	f, err := in(dir, name, flags&^os.O_TRUNC, true)
	if err == nil && flags&os.O_TRUNC != 0 {
		if err = f.Truncate(0); err != nil {
			return nil, errors.Join(err, f.Close())
		}
	}
	return f, err
}

// MakeFolder makes a directory in dir, under a name or, if that exists, NAME-2 and so on.
func MakeFolder(dir, name string) (path string, err error) {
	for n := 1; ; n++ {
		path = filepath.Join(dir, name)
		if n > 1 {
			path += fmt.Sprintf("-%d", n)
		}
		if err = os.Mkdir(path, 0o777); !errors.Is(err, fs.ErrExist) {
			return path, err
		}
	}
}

// in opens a file below dir that is regular and, if alone, has no other name.
func in(dir, name string, flags int, alone bool) (*os.File, error) {
	path := filepath.Join(dir, name)
	root, err := os.OpenRoot(filepath.Clean(dir))
	if err != nil {
		return nil, err
	}
	defer root.Close()
	if info, err := os.Lstat(filepath.Clean(dir)); alone && (err != nil || !info.IsDir()) {
		return nil, refused(dir, errors.New("it is a link, or not a directory"))
	}
	if info, err := root.Lstat(name); alone && err == nil && !info.Mode().IsRegular() {
		return nil, refused(path, errIrregular)
	}
	f, err := root.OpenFile(name, flags|nonblock, 0o666)
	if err != nil {
		if reason, ok := errors.AsType[*fs.PathError](err); ok { // its path is relative to dir
			err = reason.Err
		}
		return nil, refused(path, err)
	}
	return checked(f, path, alone)
}

// checked returns a file if it is regular and, if alone, has no other name.
func checked(f *os.File, path string, alone bool) (*os.File, error) {
	info, err := f.Stat()
	switch {
	case err != nil:
	case !info.Mode().IsRegular():
		err = refused(path, errIrregular)
	case alone && names(info) > 1:
		err = refused(path, errors.New("it has another name (a hard link)"))
	default:
		return f, nil
	}
	f.Close()
	return nil, err
}

// Own returns an error if anything in a directory is not a directory or a regular
// file with one name. Then a file that is written there, also by a test binary, is a
// file of the directory.
func Own(dir string) error {
	return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		switch {
		case errors.Is(err, fs.ErrNotExist): // removed meanwhile
			return nil
		case err != nil:
			return err
		case !info.Mode().IsRegular() || names(info) > 1:
			return fmt.Errorf("%s is a link, or not a regular file: tare does not make it. Remove it, or use another directory", path)
		}
		return nil
	})
}

// Below lists the files of a name in root and the directories below it. It omits the
// directories that the go command omits, node_modules, and those that it cannot read.
func Below(root, name string) (files []string) {
	_ = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch base := filepath.Base(path); {
		case err != nil:
		case d.IsDir() && path != root && (strings.ContainsAny(base[:1], "._") || slices.Contains([]string{"vendor", "testdata", "node_modules"}, base)):
			return fs.SkipDir
		case d.Type().IsRegular() && base == name:
			files = append(files, path)
		}
		return nil
	})
	return files
}

var errIrregular = errors.New("it is not a regular file")

func refused(path string, why error) error {
	return &fs.PathError{Op: "open", Path: path, Err: why}
}
