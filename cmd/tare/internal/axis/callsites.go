package axis

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/tarebench/tare/cmd/tare/internal/build"
	"github.com/tarebench/tare/cmd/tare/internal/result"
)

// CallSites are the decisions of profile-guided optimization in one module:
// calls that are inlined, or whose method becomes known, because of the
// profile. Each is a change that can be made by itself: the compiler takes a
// pattern of hashes (-d=pgohash), in the protocol of
// golang.org/x/tools/cmd/bisect.
type CallSites struct {
	// Old and New are the two ends: no decision, and all of them.
	Old, New result.Point

	base   string // the variant with the profile
	module string
	names  []string
	hashes []string
}

// matched is a line of the compiler: ./p.go:36:13 (inline) [bisect-match 0x4134d2dca8a1b83d]
var matched = regexp.MustCompile(`(?m)^(.+) \[bisect-match 0x([0-9a-f]{16})\]$`)

// ListCallSites compiles the tests of packages with the profile and lists the
// decisions that the compiler takes because of it in the packages of their
// module. The variant names the profile: .,flags=-pgo=cpu.pprof.
func ListCallSites(ctx context.Context, dir string, tags []string, v build.Spec, packages []string) (c *CallSites, err error) {
	if !slices.ContainsFunc(v.Flags, func(f string) bool { return strings.HasPrefix(strings.TrimLeft(f, "-"), "pgo=") }) {
		return nil, fmt.Errorf("bisect call sites: %s has no profile: name it, as in .,flags=-pgo=cpu.pprof", v.Label)
	}
	b := &build.Builder{Dir: dir}
	if len(tags) > 0 {
		b.Flags = []string{"-tags=" + strings.Join(tags, ",")}
	}
	defer func() { err = errors.Join(err, b.Close()) }()
	one, err := b.Open(ctx, v)
	if err != nil {
		return nil, fmt.Errorf("bisect call sites: %w", err)
	}
	listed, err := one.Packages(ctx, packages...)
	if err != nil {
		return nil, fmt.Errorf("bisect call sites: %w", err)
	}
	module, err := Run(ctx, one.Dir, "go", "list", "-m")
	if err != nil {
		return nil, fmt.Errorf("bisect call sites: %w", err)
	}
	c = &CallSites{base: v.Label, module: strings.TrimSpace(string(module))}
	for _, p := range listed {
		if !p.Benchmarks {
			continue
		}
		text, err := one.Compiled(ctx, p.Path, "-d=pgohash=vy", []string{c.module + "/..."})
		if err != nil {
			return nil, fmt.Errorf("bisect call sites: %w", err)
		}
		c.read(text)
	}
	if len(c.hashes) == 0 {
		return nil, fmt.Errorf("bisect call sites: the compiler takes no decision in module %s because of the profile: decisions elsewhere are not searched", c.module)
	}
	var ends [2]string
	for i, set := range [][]int{{}, c.all()} {
		ends[i], _ = c.Variant(ctx, "", set)
	}
	c.Old = result.Point{Variant: ends[0], Name: "no decision"}
	c.New = result.Point{Variant: ends[1], Name: "all decisions"}
	return c, nil
}

// read takes the decisions from what the compiler says. It compiles a package
// twice, for itself and for its tests.
func (c *CallSites) read(text string) {
	for _, m := range matched.FindAllStringSubmatch(text, -1) {
		if !slices.Contains(c.hashes, m[2]) {
			c.names, c.hashes = append(c.names, m[1]), append(c.hashes, m[2])
		}
	}
}

func (c *CallSites) all() []int {
	all := make([]int, len(c.hashes))
	for i := range all {
		all[i] = i
	}
	return all
}

// Names are the places in the source, with what is done there.
func (c *CallSites) Names() []string { return c.names }

// Variant is the code with the profile, with some of the decisions.
func (c *CallSites) Variant(_ context.Context, _ string, set []int) (string, error) {
	pattern := "qn"
	if len(set) > 0 {
		pattern = "q"
		for i, k := range set {
			if i > 0 {
				pattern += "+"
			}
			pattern += "x" + c.hashes[k]
		}
	}
	return c.base + ",flags=-gcflags=" + c.module + "/...=-d=pgohash=" + pattern, nil
}
