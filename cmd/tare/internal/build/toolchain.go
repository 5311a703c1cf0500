package build

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/tarebench/tare/cmd/tare/internal/catalog"
	"github.com/tarebench/tare/internal/finding"
)

type toolchain struct {
	// goroot is the path that builds use. If the real path is under GOMODCACHE,
	// in which cmd/go allows no overlay, it is a symbolic link.
	goroot  string
	version string
	// env is the output of go env for the variant.
	env map[string]string
	// whyPlain is the reason why the overlay cannot replace package testing.
	whyPlain string
}

func (t *toolchain) command() string {
	name := "go"
	if t.env["GOHOSTOS"] == "windows" {
		name = "go.exe"
	}
	return filepath.Join(t.goroot, "bin", name)
}

// toolchain finds the toolchain that go uses in the variant's directory, or the
// version of go=. Two variants may get different toolchains only because their
// go.mod files differ.
func (b *Builder) toolchain(ctx context.Context, v *Variant) (*toolchain, error) {
	// The go command runs git in the checkout, and git status would refresh the
	// user's index.
	env := setenv(os.Environ(), "PWD="+v.Dir, "GIT_OPTIONAL_LOCKS=0")
	if v.source.gowork != "" {
		env = setenv(env, "GOWORK="+v.source.gowork)
	}
	names := usedEnv
	if len(v.Spec.Env) > 0 {
		names = nil
	}
	known, err := b.goEnv(ctx, v.Dir, env, names...)
	if err != nil {
		return nil, fail(v.Spec, "run go env", err.Error(), err, "")
	}
	effective := known
	// Only variables of the go command in env= affect the build. GOMAXPROCS or
	// GODEBUG are for the run.
	for _, pair := range Environment(v.Spec.Env) {
		name, _, _ := strings.Cut(pair, "=")
		if _, ok := known[name]; ok && name != "GODEBUG" {
			env, effective = setenv(env, pair), nil
		}
	}
	if v.Spec.Go != "" {
		version, err := b.exactVersion(ctx, v.Spec.Go, known)
		if err != nil {
			return nil, fail(v.Spec, "find toolchain", err.Error(), err, "list versions with go list -m -versions go")
		}
		env, effective = setenv(env, "GOTOOLCHAIN="+version), nil
		b.progress("find toolchain %s", version)
	}
	if effective == nil {
		if effective, err = b.goEnv(ctx, v.Dir, env, usedEnv...); err != nil {
			hint := ""
			if v.Spec.Go != "" {
				hint = "go= needs the module proxy to download a toolchain: list versions with go list -m -versions go"
			}
			return nil, fail(v.Spec, "find toolchain", err.Error(), err, hint)
		}
	}
	t := &toolchain{goroot: effective["GOROOT"], version: effective["GOVERSION"], env: effective}
	if within(realPath(t.goroot), realPath(effective["GOMODCACHE"])) {
		if link, err := b.linkGoroot(t.goroot); err != nil {
			t.whyPlain = fmt.Sprintf("the toolchain is in the module cache, and no symbolic link can lead there: %v", err)
		} else {
			t.goroot = link
		}
	}
	if effective["GOMODCACHE"] == "" { // without HOME, every overlay would seem to be in it
		env = setenv(env, "GOMODCACHE="+filepath.Join(b.Cache, "mod"))
	}
	// From here on use only this toolchain, whatever go.mod selects.
	v.env = setenv(env, "GOROOT="+t.goroot, "GOTOOLCHAIN=local")
	t.env["GOROOT"] = t.goroot
	if old := layoutsSince(t.version); old != "" {
		v.Findings = append(v.Findings, catalog.NoFuncOrders.Of(v.Spec.Label, finding.Text("why", old)))
	}
	return t, nil
}

func realPath(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return path
}

// usedEnv are the variables of go env that a build needs. Without a list, go
// env also runs the C compiler, for its flags.
var usedEnv = []string{"GOARCH", "GOEXE", "GOFLAGS", "GOHOSTARCH", "GOHOSTOS", "GOMOD", "GOMODCACHE", "GOOS", "GOROOT", "GOTOOLDIR", "GOVERSION", "GOWORK"}

func (b *Builder) goEnv(ctx context.Context, dir string, env []string, names ...string) (map[string]string, error) {
	stdout, stderr, err := b.Exec(ctx, Command{Dir: dir, Env: env, Args: append([]string{"go", "env", "-json"}, names...)})
	if err != nil {
		return nil, errors.New(printed(stdout, stderr, err))
	}
	values := make(map[string]string)
	if err := json.Unmarshal(stdout, &values); err != nil {
		return nil, fmt.Errorf("read go env: %w", err)
	}
	return values, nil
}

