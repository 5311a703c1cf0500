package samecode

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// Reader reads programs. What it read of an archive it keeps, so that the
// programs of one comparison share the standard library. The zero value is
// ready; its methods may be called from several goroutines.
type Reader struct {
	mu       sync.Mutex
	archives map[string]keptArchive
}

// keptArchive is an archive and what says that the file is still the same.
type keptArchive struct {
	info    fs.FileInfo
	archive *archive
}

func (r *Reader) archive(path string) (*archive, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("read archive: %w", err)
	}
	r.mu.Lock()
	kept, ok := r.archives[path]
	r.mu.Unlock()
	if ok && os.SameFile(kept.info, info) && kept.info.Size() == info.Size() && kept.info.ModTime().Equal(info.ModTime()) {
		return kept.archive, nil
	}
	a, err := readArchive(path)
	if err != nil {
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.archives == nil {
		r.archives = make(map[string]keptArchive)
	}
	r.archives[path] = keptArchive{info, a}
	return a, nil
}

// Program is one test binary as the linker gets it.
type Program struct {
	// flags are the linker's arguments but for paths and the build ID.
	flags []string
	// modinfo is what debug.ReadBuildInfo returns.
	modinfo string
	header  string

	packages []loadedPackage
	objects  []*loaded
	// symbols are all symbols; number 0 is none.
	symbols []location
	// byName finds a symbol by its name, for data and assembly (0) and for Go
	// functions (1).
	byName [2]map[string]int32
	// undefined names the symbols that the linker makes.
	undefined map[int32]string
	// sizes holds sizes that are not those of the definition.
	sizes map[int32]uint32
	// inIface marks the types that some object says are converted to an
	// interface.
	inIface []bool
	// tasks are the packages' initializations, in the order in which they run.
	tasks []int32
}

type loadedPackage struct {
	path    string
	archive *archive
}

// location is where a symbol is defined; a nil object is the linker.
type location struct {
	object *loaded
	index  uint32
}

// hashed says whether the symbol is known by its content.
func (l location) hashed() bool {
	return l.index >= l.object.defs && l.index < l.object.defs+l.object.hashed64+l.object.hashed
}

// loaded is an object as part of a program.
type loaded struct {
	*object
	pkg string
	// standard is true for packages of the standard library.
	standard bool
	// global translates the numbers of the object's own symbols, and of those
	// that it names, to numbers of the program.
	global []int32
	// refs are the objects of the packages it refers to.
	refs []*loaded
}

// ErrForm is wrapped by errors about programs that this package cannot read:
// an unknown object format, an old or new toolchain, shared libraries.
var ErrForm = errors.New("not a form of program that is understood")

// Open reads the program that the Go linker would make from the arguments args
// in the directory dir, without linking it. The arguments are those of cmd/go:
// -importcfg FILE among them, the archive of package main last.
func (r *Reader) Open(dir string, args []string) (p *Program, err error) {
	defer func() {
		// The offsets in an object are not checked one by one.
		if caught := recover(); caught != nil {
			p, err = nil, fmt.Errorf("read program: %v: %w", caught, ErrForm)
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
			return nil, fmt.Errorf("read program: package %s has no archive: %w", pkg, ErrForm)
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

// arguments sorts the linker's arguments.
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
			return "", "", fmt.Errorf("read program: %s: %w", arg, ErrForm)
		default:
			p.flags = append(p.flags, arg)
		}
	}
	if config == "" || main == "" {
		return "", "", fmt.Errorf("read program: no list of packages among the linker's arguments: %w", ErrForm)
	}
	return config, main, nil
}

// readConfig reads the list of archives.
func (p *Program) readConfig(path string) (map[string]string, error) {
	data, err := os.ReadFile(path)
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
				return nil, fmt.Errorf("read list of packages: line %q: %w", line, ErrForm)
			}
			files[pkg] = file
		case "modinfo":
			p.modinfo = rest
		case "", "#":
		default:
			if !strings.HasPrefix(line, "#") {
				return nil, fmt.Errorf("read list of packages: line %q: %w", line, ErrForm)
			}
		}
	}
	return files, nil
}

// loadPackages loads package main and all that it needs in the linker's order,
// which decides between definitions of one name.
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

