package objcode

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/tarebench/tare/cmd/tare/internal/file"
)

// Reader reads programs. It keeps the archives that it read, so that the
// programs of one comparison share the standard library. The zero value is
// ready to use. Its methods may be called from several goroutines.
type Reader struct {
	mu       sync.Mutex
	archives map[string]*keptArchive
}

// keptArchive is an archive and the evidence that its file is unchanged.
// Readers of the archive have its lock. Programs that share an archive share
// its objects, and identical objects are equal.
type keptArchive struct {
	mu      sync.Mutex
	info    fs.FileInfo
	archive *archive
}

func (r *Reader) archive(path string) (*archive, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("read archive: %w", err)
	}
	r.mu.Lock()
	if r.archives == nil {
		r.archives = make(map[string]*keptArchive)
	}
	kept := r.archives[path]
	if kept == nil {
		kept = new(keptArchive)
		r.archives[path] = kept
	}
	r.mu.Unlock()
	kept.mu.Lock()
	defer kept.mu.Unlock()
	if a := kept.archive; a != nil && os.SameFile(kept.info, info) && kept.info.Size() == info.Size() && kept.info.ModTime().Equal(info.ModTime()) {
		return a, nil
	}
	a, err := readArchive(path)
	if err != nil {
		return nil, err
	}
	// The go command touches the cache files that it uses, about every hour.
	if kept.archive == nil || !kept.archive.equal(a) {
		kept.archive = a
	}
	kept.info = info
	return kept.archive, nil
}

// Program is one test binary as the linker gets it.
type Program struct {
	// flags are the linker's arguments except paths and the build ID.
	flags []string
	// modinfo is the text that debug.ReadBuildInfo returns.
	modinfo string
	header  string

	packages []loadedPackage
	objects  []*loaded
	// symbols are all symbols. Number 0 means none.
	symbols []location
	// byName finds a symbol by its name, for data and assembly (0) and for Go
	// functions (1).
	byName [2]map[string]int32
	// undefined names the symbols that the linker makes.
	undefined map[int32]string
	// sizes has the sizes that differ from the definition.
	sizes map[int32]uint32
	// inIface marks the types that some object converts to an interface.
	inIface []bool
	// tasks are the packages' initializations, in the order in which they run.
	tasks []int32

	// alive marks the symbols that the linker keeps: see kept.
	once  sync.Once
	alive []bool
}

type loadedPackage struct {
	path    string
	archive *archive
}

// location is the place of a symbol's definition. A nil object is the linker.
type location struct {
	object *loaded
	index  uint32
}

func (l location) hashed() bool {
	return l.index >= l.object.defs && l.index < l.object.defs+l.object.hashed64+l.object.hashed
}

type loaded struct {
	*object
	pkg string
	// standard is true for packages of the standard library.
	standard bool
	// global translates the numbers of the object's own symbols, and of the
	// symbols that it names, to numbers of the program.
	global []int32
	// refs are the objects of the packages it refers to.
	refs []*loaded
}

// errForm is wrapped by errors about programs that this package cannot read:
// an unknown object format, an old or new toolchain, shared libraries.
var errForm = errors.New("unknown form of program")

// Open reads the program that the Go linker would make from the arguments args
// in the directory dir, without linking it. cmd/go passes these arguments:
// -importcfg FILE is among them, and the archive of package main is the last.
func (r *Reader) Open(dir string, args []string) (p *Program, err error) {
	defer func() {
		// The offsets in an object are not checked one by one.
		if caught := recover(); caught != nil {
			p, err = nil, fmt.Errorf("read program: %v: %w", caught, errForm)
		}
	}()
	p = &Program{undefined: make(map[int32]string), sizes: make(map[int32]uint32)}
	config, main, err := p.arguments(args)
	if err != nil {
		return nil, err
	}
	inDir := func(path string) string {
		if filepath.IsAbs(path) {
			return path
		}
		return filepath.Join(dir, path)
	}
	files, err := p.readConfig(inDir(config))
	if err != nil {
		return nil, err
	}
	files["main"] = main
	if err := p.loadPackages(func(pkg string) (*archive, error) {
		file, ok := files[pkg]
		if !ok {
			return nil, fmt.Errorf("read program: package %s has no archive: %w", pkg, errForm)
		}
		return r.archive(inDir(file))
	}); err != nil {
		return nil, err
	}
	if err := p.checkToolchain(); err != nil {
		return nil, err
	}
	p.resolve()
	if p.tasks, err = p.initOrder(); err != nil {
		return nil, err
	}
	return p, nil
}

