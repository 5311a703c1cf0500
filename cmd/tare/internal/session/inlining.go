package session

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/tarebench/tare/cmd/tare/internal/build"
	"github.com/tarebench/tare/cmd/tare/internal/explain"
	"github.com/tarebench/tare/cmd/tare/internal/result"
)

// withoutCallSite is a variant in which the profile does not count where a
// function calls another; ok is false where it inlines nothing there. The
// compiler names such places by a hash of their position in the source, which is
// the same in another folder with -trimpath.
func (p *prover) withoutCallSite(ctx context.Context, cause explain.Cause, v int, base build.Spec) (without build.Spec, ok bool, err error) {
	one := p.sides.list[v]
	pkg := packageOf(cause.Function)
	bin, built := one.base(p.e.Pkg)
	if one.Profile(p.e.Pkg) == "" || !built || pkg == "" {
		return without, false, nil
	}
	path, first, last, found := declared(inPackage(bin.Dir, p.e.Pkg, pkg), cause.Function, p.tags(base)...)
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
	pgoSite := regexp.MustCompile(`^(.+\.go:\d+:\d+) \(inline\) \[bisect-match 0x([0-9a-f]+)\]$`)
	hash := make(map[string]string)
	for line := range strings.Lines(text) {
		if m := pgoSite.FindStringSubmatch(strings.TrimSuffix(line, "\n")); m != nil {
			hash[m[1]] = m[2]
		}
	}
	for _, at := range inlinedCalls(text, file, first, last, callee) {
		if h := hash[at]; h != "" && !slices.Contains(hashes, h) {
			hashes = append(hashes, h)
		}
	}
	slices.Sort(hashes)
	return hashes
}

// inlinedCalls reads what the compiler says with -m: the places where it inlines
// calls of a function within some lines of a file.
func inlinedCalls(text, file string, first, last int, callee string) (places []string) {
	inlinedCall := regexp.MustCompile(`^(.+\.go:\d+:\d+): inlining call to (\S+)$`)
	for line := range strings.Lines(text) {
		m := inlinedCall.FindStringSubmatch(strings.TrimSuffix(line, "\n"))
		if m == nil || m[2] != explain.Local(callee) && m[2] != explain.Short(callee) {
			continue
		}
		at := strings.Split(m[1], ":")
		line, err := strconv.Atoi(at[len(at)-2])
		if err == nil && first <= line && line <= last && filepath.Base(at[0]) == file && !slices.Contains(places, m[1]) {
			places = append(places, m[1])
		}
	}
	return places
}

// withoutCompilerFlags refuses variants with compiler flags of their own, which
// others would replace.
func withoutCompilerFlags(variants ...build.Spec) error {
	for _, v := range variants {
		if slices.ContainsFunc(v.Flags, func(f string) bool { return strings.HasPrefix(strings.TrimLeft(f, "-"), "gcflags") }) {
			return errors.New("the variant has compiler flags of its own")
		}
	}
	return nil
}

// lessInlined says whether something that one compilation inlines, or could, is
// not inlined in another, by what the compiler says with -m.
func lessInlined(before, after string) bool {
	inlines := regexp.MustCompile(`: (can inline|inlining call to) `)
	said := make(map[string]bool)
	for line := range strings.Lines(after) {
		said[line] = true
	}
	for line := range strings.Lines(before) {
		if inlines.MatchString(line) && !said[line] {
			return true
		}
	}
	return false
}

// inlining takes away that a call is inlined in one variant and not in the other,
// in the caller alone.
func (p *prover) inlining(ctx context.Context, cause explain.Cause) (proof explain.Proof, ok bool, err error) {
	if explain.Standard(cause.Subject) || explain.Standard(cause.Function) {
		return proof, false, nil
	}
	lost := cause.New > cause.Old
	v, base := p.e.NewVariant, p.new
	if lost {
		v, base = 0, p.old
	}
	flip := explain.NotInlined
	without, ok, err := p.withoutCallSite(ctx, cause, v, base)
	switch {
	case err != nil:
		return proof, false, err
	case ok:
		flip = explain.NoCallSite
		base = withFlag(base, "-trimpath") // as in the other one
	case lost:
		if with, ok, err := p.inlinedAgain(ctx, cause); err == nil && ok {
			return p.between(ctx, cause, explain.Inlined, with, p.new, explain.ProveOnNew)
		}
	}
	if flip == explain.NotInlined {
		if lost && !explain.CallsAccount(cause, p.e.Change) {
			p.note("the calls of " + explain.Short(cause.Subject) + " take too little of the time to account for the change: they were not taken away")
			return proof, false, nil
		}
		if without, ok, err = p.notInlined(cause, v, base); err != nil || !ok {
			return proof, false, err
		}
	}
	if lost {
		return p.between(ctx, cause, flip, base, without, explain.ProveOnOld)
	}
	return p.between(ctx, cause, flip, without, base, explain.ProveOnNew)
}

