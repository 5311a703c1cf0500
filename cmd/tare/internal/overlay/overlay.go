package overlay

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/tarebench/tare/cmd/tare/internal/file"
)

// added are the files that join package testing. They are Go packages here, so
// that gofmt and vet read them. stock.go replaces package testing itself.
//
//go:embed serving board/layout.go region
var added embed.FS

// Overlay is a generated rewrite, ready for cmd/go's -overlay.
type Overlay struct {
	// Replace maps absolute paths under GOROOT to generated files.
	Replace map[string]string
	// GoVersion is the content of GOROOT/VERSION, first line ("go1.26.8").
	GoVersion string
	// Key changes whenever the generated content does.
	Key string
}

// ShapeError reports an unexpected declaration in the standard library.
type ShapeError struct {
	GoVersion string
	What      string
}

func (e *ShapeError) Error() string {
	return fmt.Sprintf("rewrite package testing of %s: %s", e.GoVersion, e.What)
}

// Generate writes the rewrite of goroot's package testing into dir.
func Generate(goroot, dir string) (*Overlay, error) {
	w := newWriter(goroot, dir)
	source, err := w.stock("testing/benchmark.go")
	if err != nil {
		return nil, err
	}
	common, err := w.stock("testing/testing.go")
	if err != nil {
		return nil, err
	}
	rewritten, err := rewrite(source, common, w.overlay.GoVersion)
	if err != nil {
		return nil, err
	}
	if err := w.write("testing/benchmark.go", rewritten); err != nil {
		return nil, err
	}
	return w.done("serving", "board")
}

type writer struct {
	source, dir string
	overlay     *Overlay
	content     bytes.Buffer
}

func newWriter(goroot, dir string) *writer {
	return &writer{
		source: filepath.Join(goroot, "src"), dir: dir,
		overlay: &Overlay{Replace: make(map[string]string), GoVersion: goVersion(goroot)},
	}
}

func (w *writer) stock(name string) ([]byte, error) {
	b, err := file.ReadNamed(filepath.Join(w.source, filepath.FromSlash(name)))
	if err != nil {
		return nil, fmt.Errorf("read package %s: %w", path.Dir(name), err)
	}
	return b, nil
}

func (w *writer) write(name string, content []byte) error {
	w.content.Write(content)
	file := filepath.Join(w.dir, strings.ReplaceAll(name, "/", "_"))
	if err := os.WriteFile(file, content, 0o666); err != nil {
		return fmt.Errorf("write overlay: %w", err)
	}
	w.overlay.Replace[filepath.Join(w.source, filepath.FromSlash(name))] = file
	return nil
}

// done adds the files of embedded directories, and makes the key.
func (w *writer) done(folders ...string) (*Overlay, error) {
	for _, folder := range folders {
		if err := w.join(folder); err != nil {
			return nil, err
		}
	}
	w.overlay.Key = fmt.Sprintf("%x", sha256.Sum256(w.content.Bytes()))[:16]
	return w.overlay, nil
}

// join adds the files of one embedded directory to package testing, under its
// name.
func (w *writer) join(folder string) error {
	files, err := fs.ReadDir(added, folder)
	if err != nil {
		return fmt.Errorf("read worker source: %w", err)
	}
	for _, f := range files {
		if f.Name() == "stock.go" || f.Name() == "empty.s" || path.Ext(f.Name()) == ".conf" {
			continue // replacements for the package that the other files join, and settings of checks
		}
		content, err := fs.ReadFile(added, path.Join(folder, f.Name()))
		if err != nil {
			return fmt.Errorf("read worker source: %w", err)
		}
		// File names are unique per package, and the directories are several
		// packages here.
		content = bytes.Replace(content, []byte("package "+folder+"\n"), []byte("package testing\n"), 1)
		if line, rest, ok := bytes.Cut(content, []byte("\n")); ok && portable {
			// The user's binaries are built without tare's tags.
			content = append(bytes.Replace(line, []byte("portable"), []byte("unix"), 1), append([]byte("\n"), rest...)...)
		}
		if err := w.write("testing/tare_"+f.Name(), content); err != nil {
			return err
		}
	}
	return nil
}

func goVersion(goroot string) string {
	b, err := file.ReadNamed(filepath.Join(goroot, "VERSION"))
	if err != nil {
		return "an unknown Go version"
	}
	first, _, _ := strings.Cut(string(b), "\n")
	return strings.TrimSpace(first)
}
