package history

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// Folder is a store in a directory, which is faster than git.
type Folder struct{ dir string }

func openFolder(dir string) Folder { return Folder{dir} }

func (f Folder) Put(_ context.Context, name string, data []byte) error {
	if err := checkName(name); err != nil {
		return err
	}
	if err := os.MkdirAll(f.dir, 0o777); err != nil {
		return err
	}
	file, err := os.OpenFile(filepath.Join(f.dir, name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	_, err = file.Write(data)
	return errors.Join(err, file.Close())
}

func (f Folder) Read(_ context.Context, got func(name string, data []byte, err error)) error {
	entries, err := os.ReadDir(f.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, e := range entries {
		data, err := os.ReadFile(filepath.Join(f.dir, e.Name()))
		got(e.Name(), data, err)
	}
	return err
}