// between measures what a flip of one variant changes, and judges it.
func (p *prover) between(ctx context.Context, cause explain.Cause, flip explain.Flip, from, to build.Spec, judge func(flip explain.Flip, part, whole result.Change) (explain.Proof, bool)) (proof explain.Proof, ok bool, err error) {
	rows, err := p.measure(ctx, from, to)
	if err != nil {
		return proof, false, err
	}
	if proof, ok = judge(flip, rows[1].Change, p.e.Change); !ok {
		p.noPart(cause)
	}
	return proof, ok, nil
}

// tags are the build tags of a variant.
func (p *prover) tags(v build.Spec) []string { return slices.Concat(p.spec.Tags, v.Tags) }

// notInlined is a variant in which the function of a cause calls a copy of the
// subject that is not inlined.
func (p *prover) notInlined(cause explain.Cause, v int, base build.Spec) (without build.Spec, ok bool, err error) {
	one := p.sides.list[v]
	bin, ok := one.base(p.e.Pkg)
	if !ok {
		return without, false, nil
	}
	dir := func(symbol string) string { return inPackage(bin.Dir, p.e.Pkg, packageOf(symbol)) }
	changed, ok := forbidInlining(dir(cause.Function), dir(cause.Subject), cause.Function, cause.Subject, p.tags(base)...)
	if !ok {
		return without, false, nil
	}
	with := make(files)
	for path, content := range changed {
		with[one.Home(path)] = content
	}
	without, err = p.replaced(base, with)
	return without, err == nil, err
}

// inlinedAgain is the new variant compiled with a profile of nothing but the
// calls of a cause, for whose sake the compiler inlines functions beyond its
// budget; ok is false where it does not.
func (p *prover) inlinedAgain(ctx context.Context, cause explain.Cause) (with build.Spec, ok bool, err error) {
	one := p.sides.list[p.e.NewVariant]
	pkg := packageOf(cause.Function)
	bin, built := one.base(p.e.Pkg)
	if one.Profile(p.e.Pkg) != "" || !built || pkg == "" {
		return with, false, nil
	}
	if err := withoutCompilerFlags(p.new); err != nil {
		return with, false, err
	}
	path, set, fn := declaration(inPackage(bin.Dir, p.e.Pkg, pkg), cause.Function, p.tags(p.new)...)
	if fn == nil {
		return with, false, nil
	}
	first := set.Position(fn.Pos()).Line
	var lines []int
	for _, place := range callPlaces(fn, cause.Subject, pkg == packageOf(cause.Subject)) {
		if line := set.Position(place.Pos()).Line - first; !slices.Contains(lines, line) {
			lines = append(lines, line)
		}
	}
	if len(lines) == 0 {
		return with, false, nil
	}
	// The go command keeps what it compiled by the name of the profile.
	sum := sha256.Sum256(fmt.Append(nil, cause.Function, cause.Subject, lines))
	profile := filepath.Join(p.scratch, fmt.Sprintf("calls-%x.pprof", sum[:8]))
	if err := explain.WriteHotCall(profile, cause.Function, cause.Subject, lines...); err != nil {
		return with, false, err
	}
	packages := []string{pkg}
	if other := packageOf(cause.Subject); other != pkg {
		packages = append(packages, other) // where it must be found fit for inlining
	}
	plain, err := one.Compiled(ctx, p.e.Pkg, "-m", packages)
	if err != nil {
		return with, false, err
	}
	for _, nothingElse := range []string{" -d=alignhot=0,pgodevirtualize=0", " -d=pgodevirtualize=0"} { // as the compiler knows them
		flags := "-pgoprofile=" + profile + nothingElse
		text, err := one.Compiled(ctx, p.e.Pkg, "-m "+flags, packages)
		if err != nil || len(inlinedCalls(text, filepath.Base(path), first, set.Position(fn.End()).Line, cause.Subject)) == 0 || lessInlined(plain, text) {
			continue
		}
		with = p.new
		for _, pkg := range packages {
			with = withFlag(with, "-gcflags="+pkg+"="+flags)
		}
		return with, true, nil
	}
	return with, false, nil
}
