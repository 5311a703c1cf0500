package build

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tarebench/tare/cmd/tare/internal/overlay"
)

type overlaid struct {
	// key is the content of the rewrite. Without a rewrite, key is empty and
	// whyNot is the reason.
	key, whyNot string
	// replace is the whole overlay, including the user's own replacements.
	replace map[string]string
}

// folder is the variant's part of the run's temporary directory. Numbers have
// one width, so that paths in a worker have the same length in all variants.
func (v *Variant) folder() string {
	return filepath.Join(v.builder.run.dir, fmt.Sprintf("v%02d", v.number))
}

func (v *Variant) prepare(ctx context.Context) error {
	b := v.builder
	if err := os.MkdirAll(v.folder(), 0o700); err != nil {
		return fail(v.Spec, "make directory", "", err, "")
	}
	v.flags = mergeFlags(v.toolchain.env["GOFLAGS"], b.Flags, v.Spec)
	if v.flags.exec != "" {
		return fail(v.Spec, "read GOFLAGS", "", fmt.Errorf("GOFLAGS has -exec=%s, but tare starts test binaries itself", v.flags.exec), "unset it: choose CPUs with taskset, and another machine with -on")
	}
	// A user's -modfile is relative to go's directory. In the worktree it is the
	// same file of the revision, or else the user's file.
	if file := v.flags.modfile; file != "" {
		v.flags.modfile = v.file(file)
	}
	if err := v.makeOverlay(); err != nil {
		return err
	}
	if len(v.Spec.Mods) > 0 {
		return v.replaceModules(ctx)
	}
	return nil
}

// file resolves a path that the user gave in a flag. It is the variant's file
// if the revision has it, or else the user's file.
func (v *Variant) file(path string) string {
	path = absolute(v.builder.dir, path)
	if placed := v.source.place(path); exists(placed) {
		return placed
	}
	return path
}

// makeOverlay generates the rewrite of package testing, merges the user's own
// overlay into it, and writes the file for go's -overlay.
func (v *Variant) makeOverlay() error {
	b := v.builder
	v.overlay.replace = make(map[string]string)
	if v.flags.overlay != "" {
		user, err := readOverlay(v.flags.overlay, b.dir, v.source.place)
		if err != nil {
			return fail(v.Spec, "read overlay", "", err, "")
		}
		maps.Copy(v.overlay.replace, user)
	}
	switch {
	case b.Plain:
		v.overlay.whyNot = "the user disabled the rewrite of package testing"
	case v.toolchain.whyPlain != "":
		v.overlay.whyNot = v.toolchain.whyPlain
	case v.goenv("GOOS") == "windows":
		v.overlay.whyNot = "workers need inherited descriptors, which Windows does not have"
	default:
		if err := v.rewriteTesting(); err != nil {
			return err
		}
	}
	return v.writeOverlay()
}

func (v *Variant) writeOverlay() error {
	if len(v.overlay.replace) == 0 {
		return nil
	}
	data, err := json.MarshalIndent(overlayFile{v.overlay.replace}, "", "\t")
	if err != nil {
		return fail(v.Spec, "write overlay", "", err, "")
	}
	v.flags.overlay = filepath.Join(v.folder(), "overlay.json")
	if err := os.WriteFile(v.flags.overlay, data, 0o600); err != nil {
		return fail(v.Spec, "write overlay", "", err, "")
	}
	return nil
}

func (v *Variant) rewriteTesting() error {
	dir := filepath.Join(v.folder(), "testing")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fail(v.Spec, "write overlay", "", err, "")
	}
	made, err := v.builder.Generate(v.toolchain.goroot, dir)
	var shape *overlay.ShapeError
	switch {
	case errors.As(err, &shape):
		v.overlay.whyNot = shape.Error()
		return nil
	case err != nil:
		return fail(v.Spec, "rewrite package testing", "", err, "")
	}
	for _, file := range slices.Sorted(maps.Keys(made.Replace)) {
		if _, taken := v.overlay.replace[file]; taken {
			v.overlay.whyNot = "your own -overlay replaces " + file
			return nil
		}
	}
	maps.Copy(v.overlay.replace, made.Replace)
	v.overlay.key = made.Key
	return nil
}

func (v *Variant) replaceModules(ctx context.Context) error {
	b := v.builder
	if work := v.goenv("GOWORK"); work != "" && work != "off" {
		return fail(v.Spec, "work in mod=", "", fmt.Errorf("%s is a workspace, which chooses its own versions", work), "build outside it: add env=GOWORK=off to both variants")
	}
	original := cmp.Or(v.flags.modfile, v.goenv("GOMOD"))
	if original == "" || original == os.DevNull {
		return fail(v.Spec, "work in mod=", "", errors.New("no go.mod here"), "")
	}
	copied := filepath.Join(v.folder(), "go.mod")
	if err := copyFile(original, copied); err != nil {
		return fail(v.Spec, "work in mod=", "", err, "")
	}
	sums := strings.TrimSuffix(original, ".mod") + ".sum"
	if err := copyFile(sums, filepath.Join(v.folder(), "go.sum")); ignoreMissing(err) != nil {
		return fail(v.Spec, "work in mod=", "", err, "")
	}
	v.flags.useModfile(copied)
	b.progress("get %s", strings.Join(v.Spec.Mods, " "))
	args := append([]string{"get", "-modfile=" + copied}, v.Spec.Mods...)
	if stdout, stderr, err := v.goCommand(ctx, []string{"GOFLAGS=" + withoutMod(v.goenv("GOFLAGS"))}, args...); err != nil {
		return fail(v.Spec, "work in mod=", printed(stdout, stderr, err), err, "")
	}
	return nil
}

// useModfile builds with another go.mod. go get fails with -mod=vendor or
// readonly, and the vendor directory has the old versions.
func (f *flagSet) useModfile(file string) {
	f.modfile = file
	f.plain = slices.DeleteFunc(f.plain, func(flag string) bool { name, _ := flagName(flag); return name == "mod" })
	f.plain = append(f.plain, "-mod=mod")
}

// withoutMod removes -mod and -modfile from GOFLAGS, since go get would fail
// with them.
func withoutMod(goflags string) string {
	var kept []string
	for _, flag := range splitQuoted(goflags) {
		if name, _ := flagName(flag); name == "mod" || name == "modfile" {
			continue
		}
		if strings.ContainsAny(flag, " \t") {
			flag = "'" + flag + "'"
		}
		kept = append(kept, flag)
	}
	return strings.Join(kept, " ")
}

func (v *Variant) goCommand(ctx context.Context, extra []string, args ...string) (stdout, stderr []byte, err error) {
	return v.builder.Exec(ctx, Command{Dir: v.Dir, Env: setenv(v.env, extra...), Args: append([]string{v.toolchain.command()}, args...)})
}

func (v *Variant) goenv(name string) string { return v.toolchain.env[name] }
