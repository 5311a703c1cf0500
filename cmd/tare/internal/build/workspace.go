package build

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/mod/modfile"
)

// replaceInWorkspace applies mod=path@version to a copy of go.work. A workspace
// takes no -modfile, but its replace directives override those in the go.mod
// files of its modules.
func (v *Variant) replaceInWorkspace(ctx context.Context, file string) error {
	const step = "work in mod="
	data, err := os.ReadFile(file)
	if err != nil {
		return fail(v.Spec, step, "", err, "")
	}
	work, err := modfile.ParseWork(file, data, nil)
	if err != nil {
		return fail(v.Spec, step, "", err, "")
	}
	absolute := func(path string) string {
		path = filepath.FromSlash(path)
		if !filepath.IsAbs(path) {
			path = filepath.Join(filepath.Dir(file), path)
		}
		return filepath.ToSlash(path)
	}
	var uses []*modfile.Use
	for _, use := range work.Use {
		uses = append(uses, &modfile.Use{Path: absolute(use.Path), ModulePath: use.ModulePath})
	}
	work.SetUse(uses)
	for _, replace := range work.Replace {
		if replace.New.Version == "" {
			if err := work.AddReplace(replace.Old.Path, replace.Old.Version, absolute(replace.New.Path), ""); err != nil {
				return fail(v.Spec, step, "", err, "")
			}
		}
	}
	for _, mod := range v.Spec.Mods {
		path, version, _ := strings.Cut(mod, "@")
		// A query such as latest becomes a version here.
		stdout, stderr, err := v.goCommand(ctx, []string{"GOWORK=off", "GOFLAGS="}, "list", "-mod=mod", "-m", "-f", "{{.Version}}", path+"@"+version)
		if err != nil {
			return fail(v.Spec, step, printed(stdout, stderr, err), err, "")
		}
		if err := work.AddReplace(path, "", path, strings.TrimSpace(string(stdout))); err != nil {
			return fail(v.Spec, step, "", err, "")
		}
	}
	work.Cleanup()
	copied := filepath.Join(v.folder(), "go.work")
	if err := os.WriteFile(copied, modfile.Format(work.Syntax), 0o600); err != nil {
		return fail(v.Spec, step, "", err, "")
	}
	if err := copyFile(file+".sum", copied+".sum"); ignoreMissing(err) != nil {
		return fail(v.Spec, step, "", err, "")
	}
	v.env = setenv(v.env, "GOWORK="+copied)
	v.toolchain.env["GOWORK"] = copied
	return nil
}
