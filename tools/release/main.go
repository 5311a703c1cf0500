// Command release makes the archives of a release: release VERSION DIRECTORY
// [OS/ARCH…]. Two runs of one commit give the same bytes. It uploads nothing.
//
// The build depends only on the sources of the command, not on the commit. The
// checksums can be committed to ci/checksums before the tag.
package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"time"

	"golang.org/x/mod/module"
)

// toolchain builds releases. Another one would produce other bytes.
const toolchain = "go1.26.8"

var targets = []string{"linux/amd64", "linux/arm64", "darwin/amd64", "darwin/arm64", "windows/amd64", "windows/arm64"}

// made is the time of every file in an archive, so that it does not depend on
// the time of the build.
var made = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

var versionForm = regexp.MustCompile(`^v[0-9]+\.[0-9]+\.[0-9]+(-[0-9A-Za-z.]+)?$`)

func main() {
	if err := release(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

func release(args []string) error {
	if len(args) < 2 || !versionForm.MatchString(args[0]) {
		return errors.New("usage: release vX.Y.Z DIRECTORY [OS/ARCH…]")
	}
	version, folder, chosen := args[0], args[1], args[2:]
	if len(chosen) == 0 {
		chosen = targets
	}
	if v := runtime.Version(); v != toolchain {
		return fmt.Errorf("check toolchain: %s, want %s: set GOTOOLCHAIN=%s", v, toolchain, toolchain)
	}
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return err
	}
	work, err := os.MkdirTemp("", "tare-release")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	var archives []archive
	var modules []module.Version
	for _, target := range chosen {
		binary, err := build(version, target, work)
		if err != nil {
			return fmt.Errorf("build %s: %w", target, err)
		}
		found, err := modulesOf(binary)
		if err != nil {
			return fmt.Errorf("read modules of %s: %w", target, err)
		}
		modules = append(modules, found...)
		notices, err := notices(found)
		if err != nil {
			return err
		}
		a, err := pack(version, target, binary, notices, folder)
		if err != nil {
			return fmt.Errorf("pack %s: %w", target, err)
		}
		archives = append(archives, a)
	}
	module.Sort(modules)
	modules = slices.Compact(modules)
	name := "tare_" + version[1:] + ".spdx.json"
	sbom, err := bill(version, archives, modules)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(folder, name), sbom, 0o666); err != nil {
		return err
	}
	var sums bytes.Buffer
	for _, a := range append(slices.Clone(archives), archive{name: name, sum: digest(sbom)}) {
		fmt.Fprintf(&sums, "%s  %s\n", a.sum, a.name)
	}
	if err := os.WriteFile(filepath.Join(folder, "SHA256SUMS"), sums.Bytes(), 0o666); err != nil {
		return err
	}
	return writeInstallers(folder, version, archives)
}

func build(version, target, work string) (string, error) {
	goos, goarch, ok := strings.Cut(target, "/")
	if !ok {
		return "", errors.New("want OS/ARCH")
	}
	workspace, err := filepath.Abs("go.work")
	if err != nil {
		return "", err
	}
	binary := filepath.Join(work, goos+"-"+goarch, "tare")
	if goos == "windows" {
		binary += ".exe"
	}
	cmd := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w -buildid= -X main.released="+version, "-o", binary, "./cmd/tare")
	cmd.Env = append(os.Environ(), "GOOS="+goos, "GOARCH="+goarch, "CGO_ENABLED=0", "GOTOOLCHAIN="+toolchain,
		"GOFLAGS=", "GOWORK="+workspace, "GOEXPERIMENT=", "GODEBUG=", "GOAMD64=v1", "GOARM64=v8.0", "GOFIPS140=off")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w\n%s", err, out)
	}
	return binary, nil
}

func modulesOf(binary string) (found []module.Version, err error) {
	info, err := buildinfo.ReadFile(binary)
	if err != nil {
		return nil, err
	}
	for _, d := range info.Deps {
		if !strings.HasPrefix(d.Path, "github.com/tarebench/tare") {
			found = append(found, module.Version{Path: d.Path, Version: d.Version})
		}
	}
	return found, nil
}

func notices(modules []module.Version) ([]byte, error) {
	env, err := exec.Command("go", "env", "GOROOT", "GOMODCACHE").Output()
	if err != nil {
		return nil, err
	}
	root, cache, _ := strings.Cut(strings.TrimSpace(string(env)), "\n")
	files := []struct{ name, path string }{
		{"Go " + toolchain, filepath.Join(root, "LICENSE")},
		{"uPlot", "cmd/tare/internal/report/html/assets/uplot-LICENSE.txt"},
	}
	for _, m := range modules {
		escaped, err := module.EscapePath(m.Path)
		if err != nil {
			return nil, err
		}
		dir := filepath.Join(cache, filepath.FromSlash(escaped)+"@"+m.Version)
		path := ""
		for _, name := range []string{"LICENSE", "LICENSE.txt", "LICENSE.md", "COPYING"} {
			if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
				path = filepath.Join(dir, name)
				break
			}
		}
		if path == "" {
			return nil, fmt.Errorf("find license: %s@%s has none in %s", m.Path, m.Version, dir)
		}
		files = append(files, struct{ name, path string }{m.Path + " " + m.Version, path})
	}
	var b bytes.Buffer
	b.WriteString("tare contains the following software of others.\n")
	for _, f := range files {
		text, err := os.ReadFile(f.path)
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&b, "\n==== %s\n\n%s\n", f.name, bytes.TrimSpace(text))
	}
	return b.Bytes(), nil
}

