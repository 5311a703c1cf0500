package count

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/pprof/profile"

	"github.com/tarebench/tare/cmd/tare/internal/pattern"
	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/stats"
)

// ProfileKind is a profile of go test, by the name of its flag.
type ProfileKind string

const (
	CPUProfile   ProfileKind = "cpuprofile"
	MemProfile   ProfileKind = "memprofile"
	BlockProfile ProfileKind = "blockprofile"
	MutexProfile ProfileKind = "mutexprofile"
	// Trace is an execution trace. Traces cannot be merged or compared.
	Trace ProfileKind = "trace"
)

// ProfileKinds contains all kinds, in the order of go help testflag.
var ProfileKinds = []ProfileKind{CPUProfile, MemProfile, BlockProfile, MutexProfile, Trace}

// sampleType is the sample type whose shares are compared.
func (k ProfileKind) sampleType() string {
	switch k {
	case MemProfile:
		return "alloc_space"
	case BlockProfile, MutexProfile:
		return "delay"
	}
	return "cpu"
}

// CollectProfiles runs the benchmark once for the given time, apart from any
// timing. It writes one file per kind into dir, named prefix + kind +
// extension, and returns the files by kind.
func CollectProfiles(ctx context.Context, run Exec, t Target, procs int, kinds []ProfileKind, benchtime time.Duration, dir, prefix string) (map[ProfileKind]string, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("collect profiles: %w", err)
	}
	files := map[ProfileKind]string{}
	argv := []string{
		t.Binary, "-test.run=^$", "-test.bench=" + pattern.Exact("Benchmark"+t.Benchmark), "-test.count=1",
		"-test.benchtime=" + benchtime.String(), "-test.timeout=0",
	}
	if procs > 0 {
		argv = append(argv, "-test.cpu="+strconv.Itoa(procs))
	}
	for _, k := range kinds {
		extension := ".pb.gz"
		if k == Trace {
			extension = ".trace"
		}
		files[k] = filepath.Join(dir, prefix+string(k)+extension)
		argv = append(argv, "-test."+string(k)+"="+files[k])
	}
	argv = append(argv, t.Args...)
	ctx, cancel := t.bounded(ctx)
	defer cancel()
	stdout, stderr, err := run(ctx, t.Dir, t.Env, argv...)
	if err != nil {
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		return nil, fmt.Errorf("profile %s: %w: %s", t.Benchmark, err, tail(stdout, stderr))
	}
	return files, nil
}

// MergeProfiles adds up the profiles of files into out, for go tool pprof.
func MergeProfiles(files []string, out string) (*profile.Profile, error) {
	var all []*profile.Profile
	for _, name := range files {
		p, err := readProfile(name)
		if err != nil {
			return nil, err
		}
		all = append(all, p)
	}
	merged, err := profile.Merge(all)
	if err != nil {
		return nil, fmt.Errorf("merge profiles into %s: %w", out, err)
	}
	f, err := os.Create(out)
	if err != nil {
		return nil, fmt.Errorf("write merged profile: %w", err)
	}
	if err := merged.Write(f); err != nil {
		f.Close()
		return nil, fmt.Errorf("write merged profile %s: %w", out, err)
	}
	if err := f.Close(); err != nil {
		return nil, fmt.Errorf("write merged profile %s: %w", out, err)
	}
	return merged, nil
}

func readProfile(name string) (*profile.Profile, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("read profile: %w", err)
	}
	defer f.Close()
	p, err := profile.Parse(f)
	if err != nil {
		return nil, fmt.Errorf("read profile %s: %w", name, err)
	}
	return p, nil
}

// profileAlpha is the error rate of the functions that DiffProfiles lists, over
// all functions of two profiles (Holm).
const profileAlpha = 0.05

// leastShare is the minimum difference of shares of a listed function, for
// profiles that are not sampled.
const leastShare = 0.005

