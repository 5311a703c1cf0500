package build

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tarebench/tare/cmd/tare/internal/file"
	"github.com/tarebench/tare/cmd/tare/internal/process"
)

// HashFile returns the digest of a file's content, or of the text of a link: what it
// leads to may be a device or a FIFO. Other files have a word.
func HashFile(ctx context.Context, path string) string {
	info, err := os.Lstat(path)
	switch {
	case err != nil:
		return "none"
	case info.Mode()&fs.ModeSymlink != 0:
		to, err := os.Readlink(path)
		return fmt.Sprintf("link %q %v", to, err)
	case !info.Mode().IsRegular():
		return info.Mode().Type().String()
	}
	f, err := file.Open(filepath.Split(path))
	if err != nil {
		return "none"
	}
	defer f.Close()
	defer context.AfterFunc(ctx, func() { f.Close() })()
	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		return "unreadable: " + err.Error()
	}
	return fmt.Sprintf("%x", sum.Sum(nil))
}

// copyFile copies content and permissions. It replaces an existing file in one
// step or not at all.
func copyFile(from, to string) error {
	in, err := file.Named(from)
	if err != nil {
		return err
	}
	defer in.Close()
	info, err := in.Stat()
	if err != nil {
		return err
	}
	return process.WriteProgram(func() error { return replace(to, in, info.Mode().Perm()|0o600) })
}

// replace writes a file in one step or not at all.
func replace(path string, content io.Reader, mode os.FileMode) (err error) {
	out, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			out.Close()
			os.Remove(out.Name())
		}
	}()
	if _, err := io.Copy(out, content); err != nil {
		return err
	}
	if err := out.Chmod(mode); err != nil {
		return err
	}
	if err := out.Close(); err != nil {
		return err
	}
	return os.Rename(out.Name(), path)
}

// ChangedFiles are the files of two trees that differ, or that one of them does not
// have: their names below the root, sorted, of those that take selects. It omits
// directories with a period before their name and node_modules. It compares what it
// can, and reports what it cannot read.
func ChangedFiles(ctx context.Context, old, new string, take func(name string) bool) (names []string, err error) {
	compared := make(map[string]bool)
	for _, root := range []string{old, new} {
		_ = filepath.WalkDir(root, func(at string, d fs.DirEntry, failed error) error {
			if failed != nil {
				err = errors.Join(err, failed)
				return nil
			}
			name, _ := filepath.Rel(root, at)
			name = filepath.ToSlash(name)
			if d.IsDir() {
				if base := d.Name(); at != root && (strings.HasPrefix(base, ".") || base == "node_modules") {
					return fs.SkipDir
				}
				return nil
			}
			if !d.Type().IsRegular() || !take(name) || compared[name] {
				return nil
			}
			compared[name] = true
			if HashFile(ctx, filepath.Join(old, name)) != HashFile(ctx, filepath.Join(new, name)) {
				names = append(names, name)
			}
			return nil
		})
	}
	slices.Sort(names)
	return names, err
}
