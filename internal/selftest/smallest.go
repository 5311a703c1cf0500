package selftest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/tarebench/tare/internal/lockstep"
	"github.com/tarebench/tare/internal/result"
	"github.com/tarebench/tare/internal/sequential"
	"github.com/tarebench/tare/internal/session"
)

// The benchmark that the doctor compares with itself: arithmetic over a buffer
// that fits a core's own cache, without allocation. It is as steady as code
// gets, so what it shows is the machine.
const (
	probeModule = "module tareprobe\n\ngo 1.24\n"
	probeTest   = `package tareprobe

import (
	"hash/fnv"
	"testing"
)

var sum uint64

func BenchmarkProbe(b *testing.B) {
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
`
)

// Probe is the module of the benchmark that the doctor compares with itself, by
// file name.
func Probe() map[string]string {
	return map[string]string{"go.mod": probeModule, "probe_test.go": probeTest}
}

// SmallestChange compares the probe with itself as compare does by default,
// until the next block would end after deadline (or as long as the least number
// of blocks takes), and predicts the smallest change that compare shows at the
// end of its default budget: see [lockstep.SmallestChange].
func SmallestChange(ctx context.Context, host session.Host, deadline time.Time) (smallest result.Estimate, err error) {
	dir, err := os.MkdirTemp("", "tare-doctor-")
	if err != nil {
		return smallest, fmt.Errorf("make folder for the built-in benchmark: %w", err)
	}
	defer os.RemoveAll(dir)
	for name, text := range Probe() {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			return smallest, fmt.Errorf("write built-in benchmark: %w", err)
		}
	}
	spec := comparison(dir, host, 1)
	spec.Delta = 0
	spec.Enough = func(blocks []result.Block) bool {
		end := time.Now().Add(seconds(blocks[len(blocks)-1].Seconds))
		// Where the build or other work took the time, some more of it gives
		// the blocks that it takes. More time does not help where blocks are
		// disturbed.
		if len(blocks) < sequential.MinBlocks && !slices.ContainsFunc(blocks, disturbed) {
			end = end.Add(-patience)
		}
		return end.After(deadline)
	}
	if spec.Variants, err = parse(".", "."); err != nil {
		return smallest, err
	}
	run, err := session.Open(ctx, spec, session.Quiet{})
	if err != nil {
		return smallest, fmt.Errorf("build the built-in benchmark: %w", err)
	}
	defer func() { err = errors.Join(err, run.Close()) }()
	err = run.Run(ctx)
	rec := run.Recording()
	if err == nil && (ctx.Err() != nil || !run.Measured()) {
		err = errors.New("no block was measured")
	}
	if err != nil {
		return smallest, fmt.Errorf("compare the built-in benchmark with itself: %w%s", err, said(rec))
	}
	smallest, err = lockstep.SmallestChange(rec.Study, rec.Benchmarks[0])
	if err != nil && slices.ContainsFunc(rec.Benchmarks[0].Blocks, disturbed) {
		// What disturbs these blocks will disturb those of compare.
		for _, f := range run.Disturbances() {
			return smallest, fmt.Errorf("%w; %s; %s", err, f.Message, f.Action)
		}
	}
	return smallest, err
}

// said is what the benchmark or the study said when it failed.
func said(rec *result.Recording) string {
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

// patience is how long a slow machine may take beyond the deadline.
const patience = 5 * time.Second
