package study

import (
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/tarebench/tare/cmd/tare/internal/catalog"
	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/internal/finding"
)

func (o Options) procs() []int {
	if len(o.Procs) > 0 {
		return o.Procs
	}
	if len(o.Exec) > 0 {
		return []int{1} // it is not set
	}
	return []int{runtime.GOMAXPROCS(0)}
}

// procsOf is the GOMAXPROCS of a binary's processes. If none was requested,
// it is the value in the environment (env=GOMAXPROCS=1).
func (r *runner) procsOf(bin Binary, procs int) int {
	if n := environmentProcs(bin.Env); n > 0 && len(r.o.Procs) == 0 {
		return n
	}
	return procs
}

// procsOn is the GOMAXPROCS of workers on some CPUs (none means all). It is at
// most the number of CPUs, unless the user requested more. Otherwise the
// collector's threads would take turns on one CPU, as in no user's program
// (docs/decisions/handoff.md).
func (r *runner) procsOn(bin Binary, procs int, cpus []int) int {
	n := r.procsOf(bin, procs)
	if len(cpus) > 0 && len(r.o.Procs) == 0 && environmentProcs(bin.Env) == 0 {
		n = min(n, len(cpus))
	}
	return n
}

// comparesProcs reports whether the variants differ in GOMAXPROCS. The effect
// of GOMAXPROCS is then the question, and one CPU would not show it.
func (r *runner) comparesProcs() bool {
	all := r.o.Study.Variants
	return len(r.o.Procs) == 0 && slices.ContainsFunc(all, func(v result.Variant) bool {
		return environmentProcs(v.Env) != environmentProcs(all[0].Env)
	})
}

func (r *runner) procsOverruled() []finding.Finding {
	var found []finding.Finding
	for v, variant := range r.o.Study.Variants {
		n := environmentProcs(variant.Env)
		if n > 0 && len(r.o.Procs) > 0 && !slices.Equal(r.o.Procs, []int{n}) {
			found = append(found, catalog.ProcsOverruled.Of(r.label(v), finding.Number("procs", float64(n))))
		}
	}
	return found
}

// procsChanged reports a variant whose GOMAXPROCS changed during a block. tare
// sets it for every worker, so the runtime does not follow the limits of the
// cgroup, and only the benchmark changes it.
func (r *runner) procsChanged(b *bench, blk *result.Block) (found []finding.Finding) {
	for v, p := range blk.Processes {
		if p.FirstProcs != p.Procs {
			found = append(found, catalog.ProcsChanged.Of(b.Name, finding.Text("side", r.label(v)), finding.Number("first", float64(p.FirstProcs)), finding.Number("last", float64(p.Procs))))
		}
	}
	return found
}

func environmentProcs(env []string) int {
	for _, e := range slices.Backward(env) {
		if value, ok := strings.CutPrefix(e, "GOMAXPROCS="); ok {
			n, err := strconv.Atoi(value)
			if err != nil {
				return 0
			}
			return max(0, n)
		}
	}
	return 0
}
