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

	"github.com/tarebench/tare/cmd/tare/internal/catalog"
	"github.com/tarebench/tare/cmd/tare/internal/file"
	"github.com/tarebench/tare/cmd/tare/internal/instrument"
	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/internal/finding"
)

func profileTime(budget time.Duration) time.Duration {
	if budget <= 0 {
		return 2 * time.Second
	}
	return min(2*time.Second, max(2*budget/5, 200*time.Millisecond))
}

// profiles runs the kept binaries again for their profiles, which stay in the
// study's directory. Merged per variant, they are the files that the user named.
func (s *Session) profiles(ctx context.Context) error {
	kinds := slices.DeleteFunc(slices.Clone(instrument.ProfileKinds), func(k instrument.ProfileKind) bool { return s.spec.Profiles[string(k)] == "" })
	if len(kinds) == 0 {
		return nil
	}
	folder := filepath.Join(s.folder.path, "profiles")
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return fmt.Errorf("make directory of profiles: %w", err)
	}
	files := make(map[instrument.ProfileKind][][]string) // by variant
	for _, k := range kinds {
		files[k] = make([][]string, len(s.rec.Study.Variants))
	}
	err := measuredBenchmarks(s.rec, func(i int, b result.Benchmark, side int) error {
		bin, ok := s.sides.list[side].base(b.Pkg)
		if !ok || ctx.Err() != nil {
			return nil
		}
		s.watcher.Progress(result.Progress{Index: i + 1, Total: len(s.rec.Benchmarks), Name: b.Name, Phase: "profiling", Ratio: math.NaN()})
		target := instrument.Target{Binary: bin.Path, Dir: bin.Dir, Env: bin.Env, Args: s.spec.Args, Benchmark: b.Name, Timeout: seconds(s.spec.TimeoutSeconds)}
		made, err := instrument.CollectProfiles(ctx, target, b.Procs, kinds, profileTime(seconds(s.spec.BudgetSeconds)), folder, fmt.Sprintf("%s.%d.", fileName(b.Key), side))
		if err != nil {
			if ctx.Err() != nil {
				return nil
			}
			return s.AddFindings(catalog.ProfileFailed.Of(b.Name, finding.Text("why", firstLines(err.Error(), 3))))
		}
		for k, name := range made {
			files[k][side] = append(files[k][side], name)
		}
		return nil
	})
	if err != nil || ctx.Err() != nil {
		return err
	}
	for _, k := range kinds {
		for side, list := range files[k] {
			if len(list) == 0 {
				continue
			}
			merge, out := instrument.MergeProfiles, sideFile(s.spec.Profiles[string(k)], side, len(files[k]))
			if k == instrument.Trace { // traces cannot be added up
				merge = copyFirst
			}
			if err := merge(list, out); err != nil {
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

func copyFirst(files []string, to string) error {
	data, err := file.Read(filepath.Split(files[0]))
	if err != nil {
		return fmt.Errorf("copy trace: %w", err)
	}
	return result.WriteFile(to, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}
