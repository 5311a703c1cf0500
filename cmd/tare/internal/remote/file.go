package remote

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// File is a file, or a directory with its contents, that a call needs. It is
// sent to a machine once.
type File struct {
	// Name is the digest of the content, under which the server stores it.
	Name   string
	packed []byte
	folder bool
}

// mostFiles limits the content of a directory.
const mostFiles = 512 << 20

// ReadFile packs a file.
func ReadFile(path string) (File, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return File{}, fmt.Errorf("pack %s: %w", filepath.Base(path), err)
	}
	return pack(content, false)
}

// ReadFolder packs the files of a directory, and the named subdirectories
// with all their content. These are the files that a test reads.
func ReadFolder(path string, whole ...string) (File, error) {
	var archive bytes.Buffer
	w := zip.NewWriter(&archive)
	err := filepath.WalkDir(path, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(path, name)
		if err != nil || rel == "." {
			return err
		}
		if d.IsDir() && filepath.Dir(rel) == "." {
			for _, w := range whole {
				if rel == w {
					return nil
				}
			}
			return fs.SkipDir
		}
		info, err := os.Stat(name)
		if err != nil || !info.Mode().IsRegular() {
			return nil // a socket, or a link without a target
		}
		content, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		if archive.Len()+len(content) > mostFiles {
			return fmt.Errorf("it has more than %d MB: keep large test data elsewhere", mostFiles>>20)
		}
		h := &zip.FileHeader{Name: filepath.ToSlash(rel)} // not compressed: pack compresses
		h.SetMode(info.Mode().Perm())
		f, err := w.CreateHeader(h)
		if err == nil {
			_, err = f.Write(content)
		}
		return err
	})
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		return File{}, fmt.Errorf("pack directory %s: %w", path, err)
	}
	return pack(archive.Bytes(), true)
}

func pack(content []byte, folder bool) (File, error) {
	digest := sha256.Sum256(content)
	var packed bytes.Buffer
	z, err := gzip.NewWriterLevel(&packed, gzip.BestSpeed)
	if err == nil {
		_, err = z.Write(content)
	}
	if err == nil {
		err = z.Close()
	}
	return File{Name: hex.EncodeToString(digest[:16]), packed: packed.Bytes(), folder: folder}, err
}

// unpack writes an executable file, or a directory (its mode marks it).
func unpack(path string, mode os.FileMode, packed []byte) error {
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return err
	}
	if !mode.IsDir() {
		return writeNew(path, 0o700, z)
	}
	if err := os.MkdirAll(path, 0o700); err != nil {
		return err
	}
	root, err := os.OpenRoot(path) // no name can leave it
	if err != nil {
		return err
	}
	defer root.Close()
	content, err := io.ReadAll(z)
	if err != nil {
		return err
	}
	archive, err := zip.NewReader(bytes.NewReader(content), int64(len(content)))
	if err != nil {
		return err
	}
	for _, entry := range archive.File {
		if err := unpackEntry(root, entry); err != nil {
			return err
		}
	}
	return nil
}

func unpackEntry(root *os.Root, entry *zip.File) error {
	name := filepath.FromSlash(entry.Name)
	if dir := filepath.Dir(name); dir != "." {
		if err := root.MkdirAll(dir, 0o700); err != nil {
			return err
		}
	}
	content, err := entry.Open()
	if err != nil {
		return err
	}
	defer content.Close()
	f, err := root.OpenFile(name, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, entry.Mode().Perm())
	if err != nil {
		return err
	}
	_, err = io.Copy(f, content)
	return errors.Join(err, f.Close())
}

func writeNew(path string, mode os.FileMode, r io.Reader) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, mode)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, r)
	return errors.Join(err, f.Close())
}
