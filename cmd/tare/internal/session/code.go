package session

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"golang.org/x/mod/modfile"

	"github.com/tarebench/tare/cmd/tare/internal/build"
	"github.com/tarebench/tare/cmd/tare/internal/file"
	"github.com/tarebench/tare/cmd/tare/internal/objcode"
	"github.com/tarebench/tare/cmd/tare/internal/result"
)

// Code is the machine code of the variants. It reports which benchmarks have the
// same machine code in all variants. See docs/decisions/same-code.
type Code struct {
	sides *sides
	// scratch is a directory for the logs of opened files.
	scratch string
	reader  objcode.Reader

	mu       sync.Mutex
	packages map[string][]*objcode.Comparison // by variant, from the second on
	alike    map[string]bool
}

func newCode(v *sides) *Code {
	scratch, _ := os.MkdirTemp(v.builder.Scratch(), "code-") // without one, nothing is the same code
	return &Code{sides: v, scratch: scratch, packages: make(map[string][]*objcode.Comparison), alike: make(map[string]bool)}
}

// OpenCode compiles the variants of a specification to compare their code.
func OpenCode(ctx context.Context, spec Spec, step func(string)) (*Code, error) {
	sides, err := openSides(ctx, spec, step)
	if err != nil {
		return nil, err
	}
	if err := sides.compile(ctx); err != nil {
		return nil, errors.Join(err, sides.close())
	}
	return newCode(sides), nil
}

// compile compiles the packages of all variants.
func (v *sides) compile(ctx context.Context) error {
	errs := make([]error, len(v.list))
	var built sync.WaitGroup
	for i, one := range v.list {
		built.Go(func() {
			for _, pkg := range v.packages {
				if errs[i] == nil {
					errs[i] = one.Compile(ctx, pkg)
				}
			}
		})
	}
	built.Wait()
	return cmp.Or(errs...)
}

// Close removes the built files.
func (c *Code) Close() error { return c.sides.close() }

// Packages are the packages with benchmarks.
func (c *Code) Packages() []string { return c.sides.packages }

// Variants are the variants in the form of a recording.
func (c *Code) Variants() []result.Variant { return c.sides.variants }

// Variant is a variant with the tests that were measured in a package.
func (c *Code) Variant(v int, pkg string) *build.Variant { return c.sides.list[v].variantFor(pkg) }

// SameTests reports whether a package was built with the same tests in the first
// variant and variant v.
func (c *Code) SameTests(pkg string, v int) bool {
	return sameTests(c.sides.list[0], c.sides.list[v], pkg)
}