// linkGoroot makes the symbolic link through which an overlay reaches a
// toolchain in the module cache. It stays in tare's cache, since binaries name
// it as their GOROOT, and go's build cache then finds them again.
func (b *Builder) linkGoroot(goroot string) (string, error) {
	_, version, _ := strings.Cut(filepath.Base(goroot), "-")
	link := filepath.Join(b.Cache, "goroot", version+"-"+digestOf([]byte(goroot))[:8])
	if to, err := os.Readlink(link); err == nil && to == goroot {
		return link, nil
	}
	if err := os.MkdirAll(filepath.Dir(link), 0o700); err != nil {
		return "", err
	}
	fresh := fmt.Sprintf("%s.%d", link, os.Getpid())
	if err := os.Symlink(goroot, fresh); err != nil {
		return "", err
	}
	return link, os.Rename(fresh, link)
}

// exactVersion completes 1.26 to a release, one on this machine or else the
// newest of the module proxy.
func (b *Builder) exactVersion(ctx context.Context, wanted string, env map[string]string) (string, error) {
	if strings.Count(wanted, ".") > 1 || strings.ContainsAny(wanted, "rb") || minorOf("go"+wanted) < 21 {
		return "go" + wanted, nil
	}
	var here []string
	if local, err := b.goEnv(ctx, b.dir, setenv(os.Environ(), "GOTOOLCHAIN=local", "PWD="+b.dir), "GOVERSION"); err == nil {
		here = append(here, local["GOVERSION"])
	}
	suffix := "." + env["GOHOSTOS"] + "-" + env["GOHOSTARCH"]
	downloaded, _ := filepath.Glob(filepath.Join(env["GOMODCACHE"], "golang.org", "toolchain@v0.0.1-go"+wanted+".*"+suffix))
	for _, dir := range downloaded {
		_, version, _ := strings.Cut(strings.TrimSuffix(filepath.Base(dir), suffix), "v0.0.1-")
		here = append(here, version)
	}
	here = slices.DeleteFunc(here, func(version string) bool {
		return !strings.HasPrefix(version, "go"+wanted+".") || strings.ContainsAny(version, " -")
	})
	if len(here) > 0 {
		return slices.MaxFunc(here, func(a, b string) int { return patchOf(a) - patchOf(b) }), nil
	}
	stdout, stderr, err := b.Exec(ctx, Command{Dir: b.run.dir, Env: setenv(os.Environ(), "GOWORK=off", "GOFLAGS=", "PWD="+b.run.dir), Args: []string{"go", "list", "-m", "-f", "{{.Version}}", "go@" + wanted}})
	if err != nil {
		return "", errors.New(printed(stdout, stderr, err))
	}
	return "go" + strings.TrimSpace(string(stdout)), nil
}

// minorOf returns 26 for go1.26.3. A development version counts as newest.
func minorOf(version string) int { return numberAt(version, 1) }

func patchOf(version string) int { return numberAt(version, 2) }

func numberAt(version string, index int) int {
	parts := strings.Split(strings.TrimPrefix(version, "go"), ".")
	if index >= len(parts) {
		return 0
	}
	digits := parts[index]
	if end := strings.IndexFunc(digits, func(r rune) bool { return r < '0' || r > '9' }); end >= 0 {
		digits = digits[:end]
	}
	n, _ := strconv.Atoi(digits)
	return n
}

// layoutsSince returns the reason why a toolchain cannot link in another order,
// or "" if it can. The linker has -randlayout since Go 1.22.
func layoutsSince(version string) string {
	if strings.HasPrefix(version, "go1.") && minorOf(version) < 22 {
		return version + " always links in one order"
	}
	return ""
}

// runsHere builds and runs an empty program if a variant is for another system or
// architecture than tare. Its benchmarks need minutes to build before the first
// of them could fail.
func (b *Builder) runsHere(ctx context.Context, v *Variant) error {
	t := v.toolchain
	system, arch := t.env["GOOS"], t.env["GOARCH"]
	if system == runtime.GOOS && arch == runtime.GOARCH {
		return nil
	}
	dir, err := os.MkdirTemp(b.run.dir, "empty-")
	if err != nil {
		return fail(v.Spec, "make directory", err.Error(), err, "")
	}
	defer os.RemoveAll(dir)
	if err := os.WriteFile(filepath.Join(dir, "main.go"), []byte("package main\n\nfunc main() {}\n"), 0o600); err != nil {
		return fail(v.Spec, "write program", err.Error(), err, "")
	}
	b.progress("run an empty program of %s/%s", system, arch)
	file := filepath.Join(dir, "main"+t.env["GOEXE"])
	env := setenv(v.env, "GOFLAGS=", "GOWORK=off", "PWD="+dir)
	for _, args := range [][]string{{t.command(), "build", "-o", file, "main.go"}, {file}} {
		if stdout, stderr, err := b.Exec(ctx, Command{Dir: dir, Env: env, Args: args}); err != nil {
			return fail(v.Spec, "run an empty program of "+system+"/"+arch, printed(stdout, stderr, err), err,
				"unset GOOS and GOARCH, or install an emulator (Debian: qemu-user-static, binfmt-support)")
		}
	}
	return nil
}