// checkToolchain sees to it that all objects are of one toolchain, and of one
// whose objects are understood.
func (p *Program) checkToolchain() error {
	for _, pkg := range p.packages {
		if pkg.archive.header == "" {
			continue
		}
		if p.header == "" {
			p.header = pkg.archive.header
		}
		if p.header != pkg.archive.header {
			return fmt.Errorf("read program: objects of different toolchains: %w", ErrForm)
		}
	}
	words := strings.Fields(p.header)
	if len(words) < 5 {
		return fmt.Errorf("read program: header %q: %w", p.header, ErrForm)
	}
	if !slices.Contains([]string{"amd64", "arm64", "riscv64", "loong64", "ppc64le", "mips64le"}, words[3]) {
		return fmt.Errorf("read program: objects for %s: %w", words[3], ErrForm)
	}
	minor, ok := strings.CutPrefix(words[4], "go1.")
	if len(minor) > 2 {
		minor = minor[:2]
	}
	if !ok || !slices.Contains([]string{"24", "25", "26", "27"}, minor) {
		return fmt.Errorf("read program: objects of %s: %w", words[4], ErrForm)
	}
	return nil
}

// pointerSize is that of the architectures that checkToolchain knows.
const pointerSize = 8

// resolve gives each symbol of each object its number, by the rules of
// cmd/link/internal/loader.
func (p *Program) resolve() {
	p.symbols = make([]location, 1, 1<<17)
	p.byName = [2]map[string]int32{make(map[string]int32, 1<<16), make(map[string]int32, 1<<15)}
	byPackage := make(map[string]*loaded)
	for _, o := range p.objects {
		if pkg := inSymbols(o.pkg); byPackage[pkg] == nil {
			byPackage[pkg] = o
		}
		o.global = make([]int32, o.allDefs()+o.namedRefs)
		for i := range o.defs {
			p.define(o, i)
		}
	}
	short, long := make(map[uint64]int32), make(map[[16]byte]int32)
	for _, o := range p.objects {
		for i := o.defs; i < o.defs+o.hashed64; i++ {
			defineHashed(p, short, o.hash64(i-o.defs), o, i)
		}
		for i := o.defs + o.hashed64; i < o.defs+o.hashed64+o.hashed; i++ {
			defineHashed(p, long, o.hash(i-o.defs-o.hashed64), o, i)
		}
		for i := o.defs + o.hashed64 + o.hashed; i < o.allDefs(); i++ {
			p.define(o, i)
		}
	}
	for _, o := range p.objects {
		for i := o.allDefs(); i < o.allDefs()+o.namedRefs; i++ {
			o.global[i] = p.lookup(o.name(i), o.symbol(i).abi())
		}
		o.refs = make([]*loaded, len(o.packages))
		for i, pkg := range o.packages {
			if o.refs[i] = byPackage[pkg]; o.refs[i] == nil && i > 0 {
				panic("reference to package " + pkg)
			}
		}
	}
	p.inIface = make([]bool, len(p.symbols))
	for _, o := range p.objects {
		for i := range o.allDefs() + o.namedRefs {
			if o.symbol(i).flag2()&flag2UsedInIface != 0 {
				p.inIface[o.global[i]] = true
			}
		}
		for _, ref := range o.refFlags() {
			p.inIface[p.target(o, ref)] = true
		}
	}
}

