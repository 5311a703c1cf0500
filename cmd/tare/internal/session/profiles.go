package session

import (
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/tarebench/tare/cmd/tare/internal/count"
	"github.com/tarebench/tare/cmd/tare/internal/kind"
	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/internal/finding"
)

// profileRounds is the number of extra rounds for profiles. The variants take
// turns.
const profileRounds = 2

// profileTime is the length of one round: a second, or less if the budget of a
// benchmark is small.
func profileTime(budget time.Duration) time.Duration {
	if budget <= 0 {
		return time.Second
	}
	return min(time.Second, max(budget/5, 100*time.Millisecond))
}

// profileFiles are the profiles of the rounds by kind, benchmark and variant.
type profileFiles map[profileKey][]string

type profileKey struct {
	kind      count.ProfileKind
	benchmark int
	side      int
}

// profiles runs the kept binaries again for their profiles. It merges the
// profiles per benchmark and variant into the study's directory, and per
// variant into the files that the user named.
func (s *Session) profiles(ctx context.Context) error {
	kinds := slices.Collect(func(yield func(count.ProfileKind) bool) {
		for _, k := range count.ProfileKinds {
			if s.spec.Profiles[string(k)] != "" && !yield(k) {
				return
			}
		}
	})
	if len(kinds) == 0 {
		return nil
	}
	folder := filepath.Join(s.folder.path, "profiles")
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return fmt.Errorf("make directory of profiles: %w", err)
	}
	files := make(profileFiles)
	for round := range profileRounds {
		err := measuredBenchmarks(s.rec, func(i int, b result.Benchmark, side int) error {
			if ctx.Err() != nil {
				return nil
			}
			s.watcher.Progress(result.Progress{Index: i + 1, Total: len(s.rec.Benchmarks), Name: b.Name, Phase: "profiling", Ratio: math.NaN()})
			return s.profileOne(ctx, kinds, folder, files, round, i, b, side)
		})
		if err != nil {
			return err
		}
	}
	if ctx.Err() != nil {
		return nil
	}
	return s.mergeProfiles(kinds, folder, files)
}

func (s *Session) profileOne(ctx context.Context, kinds []count.ProfileKind, folder string, files profileFiles, round, i int, b result.Benchmark, side int) error {
	bin, ok := s.sides.list[side].base(b.Pkg)
	if !ok {
		return nil
	}
	target := count.Target{Binary: bin.Path, Dir: bin.Dir, Env: bin.Env, Args: s.spec.Args, Benchmark: b.Name, Timeout: seconds(s.spec.TimeoutSeconds)}
	made, err := count.CollectProfiles(ctx, target, b.Procs, kinds, profileTime(seconds(s.spec.BudgetSeconds)), folder, fmt.Sprintf("%s.%d.round%d.", fileName(b.Key), side, round))
	if err != nil {
		if ctx.Err() != nil {
			return nil
		}
		return s.AddFinding(kind.ProfileFailed.Of(b.Name, finding.Text("why", firstLines(err.Error(), 3))))
	}
	for k, file := range made {
		key := profileKey{k, i, side}
		files[key] = append(files[key], file)
	}
	return nil
}

// mergeProfiles merges the files of the rounds into the files for the user.
func (s *Session) mergeProfiles(kinds []count.ProfileKind, folder string, files profileFiles) error {
	for _, k := range kinds {
		bySide := make([][]string, len(s.rec.Study.Variants))
		err := measuredBenchmarks(s.rec, func(i int, b result.Benchmark, side int) error {
			key := profileKey{k, i, side}
			if len(files[key]) == 0 {
				return nil
			}
			if k == count.Trace { // traces cannot be added up
				bySide[side] = append(bySide[side], files[key]...)
				return nil
			}
			out := filepath.Join(folder, fmt.Sprintf("%s.%d.%s.pb.gz", fileName(b.Key), side, k))
			if err := count.MergeProfiles(files[key], out); err != nil {
				return err
			}
			for _, f := range files[key] {
				os.Remove(f)
			}
			bySide[side] = append(bySide[side], out)
			return nil
		})
		if err != nil {
			return err
		}
		for side, list := range bySide {
			if len(list) == 0 {
				continue
			}
			out := sideFile(s.spec.Profiles[string(k)], side, len(bySide))
			if k == count.Trace {
				if err := copyTo(list[0], out); err != nil {
					return err
				}
				continue
			}
			if err := count.MergeProfiles(list, out); err != nil {
				return err
			}
		}
	}
	return nil
}

// sideFile is the file of one variant: the user's own name for a single
// variant, otherwise with .old, .new, .new2 before the extension.
func sideFile(name string, side, sides int) string {
	if sides == 1 {
		return name
	}
	mark := ".old"
	switch {
	case side == 1:
		mark = ".new"
	case side > 1:
		mark = fmt.Sprintf(".new%d", side)
	}
	extension := filepath.Ext(name)
	return strings.TrimSuffix(name, extension) + mark + extension
}

// fileName turns a benchmark's name into a file name.
func fileName(k result.Key) string {
	name := k.Pkg + "." + k.Name + fmt.Sprintf("-%d", k.Procs)
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', strings.ContainsRune("._-=", r):
			return r
		}
		return '_'
	}, name)
}

func copyTo(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return fmt.Errorf("copy trace: %w", err)
	}
	defer in.Close()
	return result.WriteFile(to, func(w io.Writer) error {
		_, err := io.Copy(w, in)
		return err
	})
}
