package explain

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/tarebench/tare/cmd/tare/internal/build"
	"github.com/tarebench/tare/cmd/tare/internal/words"
)

// takeFilesBack restores the changed files of causes from the first variant, one
// at a time.
func (p *prover) takeFilesBack(ctx context.Context) error {
	old, new := p.Variant(0, p.e.Pkg), p.Variant(p.e.NewVariant, p.e.Pkg)
	if old.Root() == "" || new.Root() == "" {
		return nil
	}
	sameTests := p.SameTests(p.e.Pkg, p.e.NewVariant)
	var tried []string
	for _, cause := range p.e.Causes {
		rel, err := filepath.Rel(new.Root(), cause.File)
		if err != nil || strings.HasPrefix(rel, "..") || slices.Contains(tried, rel) || len(tried) == mostFiles || sameTests && strings.HasSuffix(rel, "_test.go") {
			continue
		}
		before, err := os.ReadFile(filepath.Join(old.Root(), rel))
		after, errNew := os.ReadFile(cause.File)
		if err != nil || errNew != nil || string(before) == string(after) {
			continue
		}
		tried = append(tried, rel)
		without, err := p.replaced(p.new, files{new.Home(cause.File): before})
		if err != nil {
			return err
		}
		rows, err := p.measure(ctx, without, p.new)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err != nil {
			p.note(fmt.Sprintf("%s could not be restored alone: %s", rel, whyNotAlone(err)))
			continue
		}
		if proof, ok := proveOnNew(OldFile, rows[1].Change, p.e.Change); ok {
			proof.File = rel
			p.e.Files = append(p.e.Files, proof)
		}
	}
	return nil
}

// whyNotAlone is the first line of an error that names the problem. It drops
// the place of a compiler's error, which may be in a temporary file.
func whyNotAlone(err error) string {
	var build *build.BuildError
	if !errors.As(err, &build) || build.Step != "compile" {
		return words.FirstLine(err.Error())
	}
	for line := range strings.Lines(build.Output) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if at := compilerPlace.FindStringIndex(line); at != nil {
			line = line[at[1]:]
		}
		return "it does not compile with the other changes: " + line
	}
	return words.FirstLine(err.Error())
}

// compilerPlace is the place of a compiler's error: file, line and column.
var compilerPlace = regexp.MustCompile(`^\S+\.go:\d+(:\d+)?: `)

// files contains contents by name, in the user's checkout.
type files map[string][]byte

// replaced is a variant with another content of some files.
func (p *prover) replaced(v build.Spec, with files) (build.Spec, error) {
	for _, flag := range v.Flags {
		if strings.HasPrefix(strings.TrimLeft(flag, "-"), "overlay") {
			return v, errors.New("the variant has its own overlay")
		}
	}
	folder, err := os.MkdirTemp(p.Scratch(), "flip-") // each variant needs its name
	if err != nil {
		return v, fmt.Errorf("prove cause: %w", err)
	}
	replace := make(map[string]string)
	for path, content := range with {
		name := filepath.Join(folder, fmt.Sprintf("%d-%s", len(replace), filepath.Base(path)))
		if err := os.WriteFile(name, content, 0o666); err != nil {
			return v, fmt.Errorf("prove cause: %w", err)
		}
		replace[path] = name
	}
	data, err := json.Marshal(map[string]map[string]string{"Replace": replace})
	if err != nil {
		return v, err
	}
	overlay := filepath.Join(folder, "overlay.json")
	if err := os.WriteFile(overlay, data, 0o666); err != nil {
		return v, fmt.Errorf("prove cause: %w", err)
	}
	return withFlag(v, "-overlay="+overlay), nil
}
