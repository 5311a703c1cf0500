package session

import (
	"bufio"
	"context"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/tarebench/tare/internal/explain"
	"github.com/tarebench/tare/internal/variant"
)

// forbidInlining is the file in which a function is declared with //go:noinline
// before it.
func forbidInlining(dir, symbol string) (path string, content []byte, ok bool) {
	path, set, fn := declaration(dir, symbol)
	if fn == nil {
		return "", nil, false
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return "", nil, false
	}
	at := set.Position(fn.Type.Func).Offset
	return path, slices.Concat(data[:at], []byte("//go:noinline\n"), data[at:]), true
}

// declaration finds a function with a body in a folder; nil where there is none.
func declaration(dir, symbol string) (path string, set *token.FileSet, fn *ast.FuncDecl) {
	name := explain.Local(symbol)
	if i := strings.IndexByte(name, '['); i >= 0 {
		name = name[:i]
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return "", nil, nil
	}
	for _, path := range files {
		set := token.NewFileSet()
		tree, err := parser.ParseFile(set, path, nil, parser.SkipObjectResolution|parser.ParseComments)
		if err != nil {
			continue
		}
		for _, d := range tree.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && functionName(fn) == name && fn.Body != nil {
				return path, set, fn
			}
		}
	}
	return "", nil, nil
}

// withoutCallSite is a variant in which the profile does not count where a
// function calls another; ok is false where it inlines nothing there. The
// compiler names such places by a hash of their position in the source, which is
// the same in another folder with -trimpath.
func (p *prover) withoutCallSite(ctx context.Context, cause explain.Cause, v int, base variant.Spec) (without variant.Spec, ok bool, err error) {
	one := p.sides.list[v]
	pkg := packageOf(cause.Function)
	bin, built := one.base(p.e.Pkg)
	if one.Profile(p.e.Pkg) == "" || !built || pkg == "" {
		return without, false, nil
	}
	path, first, last, found := declared(inPackage(bin.Dir, p.e.Pkg, pkg), cause.Function)
	if !found {
		return without, false, nil
	}
	if err := withoutCompilerFlags(base); err != nil {
		return without, false, err
	}
	text, err := one.Compiled(ctx, p.e.Pkg, "-m -d=pgohash=vy", []string{pkg}, "-trimpath")
	if err != nil {
		return without, false, err
	}
	hashes := hashesOf(text, filepath.Base(path), first, last, cause.Subject)
	if len(hashes) == 0 {
		return without, false, nil
	}
	pattern := "-x" + strings.Join(hashes, "-x") // all but these
	return withFlag(withFlag(base, "-trimpath"), "-gcflags="+pkg+"=-d=pgohash="+pattern), true, nil
}

// hashesOf reads what the compiler says with -m -d=pgohash=vy: the hashes of the
// places where it inlines calls of a function for the sake of a profile, within
// some lines of a file.
func hashesOf(text, file string, first, last int, callee string) (hashes []string) {
	inlinedCall := regexp.MustCompile(`^(.+\.go:\d+:\d+): inlining call to (\S+)$`)
	pgoSite := regexp.MustCompile(`^(.+\.go:\d+:\d+) \(inline\) \[bisect-match 0x([0-9a-f]+)\]$`)
	inlined := make(map[string]bool)
	hash := make(map[string]string)
	scanner := bufio.NewScanner(strings.NewReader(text))
	scanner.Buffer(nil, 1<<22)
	for scanner.Scan() {
		if m := pgoSite.FindStringSubmatch(scanner.Text()); m != nil {
			hash[m[1]] = m[2]
		}
		m := inlinedCall.FindStringSubmatch(scanner.Text())
		if m == nil || m[2] != explain.Local(callee) && m[2] != explain.Short(callee) {
			continue
		}
		at := strings.Split(m[1], ":")
		line, err := strconv.Atoi(at[len(at)-2])
		if err == nil && first <= line && line <= last && filepath.Base(at[0]) == file {
			inlined[m[1]] = true
		}
	}
	for at := range inlined {
		if h := hash[at]; h != "" && !slices.Contains(hashes, h) {
			hashes = append(hashes, h)
		}
	}
	slices.Sort(hashes)
	return hashes
}

// declared is the file in a folder in which a function is declared, and its
// lines.
func declared(dir, symbol string) (path string, first, last int, ok bool) {
	path, set, fn := declaration(dir, symbol)
	if fn == nil {
		return "", 0, 0, false
	}
	return path, set.Position(fn.Pos()).Line, set.Position(fn.End()).Line, true
}

// withoutCompilerFlags refuses variants with compiler flags of their own, which
// others would replace.
func withoutCompilerFlags(variants ...variant.Spec) error {
	for _, v := range variants {
		if slices.ContainsFunc(v.Flags, func(f string) bool { return strings.HasPrefix(strings.TrimLeft(f, "-"), "gcflags") }) {
			return errors.New("the variant has compiler flags of its own")
		}
	}
	return nil
}