// DiffProfiles puts the n functions whose share differs most into change,
// largest first. A share is the cost of the function, without the functions
// that it calls, as a part of the whole profile. It compares shares, not
// times, since the two runs may differ in length.
//
// The shares of a CPU profile are shares of samples. It lists only functions
// whose numbers of samples differ by Fisher's exact test at [profileAlpha].
func DiffProfiles(change *result.ProfileChange, old, new *profile.Profile, kind ProfileKind, n int) error {
	before, err := shares(old, kind)
	if err != nil {
		return fmt.Errorf("old profile: %w", err)
	}
	after, err := shares(new, kind)
	if err != nil {
		return fmt.Errorf("new profile: %w", err)
	}
	if kind == CPUProfile {
		change.OldSamples, change.NewSamples = before.samples, after.samples
	}
	var all []result.FunctionChange
	var p []float64
	for name := range after.functions {
		if _, ok := before.functions[name]; !ok {
			before.functions[name] = share{}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(before.functions)) {
		b, a := before.functions[name], after.functions[name]
		f := result.FunctionChange{Name: name, File: cmp.Or(a.file, b.file), Line: cmp.Or(a.line, b.line), Old: b.part, New: a.part}
		all = append(all, f)
		switch {
		case kind == CPUProfile:
			p = append(p, fisher(int(b.samples), int(before.samples), int(a.samples), int(after.samples)))
		case math.Abs(f.New-f.Old) >= leastShare:
			p = append(p, 0)
		default:
			p = append(p, 1)
		}
	}
	adjusted := stats.Holm(p)
	for i, f := range all {
		if adjusted[i] <= profileAlpha {
			change.Functions = append(change.Functions, f)
		}
	}
	slices.SortFunc(change.Functions, func(a, b result.FunctionChange) int {
		return cmp.Or(cmp.Compare(math.Abs(b.New-b.Old), math.Abs(a.New-a.Old)), strings.Compare(a.Name, b.Name))
	})
	change.Functions = change.Functions[:min(n, len(change.Functions))]
	return nil
}

// share is the part of one function in a profile.
type share struct {
	part    float64 // of the whole, 0 to 1
	samples int64
	file    string
	line    int
}

// sharing contains the share of every function, by name.
type sharing struct {
	functions map[string]share
	samples   int64
}

func shares(p *profile.Profile, kind ProfileKind) (sharing, error) {
	index := slices.IndexFunc(p.SampleType, func(t *profile.ValueType) bool { return t.Type == kind.sampleType() })
	if index < 0 {
		return sharing{}, fmt.Errorf("it has no samples of type %q: is it a %s?", kind.sampleType(), kind)
	}
	type lineKey struct {
		name, file string
		line       int64
	}
	counted := slices.IndexFunc(p.SampleType, func(t *profile.ValueType) bool { return t.Type == "samples" })
	out := sharing{functions: map[string]share{}}
	lines := map[lineKey]int64{}
	var total int64
	for _, s := range p.Sample {
		v, n := s.Value[index], int64(0)
		if counted >= 0 {
			n = s.Value[counted]
		}
		total += v
		out.samples += n
		if len(s.Location) == 0 || len(s.Location[0].Line) == 0 {
			continue
		}
		// Line[0] of the leaf is the innermost inlined function.
		if l := s.Location[0].Line[0]; l.Function != nil {
			lines[lineKey{l.Function.Name, l.Function.Filename, l.Line}] += v
			f := out.functions[l.Function.Name]
			f.samples += n
			out.functions[l.Function.Name] = f
		}
	}
	most := map[string]int64{}
	for k, v := range lines {
		s := out.functions[k.name]
		if total > 0 {
			s.part += float64(v) / float64(total)
		}
		if v > most[k.name] || v == most[k.name] && int(k.line) < s.line || s.file == "" {
			most[k.name] = v
			s.file, s.line = k.file, int(k.line)
		}
		out.functions[k.name] = s
	}
	return out, nil
}
