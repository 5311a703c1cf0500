package session

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/tarebench/tare/cmd/tare/internal/file"
	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/study"
)

func (s *Session) selectPart() error {
	p := *s.spec.Part
	for _, v := range s.sides.variants {
		if v.Dirty || v.Revision == "" && v.Digest == "" {
			return fmt.Errorf("measure part %d: variant %s has changes or is not in git, so other machines cannot have it: commit the changes and name the commit", p.Number, v.Label)
		}
	}
	if s.spec.Seed == 0 {
		head := result.Study{Plan: s.spec.Plan, Variants: s.sides.variants}
		var err error
		if s.spec.Seed, err = study.Seed(head); err != nil {
			return fmt.Errorf("measure part %d: make seed: %w", p.Number, err)
		}
	}
	match, err := result.MatchFunctions(s.spec.Bench)
	if err != nil {
		return fmt.Errorf("measure part %d: -bench: %w", p.Number, err)
	}
	s.sides.functions = slices.DeleteFunc(s.sides.functions, func(f study.Function) bool { return f.Name != "" && !match(f.Name) })
	mine := study.Cut(s.sides.functions, p)
	s.sides.packages = slices.DeleteFunc(s.sides.packages, func(pkg string) bool {
		return !slices.ContainsFunc(mine, func(f study.Function) bool { return f.Pkg == pkg })
	})
	return nil
}

// addFunctions lists the benchmark functions of a package in order, or the
// package itself if they are not known.
func (v *sides) addFunctions(pkg string, names []string) {
	if len(names) == 0 {
		names = []string{""}
	}
	for _, name := range names {
		f := study.Function{Pkg: pkg, Name: name}
		if slices.Contains(v.functions, f) {
			continue
		}
		// After the others of its package, which came with another variant.
		at := len(v.functions)
		if i := slices.IndexFunc(v.functions, func(o study.Function) bool { return o.Pkg == pkg }); i >= 0 {
			for at = i; at < len(v.functions) && v.functions[at].Pkg == pkg; {
				at++
			}
		}
		v.functions = slices.Insert(v.functions, at, f)
	}
}

// MergeParts merges the recordings of parts in a new directory next to the
// go.mod of dir, and returns the directory. A path is a recording, or the
// directory of a study. The result is "" if no path is a part.
func MergeParts(dir string, paths, command []string) (string, error) {
	files := make([]string, len(paths))
	for i, path := range paths {
		files[i] = recordingOf(path)
	}
	if !slices.ContainsFunc(files, isPart) {
		return "", nil
	}
	var parts []study.Recorded
	for i, path := range paths {
		f, err := file.Named(files[i])
		if err != nil {
			return "", fmt.Errorf("merge parts: %w", err)
		}
		rec, err := result.Read(f)
		f.Close()
		if err != nil {
			return "", fmt.Errorf("merge parts: %s: %w", path, err)
		}
		parts = append(parts, study.Recorded{Name: path, Recording: rec})
	}
	lines, err := study.Merge(parts, command)
	if err != nil {
		return "", err
	}
	to, err := newFolder(dir, "compare", time.Now())
	if err != nil {
		return "", err
	}
	for _, l := range lines {
		if err := to.Write(l); err != nil {
			return "", errors.Join(fmt.Errorf("merge parts: %w", err), to.close())
		}
	}
	return to.path, errors.Join(to.close(), writeTexts(to.path, result.NewRecording(lines)))
}

func isPart(path string) bool {
	head, ok := headOf(file.Named(path))
	return ok && head.Part != nil
}
