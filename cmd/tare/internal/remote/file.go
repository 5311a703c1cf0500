package remote

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"crypto/sha256"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/tarebench/tare/cmd/tare/internal/file"
)

// packedFile is a packed directory that a call needs. It is sent to a machine once.
type packedFile struct {
	// Name is the digest of the content, under which the server stores it.
	Name   string
	packed []byte // a zip file
}

const mostFiles = 512 << 20

const binaryName = "test"

func readFile(path string) (packedFile, error) {
	p := newPacker()
	if err := p.add(binaryName, path, 0o700); err != nil {
		return packedFile{}, fmt.Errorf("pack %s: %w", filepath.Base(path), err)
	}
	return p.file()
}

// readFolder packs the files of a directory, and the named subdirectories
// with all their content. These are the files that a test reads.
func readFolder(path string, whole ...string) (packedFile, error) {
	p := newPacker()
	err := filepath.WalkDir(path, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(path, name)
		if err != nil || rel == "." {
			return err
		}
		if d.IsDir() && filepath.Dir(rel) == "." && !slices.Contains(whole, rel) {
			return fs.SkipDir
		}
		info, err := os.Stat(name)
		if err != nil || !info.Mode().IsRegular() {
			return nil // a socket, or a link without a target
		}
		return p.add(filepath.ToSlash(rel), name, info.Mode())
	})
	if err != nil {
		return packedFile{}, fmt.Errorf("pack directory %s: %w", path, err)
	}
	return p.file()
}

// packer makes a [packedFile].
type packer struct {
	*zip.Writer
	to   bytes.Buffer
	size int
}

func newPacker() *packer {
	p := new(packer)
	p.Writer = zip.NewWriter(&p.to)
	p.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) { return flate.NewWriter(w, flate.BestSpeed) })
	return p
}

func (p *packer) add(name, path string, mode fs.FileMode) error {
	content, err := file.ReadNamed(path)
	if err != nil {
		return err
	}
	if p.size += len(content); p.size > mostFiles {
		return fmt.Errorf("it has more than %d MB: keep large test data elsewhere", mostFiles>>20)
	}
	h := &zip.FileHeader{Name: name, Method: zip.Deflate}
	h.SetMode(mode.Perm())
	w, err := p.CreateHeader(h)
	if err == nil {
		_, err = w.Write(content)
	}
	return err
}

func (p *packer) file() (packedFile, error) {
	err := p.Close()
	return packedFile{Name: fmt.Sprintf("%x", sha256.Sum256(p.to.Bytes()))[:32], packed: p.to.Bytes()}, err
}

func unpack(path string, packed []byte) error {
	archive, err := zip.NewReader(bytes.NewReader(packed), int64(len(packed)))
	if err != nil {
		return err
	}
	return os.CopyFS(path, archive) // no name can leave it
}