// Digest is a hash of a variant's machine code in all packages. It is empty if a
// program is not understood.
func (c *Code) Digest(v int) string {
	h := sha256.New()
	for _, pkg := range c.sides.packages {
		digest := c.programDigest(pkg, v)
		if digest == "" {
			return ""
		}
		fmt.Fprintf(h, "%q %s\n", pkg, digest)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// programDigest is a hash of a whole program's machine code. It is empty if the
// program is not understood.
func (c *Code) programDigest(pkg string, v int) string {
	dir, _, args, ok := c.sides.list[v].Link(pkg)
	if !ok {
		return ""
	}
	p, err := c.reader.Open(dir, args)
	if err != nil {
		return ""
	}
	digest, _ := p.Digest()
	return digest
}

// Functions are the benchmark functions of a package in any variant.
func (c *Code) Functions() (names []string) {
	for _, f := range c.sides.functions {
		if f.Name != "" && !slices.Contains(names, f.Name) {
			names = append(names, f.Name)
		}
	}
	return names
}

// Binary is the binary of a variant with the default function order, if it can
// be built.
func (c *Code) Binary(ctx context.Context, pkg string, v int) (build.Binary, bool) {
	bin, err := c.sides.list[v].Build(ctx, pkg, 0)
	return bin, err == nil
}

// Scratch is a directory that is removed at the end.
func (c *Code) Scratch() string { return c.scratch }

// Comparable is true if a variant is built and run like the first one, so that their
// code alone decides.
func (c *Code) Comparable(spec Spec, v int) bool {
	a, b := spec.Variants[0], spec.Variants[v]
	return a.Bin == "" && b.Bin == "" && c.sides.list[0].GoVersion == c.sides.list[v].GoVersion && slices.Equal(a.Env, b.Env) &&
		slices.Equal(withoutOverlay(a.Flags), withoutOverlay(b.Flags))
}

// decides is false if the code decides nothing about a benchmark. Two variants with one
// specification measure the error rate, so nothing may be skipped.
func (c *Code) decides(spec Spec) bool {
	if len(c.sides.list) < 2 || c.scratch == "" {
		return false
	}
	for i, a := range spec.Variants {
		for _, b := range spec.Variants[:i] {
			if sameSpec(a, b) {
				return false
			}
		}
		if i > 0 && !c.Comparable(spec, i) {
			return false
		}
	}
	return true
}

func sameSpec(a, b build.Spec) bool {
	return a.Revision == b.Revision && a.Bin == b.Bin && a.Go == b.Go && slices.Equal(a.Tags, b.Tags) &&
		slices.Equal(a.Env, b.Env) && slices.Equal(a.Flags, b.Flags) && slices.Equal(a.Mods, b.Mods) && a.Tests == b.Tests
}

// withoutOverlay returns the flags without -overlay, which only names the place
// of the sources.
func withoutOverlay(flags []string) []string {
	return slices.DeleteFunc(slices.Clone(flags), func(f string) bool {
		return strings.HasPrefix(strings.TrimLeft(f, "-"), "overlay=")
	})
}

// FileLog is the file in which package os logs the files that a variant opens.
func (c *Code) FileLog(pkg string, v int) string {
	return filepath.Join(c.scratch, fmt.Sprintf("files-%x-%d", sha256.Sum256([]byte(pkg)), v))
}

// Same reports whether a benchmark needs no measurement.
func (c *Code) Same(b result.Benchmark) bool {
	if c.sides.list[0].program != nil {
		return c.sameProgram(b.Pkg)
	}
	top, _, _ := strings.Cut(b.Name, "/")
	for v := 1; v < len(c.sides.list); v++ {
		one := c.Comparison(b.Pkg, v)
		if one == nil || !sameModule(c.sides.list[0], c.sides.list[v], b.Pkg) {
			return false
		}
		if code := one.Benchmark("Benchmark" + top); !code.Same || code.Outside != "" {
			return false
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, known := c.alike[b.Pkg]; !known {
		c.alike[b.Pkg] = c.sameFiles(b.Pkg)
	}
	return c.alike[b.Pkg]
}

// sameProgram reports whether the program of a package is the same in all
// variants. They read the same files, since they run in the same directory.
func (c *Code) sameProgram(pkg string) bool {
	first := c.programDigest(pkg, 0)
	for v := 1; v < len(c.sides.list) && first != ""; v++ {
		if c.programDigest(pkg, v) != first || !sameModule(c.sides.list[0], c.sides.list[v], pkg) {
			return false
		}
	}
	return first != ""
}

// compare compares the first variant with each other one. An element is nil if its
// variant cannot be compared.
func (c *Code) compare(pkg string) []*objcode.Comparison {
	programs := make([]*objcode.Program, len(c.sides.list))
	var opened sync.WaitGroup
	for v, one := range c.sides.list {
		if dir, _, args, ok := one.Link(pkg); ok {
			opened.Go(func() { programs[v], _ = c.reader.Open(dir, args) }) // nil if it is not understood
		}
	}
	opened.Wait()
	all := make([]*objcode.Comparison, len(programs)-1)
	for v, p := range programs[1:] {
		if programs[0] != nil && p != nil {
			all[v] = objcode.Compare(programs[0], p)
		}
	}
	return all
}

// Comparison compares the code of a package in the first variant and variant v. It
// is nil if the code is not known.
func (c *Code) Comparison(pkg string, v int) *objcode.Comparison {
	c.mu.Lock()
	defer c.mu.Unlock()
	comparisons, ok := c.packages[pkg]
	if !ok {
		comparisons = c.compare(pkg)
		c.packages[pkg] = comparisons
	}
	return comparisons[v-1]
}

// Builtins are the names of the runtime's functions in a variant's toolchain.
func (c *Code) Builtins(pkg string, v int) []string {
	_, tool, _, ok := c.sides.list[v].Link(pkg)
	if !ok {
		return nil
	}
	// GOROOT/pkg/tool/GOOS_GOARCH/link
	return objcode.Builtins(filepath.Dir(filepath.Dir(filepath.Dir(filepath.Dir(tool)))))
}

func sameModule(a, b *side, pkg string) bool {
	settings := func(s *side) (string, bool) {
		start := s.packageOf(pkg).Dir
		if start == "" {
			return "", false
		}
		path := filepath.Join(moduleRoot(start), "go.mod")
		data, err := file.ReadNamed(path)
		if errors.Is(err, fs.ErrNotExist) {
			return "", true // GOPATH, or the standard library
		}
		if err != nil {
			return "", false
		}
		f, err := modfile.ParseLax(path, data, nil)
		if err != nil {
			return "", false
		}
		text := ""
		if f.Go != nil {
			text = f.Go.Version
		}
		for _, g := range f.Godebug {
			text += "," + g.Key + "=" + g.Value
		}
		return text, true
	}
	old, ok := settings(a)
	new, also := settings(b)
	return ok && also && old == new
}

// sameFiles reports whether all variants have the same files, among those that
// the benchmarks of a package opened or looked up at discovery. Only files below
// the roots of the variants count, since all variants share the others.
func (c *Code) sameFiles(pkg string) bool {
	opened := make(map[string]bool)
	roots := make([]string, len(c.sides.list))
	for v, one := range c.sides.list {
		bin, ok := one.base(pkg)
		if !ok {
			return false
		}
		roots[v] = rootOf(one, bin)
		logs, err := filepath.Glob(c.FileLog(pkg, v) + ".*")
		if err != nil || len(logs) == 0 {
			return false
		}
		for _, log := range logs {
			data, err := file.ReadNamed(log)
			if err != nil {
				return false
			}
			names, ok := filesOf(string(data), bin.Dir, roots[v])
			if !ok {
				return false
			}
			for _, name := range names {
				opened[name] = true
			}
		}
	}
	for name := range opened {
		var first string
		for v := range c.sides.list {
			sum, ok := digest(filepath.Join(roots[v], name))
			if !ok || v > 0 && sum != first {
				return false
			}
			first = sum
		}
	}
	return true
}

// rootOf is the directory of a variant's sources: the root of the repository, or
// else of the module.
func rootOf(s *side, bin build.Binary) string {
	if root := s.Root(); root != "" {
		return root
	}
	return moduleRoot(bin.Dir)
}

// filesOf reads a log of package os (internal/testlog) from a directory, and lists
// the names below root, relative to it. A name of which only the attributes were
// read counts as opened. A log is not understood if a relative name leads
// elsewhere, or if the log is truncated.
func filesOf(log, dir, root string) (names []string, ok bool) {
	body, ok := strings.CutPrefix(log, "# test log\n")
	if !ok || root == "" || body != "" && !strings.HasSuffix(body, "\n") {
		return nil, false
	}
	for line := range strings.Lines(body) {
		verb, name, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		switch verb {
		case "open", "stat", "chdir":
		case "getenv":
			continue // all variants have the same environment
		default:
			return nil, false
		}
		path := name
		if !filepath.IsAbs(path) {
			path = filepath.Join(dir, path)
		}
		if verb == "chdir" {
			dir = path
		}
		rel, err := filepath.Rel(root, path)
		outside := err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator))
		switch {
		case !outside:
			names = append(names, rel)
		case !filepath.IsAbs(name):
			return nil, false
		}
	}
	return names, true
}

// digestLimit is the size of the largest file that is compared. A larger file
// counts as different.
const digestLimit = 256 << 20

// digest is a hash of a file, or of the names in a directory. A name that does
// not exist has a digest too.
func digest(path string) (string, bool) {
	info, err := os.Stat(path)
	switch {
	case os.IsNotExist(err):
		return "none", true
	case err != nil:
		return "", false
	case info.IsDir():
		entries, err := os.ReadDir(path)
		if err != nil {
			return "", false
		}
		text := "folder"
		for _, e := range entries {
			text += fmt.Sprintf("\n%q %v", e.Name(), e.Type())
			if size, err := e.Info(); err == nil && e.Type().IsRegular() {
				text += fmt.Sprint(" ", size.Size(), size.Mode())
			}
		}
		return text, true
	case !info.Mode().IsRegular() || info.Size() > digestLimit:
		return "", false
	}
	data, err := file.ReadNamed(path)
	if err != nil {
		return "", false
	}
	return fmt.Sprintf("%v %x", info.Mode(), sha256.Sum256(data)), true
}
