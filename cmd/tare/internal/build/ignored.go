package build

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/tarebench/tare/cmd/tare/internal/catalog"
	"github.com/tarebench/tare/cmd/tare/internal/file"
	"github.com/tarebench/tare/internal/finding"
)

// mostIgnored is how many bytes of an ignored directory are copied. A benchmark
// may write to a copy; it reads a larger directory at its place in the checkout.
const mostIgnored = 256 << 20

// bringIgnored copies what git ignores and go test needs into a worktree: test
// data, and results of a build that a //go:embed names. go test works in the
// user's checkout because they are there, and no revision has them.
func (b *Builder) bringIgnored(ctx context.Context, s *source) error {
	list, said, err := b.git(ctx, s.userRoot, nil, "ls-files", "--others", "--ignored", "--exclude-standard", "--directory", "-z")
	if err != nil {
		return fmt.Errorf("list ignored files: %w: %s", err, said)
	}
	if list == "" {
		return nil
	}
	var embeds [][]string
	brought := ""
	for name := range strings.SplitSeq(strings.TrimSuffix(list, "\x00"), "\x00") {
		name = strings.TrimSuffix(name, "/")
		parts := strings.Split(name, "/")
		if brought != "" && strings.HasPrefix(name, brought+"/") {
			continue
		}
		if !slices.Contains(parts, "testdata") {
			if embeds == nil {
				if embeds, err = b.embeds(ctx, s); err != nil {
					return err
				}
			}
			if !slices.ContainsFunc(embeds, func(pattern []string) bool { return overlaps(pattern, parts) }) {
				continue
			}
		}
		from := filepath.Join(s.userRoot, filepath.FromSlash(name))
		brought = name
		if err := s.bring(ctx, from); err != nil {
			if ctx.Err() != nil {
				return err
			}
			s.findings = append(s.findings, catalog.UnreachableReplace.Of(name, finding.Text("folder", from), finding.Text("why", err.Error())))
			continue
		}
		s.findings = append(s.findings, catalog.OutsideReplace.Of(name, finding.Text("folder", from), finding.Text("why", "is ignored by git"), finding.Text("revision", fmt.Sprintf("%.12s", s.commit))))
	}
	return nil
}

// embeds are the patterns of //go:embed in a commit, as elements of paths below the
// root of the repository.
func (b *Builder) embeds(ctx context.Context, s *source) ([][]string, error) {
	patterns := [][]string{}
	found, said, err := b.git(ctx, s.userRoot, nil, "grep", "-z", "-I", "-E", "^//go:embed ", s.commit, "--", "*.go")
	if none := (*exec.ExitError)(nil); err != nil && !(errors.As(err, &none) && none.ExitCode() == 1) {
		return nil, fmt.Errorf("find //go:embed: %w: %s", err, said)
	}
	for line := range strings.SplitSeq(found, "\n") {
		file, text, ok := strings.Cut(strings.TrimPrefix(line, s.commit+":"), "\x00")
		if !ok {
			continue
		}
		for _, pattern := range strings.Fields(text)[1:] {
			if unquoted, err := strconv.Unquote(pattern); err == nil {
				pattern = unquoted
			}
			patterns = append(patterns, strings.Split(path.Join(path.Dir(file), strings.TrimPrefix(pattern, "all:")), "/"))
		}
	}
	return patterns, nil
}

// overlaps reports whether a path, or something below it, matches a pattern or is
// below its match.
func overlaps(pattern, parts []string) bool {
	for i := range min(len(pattern), len(parts)) {
		if ok, err := path.Match(pattern[i], parts[i]); !ok || err != nil {
			return false
		}
	}
	return true
}

// bring copies a file or directory of the checkout to its place in the mirror, where
// the revision has none of its files. A link there leads to what it leads to in the
// checkout.
func (s *source) bring(ctx context.Context, from string) error {
	size := int64(0)
	err := filepath.WalkDir(from, func(_ string, entry fs.DirEntry, err error) error {
		if err == nil && entry.Type().IsRegular() {
			if info, err := entry.Info(); err == nil {
				size += info.Size()
			}
		}
		if size > mostIgnored {
			return filepath.SkipAll
		}
		return ctx.Err()
	})
	if err != nil {
		return err
	}
	if size > mostIgnored && !exists(s.place(from)) {
		return s.link(from, s.place(from))
	}
	mirror, to, err := s.write(s.place(from))
	if err != nil {
		return err
	}
	defer mirror.Close()
	return filepath.WalkDir(from, func(name string, entry fs.DirEntry, err error) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err != nil {
			return nil // it is not readable for go test either
		}
		target := to + strings.TrimPrefix(name, from)
		_, there := mirror.Lstat(target)
		switch {
		case there == nil:
			return nil
		case entry.IsDir():
			return mirror.Mkdir(target, 0o700)
		case entry.Type()&fs.ModeSymlink != 0:
			if leads, err := filepath.EvalSymlinks(name); err == nil {
				return mirror.Symlink(leads, target)
			}
		case entry.Type().IsRegular():
			return copyInto(mirror, name, target)
		}
		return nil
	})
}

func copyInto(mirror *os.Root, from, to string) error {
	in, err := file.Named(from)
	if err != nil {
		return err
	}
	defer in.Close()
	info, err := in.Stat()
	if err != nil {
		return err
	}
	out, err := mirror.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, info.Mode().Perm()|0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}