func (p *Program) arguments(args []string) (config, main string, err error) {
	for i := 0; i < len(args); i++ {
		arg := args[i]
		name, value, inOne := strings.Cut(strings.TrimLeft(arg, "-"), "=")
		switch {
		case i == len(args)-1:
			main = arg
		case name == "importcfg" && inOne:
			config = value
		case name == "importcfg":
			i++
			config = args[i]
		case name == "buildid" && inOne, name == "randlayout" && inOne:
		case name == "buildid" || name == "randlayout":
			i++
		case name == "linkshared" || name == "buildmode" && inOne && value != "exe" && value != "pie":
			return "", "", fmt.Errorf("read program: %s: %w", arg, errForm)
		default:
			p.flags = append(p.flags, arg)
		}
	}
	if config == "" || main == "" {
		return "", "", fmt.Errorf("read program: no list of packages among the linker's arguments: %w", errForm)
	}
	return config, main, nil
}

func (p *Program) readConfig(path string) (map[string]string, error) {
	data, err := file.ReadNamed(path)
	if err != nil {
		return nil, fmt.Errorf("read list of packages: %w", err)
	}
	files := make(map[string]string)
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSpace(line)
		verb, rest, _ := strings.Cut(line, " ")
		switch verb {
		case "packagefile":
			pkg, file, ok := strings.Cut(rest, "=")
			if !ok {
				return nil, fmt.Errorf("read list of packages: line %q: %w", line, errForm)
			}
			files[pkg] = file
		case "modinfo":
			p.modinfo = rest
		case "", "#":
		default:
			if !strings.HasPrefix(line, "#") {
				return nil, fmt.Errorf("read list of packages: line %q: %w", line, errForm)
			}
		}
	}
	return files, nil
}

// loadPackages loads package main and all packages that it needs in the
// linker's order, which decides between definitions of one name.
func (p *Program) loadPackages(open func(pkg string) (*archive, error)) error {
	seen := make(map[string]bool)
	var queue []string
	want := func(pkg string) {
		if !seen[pkg] && pkg != "unsafe" {
			seen[pkg] = true
			queue = append(queue, pkg)
		}
	}
	load := func() error {
		for len(queue) > 0 {
			pkg := queue[0]
			queue = queue[1:]
			a, err := open(pkg)
			if err != nil {
				return err
			}
			p.packages = append(p.packages, loadedPackage{pkg, a})
			standard := slices.ContainsFunc(a.objects, func(o *object) bool { return o.flags&objectStandard != 0 })
			for _, o := range a.objects {
				p.objects = append(p.objects, &loaded{object: o, pkg: pkg, standard: standard})
				for _, imported := range o.autolib {
					want(strings.TrimSuffix(imported, ".a"))
				}
			}
		}
		return nil
	}
	want("main")
	if err := load(); err != nil {
		return err
	}
	for _, flag := range []string{"race", "msan", "asan"} {
		if slices.Contains(p.flags, "-"+flag) {
			want("runtime/" + flag)
		}
	}
	want("runtime")
	return load()
}

func (p *Program) checkToolchain() error {
	for _, pkg := range p.packages {
		if pkg.archive.header == "" {
			continue
		}
		if p.header == "" {
			p.header = pkg.archive.header
		}
		if p.header != pkg.archive.header {
			return fmt.Errorf("read program: objects of different toolchains: %w", errForm)
		}
	}
	return checkHeader(p.header)
}

func checkHeader(header string) error {
	words := strings.Fields(header)
	if len(words) < 5 {
		return fmt.Errorf("read program: header %q: %w", header, errForm)
	}
	if !slices.Contains([]string{"amd64", "arm64", "riscv64", "loong64", "ppc64le", "mips64le"}, words[3]) {
		return fmt.Errorf("read program: objects for %s: %w", words[3], errForm)
	}
	minor, ok := strings.CutPrefix(words[4], "go1.")
	if len(minor) > 2 {
		minor = minor[:2]
	}
	if !ok || !slices.Contains([]string{"24", "25", "26", "27"}, minor) {
		return fmt.Errorf("read program: objects of %s: %w", words[4], errForm)
	}
	return nil
}

// pointerSize is the pointer size of the architectures that checkToolchain
// accepts.
const pointerSize = 8
