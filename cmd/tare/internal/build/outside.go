package build

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/mod/modfile"

	"github.com/tarebench/tare/cmd/tare/internal/catalog"
	"github.com/tarebench/tare/cmd/tare/internal/file"
	"github.com/tarebench/tare/internal/finding"
)

// reachOutside lets a worktree find paths that the user's checkout finds
// outside git. These are the go.work above or next to it, and directories
// outside the repository in replace and use directives. Under the mirror the
// same relative paths lead to symbolic links to the user's directories. The
// go.mod of the revision stays unchanged, so this also works with vendoring,
// workspaces and a -modfile of the user.
func (b *Builder) reachOutside(ctx context.Context, spec Spec, s *source) error {
	userWork, err := b.userWorkspace(ctx)
	if err != nil {
		return fail(spec, "find go.work", err.Error(), err, "")
	}
	if err := s.placeWorkspace(userWork); err != nil {
		return fail(spec, "place go.work", "", err, "")
	}
	var mods []string
	if s.gowork != "off" {
		data, err := file.ReadNamed(s.gowork)
		if err != nil {
			return fail(spec, "read go.work", "", err, "")
		}
		work, err := modfile.ParseWork(s.gowork, data, nil)
		if err != nil {
			return fail(spec, "read go.work", "", err, "")
		}
		folder := filepath.Dir(s.gowork)
		for _, use := range work.Use {
			if dir := s.reach(folder, use.Path, "use"); dir != "" {
				mods = append(mods, dir)
			}
		}
		for _, replace := range work.Replace {
			if replace.New.Version == "" {
				s.reach(folder, replace.New.Path, "replace")
			}
		}
	} else if mod := above(s.dir, s.root, "go.mod"); mod != "" {
		mods = append(mods, filepath.Dir(mod))
	}
	for _, dir := range mods {
		name := filepath.Join(dir, "go.mod")
		data, err := file.ReadNamed(name)
		if err != nil {
			continue // the go command reports it better
		}
		// ParseLax ignores replace. The go command reports a file that does not
		// parse.
		mod, err := modfile.Parse(name, data, nil)
		if err != nil {
			continue
		}
		for _, replace := range mod.Replace {
			if replace.New.Version == "" {
				s.reach(dir, replace.New.Path, "replace")
			}
		}
	}
	return nil
}

// reach makes the directory of a directive in dir reachable from the
// worktree, and returns it. It returns "" if the user's checkout does not
// have it either.
func (s *source) reach(dir, path, directive string) string {
	target := filepath.FromSlash(path)
	if filepath.IsAbs(target) {
		if within(realPath(target), s.userRoot) && s.mirror != "" {
			s.findings = append(s.findings, catalog.AbsoluteReplace.Of(path, finding.Text("directive", directive), finding.Text("revision", fmt.Sprintf("%.12s", s.commit))))
		}
		return target
	}
	target = filepath.Join(dir, target)
	if exists(target) {
		return target
	}
	// A relative path may climb higher than the mirror. Above the root of the
	// file system there is only the root.
	original := s.home(target)
	if !within(target, s.mirror) || !exists(original) {
		return ""
	}
	if err := s.link(original, target); err != nil {
		s.findings = append(s.findings, catalog.UnreachableReplace.Of(path, finding.Text("folder", original), finding.Text("why", err.Error())))
		return ""
	}
	why := "is outside the repository"
	if within(original, s.userRoot) {
		why = "is not tracked by git"
	}
	s.findings = append(s.findings, catalog.OutsideReplace.Of(path, finding.Text("folder", original), finding.Text("why", why), finding.Text("revision", fmt.Sprintf("%.12s", s.commit))))
	return target
}

// userWorkspace returns the go.work that the user's own go commands use: a
// path, "off", or "" for none.
func (b *Builder) userWorkspace(ctx context.Context) (string, error) {
	if b.userWork != nil {
		return *b.userWork, nil
	}
	env, err := b.goEnv(ctx, b.dir, setenv(os.Environ(), "PWD="+b.dir), "GOWORK")
	if err == nil {
		b.userWork = new(env["GOWORK"])
	}
	return env["GOWORK"], err
}

// placeWorkspace chooses the go.work of the worktree and puts it there. The
// revision's own wins. A go.work that git does not track is copied from the
// user's checkout, without modules that the revision does not have.
func (s *source) placeWorkspace(userWork string) error {
	s.gowork = "off"
	switch {
	case userWork == "off":
		return nil
	case userWork == "":
		if work := above(s.dir, s.root, "go.work"); work != "" {
			s.gowork = work
		}
		return nil
	}
	at := s.mirrored(userWork)
	s.gowork = at
	if exists(at) {
		return nil
	}
	data, err := file.ReadNamed(userWork)
	if err != nil {
		return err
	}
	work, err := modfile.ParseWork(userWork, data, nil)
	if err != nil {
		return err
	}
	folder := filepath.Dir(userWork)
	for _, use := range work.Use {
		path := filepath.FromSlash(use.Path)
		if filepath.IsAbs(path) {
			path = realPath(path) // as userRoot is
		} else {
			path = filepath.Join(folder, path)
		}
		switch {
		case within(path, s.userRoot) && !exists(filepath.Join(s.place(path), "go.mod")):
			err = work.DropUse(use.Path)
		case within(path, s.userRoot) && filepath.IsAbs(filepath.FromSlash(use.Path)):
			err = errors.Join(work.DropUse(use.Path), work.AddUse(filepath.ToSlash(s.place(path)), ""))
		}
		if err != nil {
			return err
		}
	}
	work.Cleanup()
	if err := s.writeFile(at, modfile.Format(work.Syntax)); err != nil {
		return err
	}
	if sums, err := file.ReadNamed(userWork + ".sum"); err == nil {
		if err := s.writeFile(at+".sum", sums); err != nil {
			return err
		}
	}
	s.findings = append(s.findings, catalog.Workspace.Of(userWork, finding.Text("revision", fmt.Sprintf("%.12s", s.commit))))
	return nil
}

func above(dir, root, name string) string {
	for ; within(dir, root); dir = filepath.Dir(dir) {
		if file := filepath.Join(dir, name); exists(file) {
			return file
		}
		if dir == filepath.Dir(dir) {
			break
		}
	}
	return ""
}
