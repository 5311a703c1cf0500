package build

import (
	"bytes"
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/tarebench/tare/cmd/tare/internal/catalog"
	"github.com/tarebench/tare/cmd/tare/internal/file"
	"github.com/tarebench/tare/internal/finding"
)

type note struct {
	Pkg string `json:"pkg"`
	// Dir is the working directory: the package's directory in the user's
	// checkout, since a revision's worktree does not last.
	Dir    string   `json:"dir"`
	Env    []string `json:"env,omitempty"`
	Layout uint64   `json:"layout,omitempty"`
}

const noteSuffix = ".json"

// Keep copies a binary into folder under name, with a note next to it, so that
// bin= can run it after the study. It returns the path.
func Keep(b Binary, folder, name string) (string, error) {
	path := filepath.Join(folder, name)
	if err := os.Remove(path); ignoreMissing(err) != nil {
		return "", fmt.Errorf("keep binary: %w", err)
	}
	if err := copyFile(b.Path, path); err != nil {
		return "", fmt.Errorf("keep binary: %w", err)
	}
	data, err := json.MarshalIndent(note{b.Pkg, b.home, b.Env, b.Layout}, "", "\t")
	if err != nil {
		return "", fmt.Errorf("keep binary: %w", err)
	}
	if err := os.WriteFile(path+noteSuffix, append(data, '\n'), 0o666); err != nil {
		return "", fmt.Errorf("keep binary: %w", err)
	}
	return path, nil
}

// overlayMark names a function that only a rewritten package testing has.
// Binaries without a symbol table contain it too.
var overlayMark = []byte("testing.tareConnect")

func (v *Variant) openKept() error {
	const step = "open kept binary"
	path := absolute(v.builder.dir, v.Spec.Bin)
	if info, err := os.Stat(path); err != nil {
		return fail(v.Spec, step, "", err, "go test -c makes one, and tare keeps those of a study in .tare")
	} else if info.IsDir() {
		return fail(v.Spec, step, "", fmt.Errorf("%s is a directory", path), "name the binary in it")
	}
	if v.builder.Programs {
		return v.openProgram(path)
	}
	info, err := buildinfo.ReadFile(path)
	if err != nil {
		return fail(v.Spec, step, "", fmt.Errorf("%s is not a Go binary: %w", path, err), "go test -c makes one")
	}
	pkg, isTest := strings.CutSuffix(info.Path, ".test")
	if !isTest {
		return fail(v.Spec, step, "", fmt.Errorf("%s is a program (%s), not a test binary", path, info.Path), "go test -c makes a test binary")
	}
	v.GoVersion, v.Dir = info.GoVersion, v.builder.dir
	binary := Binary{Path: path, Dir: v.builder.dir, Env: v.Spec.Env, Pkg: pkg, home: v.builder.dir}
	var n note
	data, err := file.ReadNamed(path + noteSuffix)
	switch {
	case err == nil && json.Unmarshal(data, &n) == nil && n.Pkg == pkg:
		binary.Layout = n.Layout
		binary.Env = append(append([]string(nil), n.Env...), v.Spec.Env...)
		if exists(n.Dir) {
			binary.Dir, binary.home = n.Dir, n.Dir
			break
		}
		v.Findings = append(v.Findings, catalog.KeptFolder.Of(path, finding.Text("folder", n.Dir), finding.Text("now", binary.Dir)))
	case err != nil && !errors.Is(err, os.ErrNotExist):
		return fail(v.Spec, step, "", err, "")
	}
	content, err := file.ReadNamed(path)
	if err != nil {
		return fail(v.Spec, step, "", err, "")
	}
	v.digest = digestOf(content)
	if binary.Overlaid = bytes.Contains(content, overlayMark); !binary.Overlaid {
		binary.WhyNot = "it was built by go test -c, not by tare"
	}
	v.kept = &binary
	return nil
}

func digestOf(content []byte) string {
	return fmt.Sprintf("%x", sha256.Sum256(content))
}

// openProgram opens a file that runs as it is: a program in any language. All
// such variants are one package, since their names may differ.
func (v *Variant) openProgram(path string) error {
	content, err := file.ReadNamed(path)
	if err != nil {
		return fail(v.Spec, "open program", "", err, "")
	}
	v.Dir, v.digest = v.builder.dir, digestOf(content)
	v.kept = &Binary{Path: path, Dir: v.Dir, Env: v.Spec.Env, Pkg: "program", home: v.Dir}
	return nil
}