type archive struct{ name, sum, goos, goarch string }

type entry struct {
	name string
	mode int64
	data []byte
}

func pack(version, target, binary string, notices []byte, folder string) (archive, error) {
	goos, goarch, _ := strings.Cut(target, "/")
	var entries []entry
	for _, f := range []struct {
		name, path string
		mode       int64
	}{{filepath.Base(binary), binary, 0o755}, {"LICENSE", "LICENSE", 0o644}, {"README.md", "README.md", 0o644}} {
		data, err := os.ReadFile(f.path)
		if err != nil {
			return archive{}, err
		}
		entries = append(entries, entry{f.name, f.mode, data})
	}
	entries = append(entries, entry{"NOTICES.txt", 0o644, notices})
	a := archive{name: fmt.Sprintf("tare_%s_%s_%s.tar.gz", version[1:], goos, goarch), goos: goos, goarch: goarch}
	write := writeTar
	if goos == "windows" {
		a.name, write = strings.TrimSuffix(a.name, ".tar.gz")+".zip", writeZip
	}
	var b bytes.Buffer
	if err := write(&b, entries); err != nil {
		return a, err
	}
	a.sum = digest(b.Bytes())
	return a, os.WriteFile(filepath.Join(folder, a.name), b.Bytes(), 0o666)
}

func digest(data []byte) string { return fmt.Sprintf("%x", sha256.Sum256(data)) }

func writeTar(w io.Writer, entries []entry) error {
	z, _ := gzip.NewWriterLevel(w, gzip.BestCompression)
	t := tar.NewWriter(z)
	for _, e := range entries {
		if err := t.WriteHeader(&tar.Header{Name: e.name, Mode: e.mode, Size: int64(len(e.data)), ModTime: made, Format: tar.FormatUSTAR}); err != nil {
			return err
		}
		if _, err := t.Write(e.data); err != nil {
			return err
		}
	}
	return errors.Join(t.Close(), z.Close())
}

func writeZip(w io.Writer, entries []entry) error {
	z := zip.NewWriter(w)
	for _, e := range entries {
		h := &zip.FileHeader{Name: e.name, Method: zip.Deflate, Modified: made}
		h.SetMode(os.FileMode(e.mode))
		f, err := z.CreateHeader(h)
		if err != nil {
			return err
		}
		if _, err := f.Write(e.data); err != nil {
			return err
		}
	}
	return z.Close()
}

func bill(version string, archives []archive, modules []module.Version) ([]byte, error) {
	type checksum struct {
		Algorithm string `json:"algorithm"`
		Value     string `json:"checksumValue"`
	}
	type reference struct {
		Category string `json:"referenceCategory"`
		Type     string `json:"referenceType"`
		Locator  string `json:"referenceLocator"`
	}
	type pkg struct {
		ID        string      `json:"SPDXID"`
		Name      string      `json:"name"`
		Version   string      `json:"versionInfo"`
		File      string      `json:"packageFileName,omitempty"`
		Location  string      `json:"downloadLocation"`
		Analyzed  bool        `json:"filesAnalyzed"`
		Checksums []checksum  `json:"checksums,omitempty"`
		Refs      []reference `json:"externalRefs,omitempty"`
	}
	type relation struct {
		From string `json:"spdxElementId"`
		Type string `json:"relationshipType"`
		To   string `json:"relatedSpdxElement"`
	}
	document := struct {
		Version   string `json:"spdxVersion"`
		License   string `json:"dataLicense"`
		ID        string `json:"SPDXID"`
		Name      string `json:"name"`
		Namespace string `json:"documentNamespace"`
		Creation  struct {
			Created  string   `json:"created"`
			Creators []string `json:"creators"`
		} `json:"creationInfo"`
		Packages  []pkg      `json:"packages"`
		Relations []relation `json:"relationships"`
	}{Version: "SPDX-2.3", License: "CC0-1.0", ID: "SPDXRef-DOCUMENT", Name: "tare " + version, Namespace: "https://github.com/tarebench/tare/spdx/" + version}
	document.Creation.Created, document.Creation.Creators = made.Format(time.RFC3339), []string{"Tool: tare .ci/release"}
	for i, a := range archives {
		id := fmt.Sprintf("SPDXRef-archive-%d", i)
		document.Packages = append(document.Packages, pkg{ID: id, Name: "tare", Version: version, File: a.name, Location: address(version, a.name), Checksums: []checksum{{"SHA256", a.sum}}})
		document.Relations = append(document.Relations, relation{"SPDXRef-DOCUMENT", "DESCRIBES", id})
	}
	for i, m := range append([]module.Version{{Path: "std", Version: strings.TrimPrefix(toolchain, "go")}}, modules...) {
		id := fmt.Sprintf("SPDXRef-module-%d", i)
		document.Packages = append(document.Packages, pkg{ID: id, Name: m.Path, Version: m.Version, Location: "NOASSERTION",
			Refs: []reference{{"PACKAGE-MANAGER", "purl", "pkg:golang/" + m.Path + "@" + m.Version}}})
		for k := range archives {
			document.Relations = append(document.Relations, relation{fmt.Sprintf("SPDXRef-archive-%d", k), "CONTAINS", id})
		}
	}
	out, err := json.MarshalIndent(document, "", "  ")
	return append(out, '\n'), err
}

func address(version, name string) string {
	return "https://github.com/tarebench/tare/releases/download/" + version + "/" + name
}
