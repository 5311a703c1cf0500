package explain

import (
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/google/pprof/profile"

	"github.com/tarebench/tare/cmd/tare/internal/build"
	"github.com/tarebench/tare/cmd/tare/internal/instrument"
	"github.com/tarebench/tare/cmd/tare/internal/result"
)

// explainTime is the running time for a CPU profile. observeTime is the time of
// the shorter of two runs. Their difference gives the resources of an
// operation.
const (
	explainTime = 500 * time.Millisecond
	// leastSamples miss a function of 2% of the time in 2 cases of 100: (1 −
	// 0.02)²⁰⁰. The profiles take half a minute at most.
	leastSamples, mostProfiles = 200, 6
	observeTime                = 50 * time.Millisecond
	// leastOps operations distinguish the resources of an operation from the
	// resources of package testing, if they fit into a shortRun.
	leastOps = 200
	shortRun = 500 * time.Millisecond
)

// distrust is the reason not to weigh causes by two profiles. It is empty if
// they have enough samples and agree with the verdict. Beside other work a
// profile of few samples may show the slower variant as the faster one.
func distrust(old, new sampled, slower bool) string {
	if old.times == nil || new.times == nil {
		return "there is no profile of both variants"
	}
	if old.times.samples < leastSamples || new.times.samples < leastSamples {
		return fmt.Sprintf("the profiles have %d and %d samples, and %d are needed", old.times.samples, new.times.samples, leastSamples)
	}
	if is, known := profiledSlower(old, new); known && is != slower {
		return fmt.Sprintf("the profiled runs contradict the verdict: %.3g µs of CPU time an operation, before %.3g", new.running.cpu()*1e6, old.running.cpu()*1e6)
	}
	return ""
}

// profiledSlower reports whether the profiled runs of the new variant use more CPU
// time. It is not known if they use about as much.
func profiledSlower(old, new sampled) (slower, known bool) {
	if old.running == nil || new.running == nil {
		return false, false
	}
	x, y := old.running.cpu(), new.running.cpu()
	return y > x, x > 0 && y > 0 && max(x, y) > (1+timeLimit)*min(x, y)
}

// sampled is the observation of one variant. Its fields are nil without one.
type sampled struct {
	times       *profileTimes
	running     *running
	allocations allocations
}

// observe runs a benchmark of a variant for its profiles, apart from any timing.
func (c *explainer) observe(ctx context.Context, key result.Key, v int) (o sampled) {
	run := c.sampler(ctx, key, v, time.Minute)
	if run == nil {
		return o
	}
	var r running
	if p := run.cpu(); p != nil {
		times := timesOf(p)
		o.times = &times
		r.Collector, r.Samples = times.collector, times.samples
	}
	probe, err := instrument.Observe(ctx, run.target, run.procs, observeTime.String())
	if err != nil {
		return o
	}
	// At least two, because go test runs one operation before, with a separate setup.
	run.few = max(2, probe.Ops/int64(probe.Benchmarks))
	if probe.Seconds > 0 {
		run.few = max(run.few, int64(min(leastOps, shortRun.Seconds()/probe.Seconds)))
	}
	if !run.usage(&r) {
		return o
	}
	few, _ := run.profile("mem", run.times(1), "-test.memprofilerate=1")
	many, more := run.profile("mem", run.times(2), "-test.memprofilerate=1")
	if few == nil || many == nil {
		return o
	}
	allocations, err := allocationsPerOp(few, many, more-more/2)
	if err != nil {
		return o
	}
	r.Bytes, r.Objects = allocations.Total()
	o.running, o.allocations = &r, allocations
	return o
}

// sampler runs one benchmark for a few operations and for twice as many.
type sampler struct {
	ctx    context.Context
	target instrument.Target
	procs  int
	prefix string
	few    int64
}

// sampler runs a benchmark of a variant, or is nil if it cannot be built.
func (c *explainer) sampler(ctx context.Context, key result.Key, v int, timeout time.Duration) *sampler {
	bin, ok := c.Binary(ctx, key.Pkg, v)
	if !ok {
		return nil
	}
	return &sampler{
		ctx: ctx, procs: key.Procs, prefix: filepath.Join(c.Scratch(), fmt.Sprintf("observed-%x-%d-", sha256.Sum256([]byte(key.Pkg)), v)),
		target: instrument.Target{Binary: bin.Path, Dir: bin.Dir, Env: build.Environment(bin.Env), Args: c.spec.Args, Benchmark: key.Name, Timeout: timeout},
	}
}

// times is a number of iterations, as in -test.benchtime.
func (s *sampler) times(factor int64) string { return fmt.Sprintf("%dx", factor*s.few) }

// profile runs for a profile, "cpu" or "mem". It returns the profile, or nil if that
// fails, and its number of operations.
func (s *sampler) profile(kind, benchtime string, flags ...string) (*profile.Profile, float64) {
	path := s.prefix + kind
	o, err := instrument.Observe(s.ctx, s.target, s.procs, benchtime, append(flags, "-test."+kind+"profile="+path)...)
	if err != nil {
		return nil, 0
	}
	p, err := instrument.ReadProfileFile(path) // the benchmark may have put something else there
	if err != nil {
		return nil, 0
	}
	_ = os.Remove(path)
	return p, float64(o.Ops)
}

// cpu profiles until there are enough samples, each time for twice as long, since
// a busy machine gives few. It is nil without samples.
func (s *sampler) cpu() *profile.Profile {
	var all *profile.Profile
	for i := range mostProfiles {
		p, _ := s.profile("cpu", (explainTime << i).String())
		if p == nil {
			break
		}
		if all == nil {
			all = p
		} else if merged, err := profile.Merge([]*profile.Profile{all, p}); err == nil {
			all = merged
		}
		if timesOf(all).samples >= leastSamples {
			break
		}
	}
	if all == nil || len(all.Sample) == 0 {
		return nil
	}
	return all
}

// usage observes the resources of the system: CPU time.
func (s *sampler) usage(r *running) bool {
	few, err := instrument.Observe(s.ctx, s.target, s.procs, s.times(1))
	if err != nil {
		return false
	}
	many, err := instrument.Observe(s.ctx, s.target, s.procs, s.times(2))
	if err != nil || many.Ops <= few.Ops {
		return false
	}
	more := float64(many.Ops - few.Ops)
	perOp := func(few, many time.Duration) float64 { return max(0, (many-few).Seconds()/more) }
	r.Seconds, r.SystemSeconds = perOp(few.User, many.User), perOp(few.System, many.System)
	return true
}
