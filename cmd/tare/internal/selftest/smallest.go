package selftest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/tarebench/tare/cmd/tare/internal/judge"
	"github.com/tarebench/tare/cmd/tare/internal/kind"
	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/session"
	"github.com/tarebench/tare/internal/finding"
)

// The benchmarks that the doctor compares with themselves. Arithmetic works on
// a buffer that fits the cache of a core, without allocation. It is as steady
// as code can be, so it shows the machine. Allocation makes and walks lists and
// reads memory in random order, as much code does. It depends on the collector,
// the memory bus and other users of the shared cache.
const (
	probeModule = "module tareprobe\n\ngo 1.24\n"
	probeTest   = `package tareprobe

import (
	"hash/fnv"
	"testing"
)

var (
	sum  uint64
	head *node
)

type node struct {
	next *node
	data [6]uint64
}

func BenchmarkArithmetic(b *testing.B) {
	buf := make([]byte, 16<<10)
	for i := range buf {
		buf[i] = byte(i * i)
	}
	h := fnv.New64a()
	for b.Loop() {
		h.Write(buf)
	}
	sum = h.Sum64()
}

func BenchmarkAllocation(b *testing.B) {
	memory := make([]uint64, 4<<20) // 32 MiB
	for i := range memory {
		memory[i] = uint64(i)
	}
	x := uint64(1)
	for b.Loop() {
		head = nil
		for range 100 {
			x = x*6364136223846793005 + 1442695040888963407
			head = &node{next: head, data: [6]uint64{memory[x>>42]}}
		}
		for n := head; n != nil; n = n.next {
			sum += n.data[0]
		}
	}
}
`
)

// Probe is the module of the benchmarks that the doctor compares with themselves,
// by file name.
func Probe() map[string]string {
	return map[string]string{"go.mod": probeModule, "probe_test.go": probeTest}
}

// Prediction is the smallest change that compare would show, or the reason why
// it is unknown.
type Prediction struct {
	Change  result.Estimate
	Unknown error
}

// SmallestChange compares the probes with themselves as compare does by default,
// in turn. It stops when the next block would end after deadline (or after the
// least number of blocks). It predicts the smallest change that compare shows at
// the end of its default budget: see [judge.SmallestChange].
func SmallestChange(ctx context.Context, host session.Host, deadline time.Time) (arithmetic, allocation Prediction) {
	rec, disturbances, err := compareProbes(ctx, host, deadline)
	if err != nil {
		return Prediction{Unknown: err}, Prediction{Unknown: err}
	}
	return predict(rec, "Arithmetic", disturbances), predict(rec, "Allocation", disturbances)
}

func predict(rec *result.Recording, name string, disturbances []finding.Finding) (p Prediction) {
	for _, b := range rec.Benchmarks {
		if b.Name != name {
			continue
		}
		if p.Change, p.Unknown = judge.SmallestChange(rec.Study, b); p.Unknown != nil && slices.ContainsFunc(b.Blocks, disturbed) {
			// The same disturbances will disturb compare.
			for _, f := range disturbances {
				p.Unknown = fmt.Errorf("%w; %s; %s", p.Unknown, f.Message, f.Action)
				break
			}
		}
		return p
	}
	return Prediction{Unknown: errors.New("no block was measured")}
}

// compareProbes measures the probes until deadline.
func compareProbes(ctx context.Context, host session.Host, deadline time.Time) (rec *result.Recording, disturbances []finding.Finding, err error) {
	dir, err := os.MkdirTemp("", "tare-doctor-")
	if err != nil {
		return nil, nil, fmt.Errorf("make directory for the built-in benchmarks: %w", err)
	}
	defer os.RemoveAll(dir)
	for name, text := range Probe() {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			return nil, nil, fmt.Errorf("write built-in benchmarks: %w", err)
		}
	}
	spec := comparison(dir, host, 1)
	spec.Delta = 0
	spec.Enough = func(blocks []result.Block) bool {
		end := time.Now().Add(seconds(blocks[len(blocks)-1].Seconds))
		// If the build or other work took the time, allow more for the missing
		// blocks. More time does not help if blocks are disturbed.
		if len(blocks) < judge.MinBlocks && !slices.ContainsFunc(blocks, disturbed) {
			end = end.Add(-deadlineSlack)
		}
		return end.After(deadline)
	}
	if spec.Variants, err = parse(".", "."); err != nil {
		return nil, nil, err
	}
	run, err := session.Open(ctx, spec, session.Quiet{})
	if err != nil {
		return nil, nil, fmt.Errorf("build the built-in benchmarks: %w", err)
	}
	defer func() { err = errors.Join(err, run.Close()) }()
	err = run.Run(ctx)
	rec = run.Recording()
	if err == nil && (ctx.Err() != nil || !run.Measured()) {
		err = errors.New("no block was measured")
	}
	if err != nil {
		return nil, nil, fmt.Errorf("compare the built-in benchmarks with themselves: %w%s", err, failureText(rec))
	}
	disturbances = slices.DeleteFunc(slices.Clone(rec.Findings), func(f finding.Finding) bool { return !kind.DisturbedBlocks.Is(f) })
	return rec, disturbances, nil
}

// failureText is the message of the benchmark or the study if it failed.
func failureText(rec *result.Recording) string {
	for _, s := range rec.Stops {
		if s.Message != "" {
			return ": " + s.Message
		}
	}
	for _, f := range rec.Findings {
		return ": " + f.Message
	}
	return ""
}

func disturbed(b result.Block) bool { return b.Disturbed != "" }

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

// deadlineSlack is the time that a slow machine may take beyond the deadline.
const deadlineSlack = 8 * time.Second
