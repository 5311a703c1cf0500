package selftest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"time"

	"github.com/tarebench/tare/cmd/tare/internal/build"
	"github.com/tarebench/tare/cmd/tare/internal/pattern"
	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/session"
)

// OwnChange is the known change of the user's benchmarks (new/old − 1). The
// overlay adds it to every timed interval.
const OwnChange = 0.03

// slowestOwn is the longest single run of a compared benchmark, in seconds. The
// usual method runs each forty times.
const slowestOwn = 2.0

// ownPairs compares the working tree with itself, and with operations that take
// [OwnChange] longer.
func ownPairs(null, known int) []pair {
	longer := fmt.Sprintf(".,env=TARE_LONGER=%g", OwnChange)
	return []pair{
		{stratum: result.Copies, old: ".", new: ".", wanted: null},
		{stratum: result.Changed, change: OwnChange, old: ".", new: longer, wanted: known},
	}
}

// target is the subject of a comparison: the built-in benchmarks, or one of the user's.
type target struct {
	// pkg is the import path, packages the pattern, and bench the pattern of the
	// benchmark.
	pkg, packages, bench string
	// dir is the directory to run in, and work the directory to build in. Empty
	// is the working directory.
	dir, work string
	// folder is the directory of the study. Empty makes a new one in .tare.
	folder  string
	builder *build.Builder
}

func (t target) comparison(host session.Host, seed uint64) session.Spec {
	spec := comparison(t.work, host, seed)
	spec.Packages, spec.Bench, spec.Folder, spec.Builder = []string{t.packages}, t.bench, t.folder, t.builder
	return spec
}

// ownTargets lists the benchmarks of the user's packages that run, in the order of
// the seed. Studies are in temp.
func (o Options) ownTargets(ctx context.Context, temp string, builder *build.Builder) ([]target, error) {
	ran, err := RunOnce(ctx, OnceOptions{Timeout: 10 * time.Second}, o.Packages, nil)
	if err != nil {
		return nil, err
	}
	var targets []target
	var broken error
	for _, r := range ran {
		if r.Outcome.Broken() && broken == nil {
			broken = fmt.Errorf("run benchmarks: %s %s: %s: run tare run -once", r.Package, r.Benchmark, r.Outcome)
		}
		if r.Outcome != OK || r.Seconds > slowestOwn*float64(r.Results) {
			continue
		}
		for _, name := range r.leaves {
			targets = append(targets, target{pkg: r.Package, packages: r.Package, bench: pattern.Exact("Benchmark" + name), dir: r.dir, folder: filepath.Join(temp, "study"), builder: builder})
		}
	}
	switch {
	case len(targets) == 0 && broken != nil:
		return nil, broken
	case len(targets) == 0:
		return nil, errors.New("run benchmarks: all take more than two seconds or are skipped: name another package")
	}
	random := rand.New(rand.NewPCG(o.Seed, 3))
	random.Shuffle(len(targets), func(i, j int) { targets[i], targets[j] = targets[j], targets[i] })
	return targets, nil
}