// inSymbols is an import path as it is written in symbols
// (cmd/internal/objabi.PathToPrefix).
func inSymbols(path string) string {
	slash := strings.LastIndex(path, "/")
	var b strings.Builder
	for i := range len(path) {
		if c := path[i]; c <= ' ' || c == '.' && i > slash || c == '%' || c == '"' || c >= 0x7f {
			fmt.Fprintf(&b, "%%%02x", c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}

// lookup finds a symbol that an object names without defining it; where no
// object defines it, the linker does.
func (p *Program) lookup(name string, abi uint16) int32 {
	if abi == staticABI { // it is of this object alone, and not in it
		i := p.number(location{})
		p.undefined[i] = name
		return i
	}
	if abi > internalABI {
		panic("unknown calling convention of " + name)
	}
	i, ok := p.byName[abi][name]
	if !ok {
		i = p.number(location{})
		p.undefined[i] = name
		p.byName[abi][name] = i
	}
	return i
}

func (p *Program) number(at location) int32 {
	p.symbols = append(p.symbols, at)
	return int32(len(p.symbols) - 1)
}

// define numbers a symbol of the object's package, or a named one that several
// objects may define.
func (p *Program) define(o *loaded, i uint32) {
	s := o.symbol(i)
	abi, name := s.abi(), o.name(i)
	if name == "" || abi == staticABI {
		o.global[i] = p.number(location{o, i})
		return
	}
	if abi > internalABI {
		panic("unknown calling convention of " + name)
	}
	old, exists := p.byName[abi][name]
	if !exists || i < o.defs {
		o.global[i] = p.number(location{o, i})
		p.byName[abi][name] = o.global[i]
		return
	}
	o.global[i] = old
	if p.replaces(o, i, old) {
		p.symbols[old] = location{o, i}
	}
}

// replaces says whether a further definition of a name takes the place of the
// one before it (loader.addSym).
func (p *Program) replaces(o *loaded, i uint32, old int32) bool {
	before := p.symbols[old]
	oldSymbol, newSymbol := before.object.symbol(before.index), o.symbol(i)
	oldSize, newSize := p.size(old), newSymbol.size()
	if newSymbol.flag()&flagDupok != 0 {
		return oldSize < newSize
	}
	if oldSymbol.flag()&flagDupok != 0 {
		return false
	}
	isText := func(s symbol) bool { return s.kind() == kindText || s.kind() == kindTextFIPS }
	oldHas, newHas := len(before.object.data(before.index)) != 0, len(o.data(i)) != 0
	oldBSS, newBSS := !isText(oldSymbol) && !oldHas, !isText(newSymbol) && !newHas
	switch {
	case isText(newSymbol) && oldBSS, newHas && oldBSS, newBSS && oldBSS && newSize > oldSize:
		if oldSize > newSize {
			p.sizes[old] = oldSize
		}
		return true
	case newBSS:
		if newSize > oldSize {
			p.sizes[old] = newSize
		}
		return false
	}
	panic("two definitions of " + o.name(i))
}

// defineHashed numbers a symbol that is known by its content. Trailing zeros
// are no part of the hash: the longest of equal ones is meant.
func defineHashed[H comparable](p *Program, known map[H]int32, hash H, o *loaded, i uint32) {
	old, ok := known[hash]
	if !ok {
		o.global[i] = p.number(location{o, i})
		known[hash] = o.global[i]
		return
	}
	o.global[i] = old
	if o.symbol(i).size() > p.size(old) {
		p.symbols[old] = location{o, i}
	}
}

func (p *Program) size(i int32) uint32 {
	if size, ok := p.sizes[i]; ok {
		return size
	}
	at := p.symbols[i]
	return at.object.symbol(at.index).size()
}

// target is the number of the symbol that a reference in an object means, or 0
// for none. A reference to a function that the compiler knows by number is
// answered by builtin.
func (p *Program) target(o *loaded, ref reference) int32 {
	switch ref.pkg {
	case 0:
		return 0
	case refSelf:
		return o.global[ref.sym]
	case refHashed64:
		return o.global[o.defs+ref.sym]
	case refHashed:
		return o.global[o.defs+o.hashed64+ref.sym]
	case refNamed:
		return o.global[o.defs+o.hashed64+o.hashed+ref.sym]
	case refBuiltin:
		return builtin
	}
	return o.refs[ref.pkg].global[ref.sym]
}

// builtin stands for the functions of package runtime that the compiler knows
// by number (cmd/internal/goobj/builtinlist.go). All of package runtime is
// part of every match, so that which one is meant need not be known.
const builtin = -1

// name is the symbol's name for a message.
func (p *Program) name(i int32) string {
	if i <= 0 {
		return ""
	}
	at := p.symbols[i]
	if at.object == nil {
		return p.undefined[i]
	}
	return at.object.name(at.index)
}

// sameForeign says whether the C code of two programs is the same.
func sameForeign(a, b *Program) (string, bool) {
	old := make(map[string][][]byte)
	for _, pkg := range a.packages {
		if len(pkg.archive.foreign) > 0 {
			old[pkg.path] = pkg.archive.foreign
		}
	}
	for _, pkg := range b.packages {
		if len(pkg.archive.foreign) == 0 {
			continue
		}
		if !slices.EqualFunc(old[pkg.path], pkg.archive.foreign, bytes.Equal) {
			return pkg.path, false
		}
		delete(old, pkg.path)
	}
	for pkg := range old {
		return pkg, false
	}
	return "", true
}
