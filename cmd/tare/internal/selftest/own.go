package selftest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"

	"golang.org/x/perf/benchfmt"

	"github.com/tarebench/tare/cmd/tare/internal/build"
	"github.com/tarebench/tare/cmd/tare/internal/process"
	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/session"
)

// ownChange is the known change of the user's benchmarks (new/old − 1). The
// overlay adds it to every timed interval.
const ownChange = 0.03

// slowestOwn is the longest single run of a compared benchmark, in seconds. The
// usual method runs each forty times.
const slowestOwn = 2.0

func ownPairs(null, known int) []pair {
	longer := fmt.Sprintf(".,env=TARE_LONGER=%g", ownChange)
	return []pair{
		{stratum: result.Copies, old: ".", new: ".", wanted: null},
		{stratum: result.Changed, change: ownChange, old: ".", new: longer, wanted: known},
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
	list := process.Command(ctx, "go", append([]string{"list", "-f", "{{.ImportPath}}\t{{.Dir}}"}, o.Packages...)...)
	var complaint bytes.Buffer
	list.Stderr = &complaint
	packages, err := list.Output()
	if err := process.Ended(err); err != nil {
		return nil, fmt.Errorf("list packages %s: %w: %s", strings.Join(o.Packages, " "), err, bytes.TrimSpace(complaint.Bytes()))
	}
	dirs := make(map[string]string)
	for line := range strings.Lines(string(packages)) {
		path, dir, _ := strings.Cut(strings.TrimSpace(line), "\t")
		dirs[path] = dir
	}
	// With one CPU, names have no suffix.
	run := process.Command(ctx, "go", append([]string{"test", "-vet=off", "-run=^$", "-bench=.", "-benchtime=1x", "-cpu=1", "-timeout=1m"}, o.Packages...)...)
	output, runErr := run.CombinedOutput()
	var targets []target
	for r := benchfmt.NewReader(bytes.NewReader(output), "go test"); r.Scan(); {
		line, ok := r.Result().(*benchfmt.Result)
		if !ok {
			continue
		}
		path := line.GetConfig("pkg")
		if seconds, ok := line.Value("sec/op"); ok && seconds <= slowestOwn {
			targets = append(targets, target{pkg: path, packages: path, bench: result.ExactPattern("Benchmark" + string(line.Name)), dir: dirs[path], folder: filepath.Join(temp, "study"), builder: builder})
		}
	}
	switch err := process.Ended(runErr); {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case len(targets) == 0 && err != nil:
		return nil, fmt.Errorf("run benchmarks once: %w: %s", err, bytes.TrimSpace(output))
	case len(targets) == 0:
		return nil, errors.New("run benchmarks once: none, or all take more than two seconds or are skipped: name another package")
	}
	random := rand.New(rand.NewPCG(o.Seed, 3))
	random.Shuffle(len(targets), func(i, j int) { targets[i], targets[j] = targets[j], targets[i] })
	return targets, nil
}
