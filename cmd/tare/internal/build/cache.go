package build

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// cacheLimit bounds the cache of builds, in bytes. A build is a few
// megabytes: the first binary, and the archives that go's own cache does not
// hold.
const cacheLimit = 1 << 30

// key names the inputs of a package's test binary: the toolchain and what go
// env says, the flags, the overlay, and for each package that is not in the
// module cache the content of its files. It is empty where the inputs cannot
// be named: cgo outside the standard library (headers of the system), or a
// flag that does more than it says.
func (v *Variant) key(p Package) string {
	if v.flags.noCache != "" || len(p.inputs) == 0 {
		return ""
	}
	sum := sha256.New()
	write := func(parts ...string) { fmt.Fprintf(sum, "%q\n", parts) }
	write("tare build 1", p.Path, p.Dir, v.Dir, v.toolchain.version)
	write(v.toolchain.fingerprint()...)
	for _, tool := range []string{"compile", "link", "asm"} {
		// A toolchain built at home keeps its version when it changes.
		if info, err := os.Stat(filepath.Join(v.goenv("GOTOOLDIR"), tool+v.goenv("GOEXE"))); err == nil {
			write(tool, info.ModTime().UTC().String(), fmt.Sprint(info.Size()))
		}
	}
	write(v.flags.plain...)
	write(v.flags.tags...)
	write(v.flags.ldflags...)
	if v.builder.Debug {
		write("debug")
	}
	for _, from := range slices.Sorted(maps.Keys(v.overlay.replace)) {
		write(from, hashFile(v.overlay.replace[from]))
	}
	for _, file := range []string{v.goenv("GOMOD"), v.goenv("GOWORK"), v.flags.modfile} {
		if file != "" && file != "off" {
			write(hashFile(file), hashFile(strings.TrimSuffix(file, ".mod")+".sum"))
		}
	}
	for _, flag := range v.flags.plain {
		if name, value := flagName(flag); name == "pgo" {
			write(hashFile(v.file(value)))
		}
	}
	write(hashFile(filepath.Join(p.Dir, "default.pgo")))
	modcache := v.goenv("GOMODCACHE")
	for _, in := range p.inputs {
		if len(in.CgoFiles)+len(in.SwigFiles)+len(in.SwigCXXFiles) > 0 {
			return ""
		}
		write(in.ImportPath, in.Dir)
		if within(in.Dir, modcache) {
			continue // the path holds the version, the content never changes
		}
		if in.Module != nil && in.Module.Dir != "" { // a vendored module has no folder of its own
			write(hashFile(filepath.Join(in.Module.Dir, "go.mod")))
		}
		// Names too: a file that came after go list is another input.
		entries, _ := os.ReadDir(in.Dir)
		for _, entry := range entries {
			if ext := filepath.Ext(entry.Name()); !entry.IsDir() && slices.Contains([]string{".go", ".s", ".S", ".h", ".syso"}, ext) {
				write(entry.Name())
			}
		}
		for _, name := range in.files() {
			path := name
			if !filepath.IsAbs(path) {
				path = filepath.Join(in.Dir, name)
			}
			if other, replaced := v.overlay.replace[path]; replaced {
				path = other
			}
			write(name, hashFile(path))
		}
	}
	return hex.EncodeToString(sum.Sum(nil))[:40]
}

// files are all files of the package that bear on its test binary. The
// generated main package of a test lists a file in go's cache.
func (p *listed) files() []string {
	return slices.Concat(p.GoFiles, p.HFiles, p.SFiles, p.SysoFiles, p.EmbedFiles, p.CFiles, p.CXXFiles, p.MFiles, p.FFiles,
		p.TestGoFiles, p.XTestGoFiles, p.TestEmbedFiles, p.XTestEmbedFiles)
}

func hashFile(path string) string {
	f, err := os.Open(path)
	if err != nil {
		return "none"
	}
	defer f.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		return "unreadable: " + err.Error()
	}
	return hex.EncodeToString(sum.Sum(nil))
}

func (b *Builder) builds() string { return filepath.Join(b.Cache, "build") }

// fetch puts the first binary of a kept build at path and returns its kit.
func (b *Builder) fetch(key, path string) (*linkKit, error) {
	dir := filepath.Join(b.builds(), key)
	data, err := os.ReadFile(filepath.Join(dir, "kit.json"))
	if err != nil {
		return nil, err
	}
	kit := &linkKit{dir: dir}
	if err := json.Unmarshal(data, kit); err != nil {
		return nil, err
	}
	if err := linkOrCopy(filepath.Join(dir, "test"), path); err != nil {
		return nil, err
	}
	now := time.Now()
	os.Chtimes(dir, now, now) // the newest go last when the cache is trimmed
	return kit, nil
}

// store keeps a build. Several processes may do so at once: a build appears
// whole, by a rename, or not at all.
func (b *Builder) store(key, binary string, kit *linkKit) error {
	if err := os.MkdirAll(b.builds(), 0o700); err != nil {
		return err
	}
	fresh, err := os.MkdirTemp(b.builds(), "new-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(fresh)
	files, err := os.ReadDir(kit.dir)
	if err != nil {
		return err
	}
	for _, file := range files {
		if err := linkOrCopy(filepath.Join(kit.dir, file.Name()), filepath.Join(fresh, file.Name())); err != nil {
			return err
		}
	}
	if err := linkOrCopy(binary, filepath.Join(fresh, "test")); err != nil {
		return err
	}
	if err := os.Rename(fresh, filepath.Join(b.builds(), key)); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return trimCache(b.builds(), cacheLimit)
}

// trimCache removes the builds that were not used for longest, and what
// killed processes left half written, until the rest fits.
func trimCache(dir string, limit int64) error {
	type build struct {
		path string
		used time.Time
		size int64
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	var all []build
	var total int64
	for _, entry := range entries {
		info, err := entry.Info()
		if err != nil {
			continue
		}
		one := build{path: filepath.Join(dir, entry.Name()), used: info.ModTime()}
		if strings.HasPrefix(entry.Name(), "new-") && time.Since(one.used) > time.Hour {
			os.RemoveAll(one.path)
			continue
		}
		files, _ := os.ReadDir(one.path)
		for _, file := range files {
			if info, err := file.Info(); err == nil {
				one.size += info.Size()
			}
		}
		all = append(all, one)
		total += one.size
	}
	slices.SortFunc(all, func(a, b build) int { return cmp.Or(a.used.Compare(b.used), strings.Compare(a.path, b.path)) })
	for _, one := range all {
		if total <= limit {
			return nil
		}
		// A process that uses it falls back to go test -c.
		if err := os.RemoveAll(one.path); err != nil {
			return err
		}
		total -= one.size
	}
	return nil
}

// linkOrCopy makes a second name for a file that nobody writes to any more,
// or a copy where the two lie on different file systems.
func linkOrCopy(from, to string) error {
	if err := os.Link(from, to); err == nil {
		return nil
	}
	return copyFile(from, to)
}

// copyFile copies content and permissions; an existing file is replaced at
// once or not at all.
func copyFile(from, to string) (err error) {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	info, err := in.Stat()
	if err != nil {
		return err
	}
	out, err := os.CreateTemp(filepath.Dir(to), filepath.Base(to)+".*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			out.Close()
			os.Remove(out.Name())
		}
	}()
	if _, err := io.Copy(out, in); err != nil {
		return err
	}
	if err := out.Chmod(info.Mode().Perm() | 0o600); err != nil {
		return err
	}
	if err := out.Close(); err != nil {
		return err
	}
	return os.Rename(out.Name(), to)
}
