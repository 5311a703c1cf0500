package count

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/pprof/profile"

	"github.com/tarebench/tare/internal/result"
)

// ProfileKind is a profile of go test, by the name of its flag.
type ProfileKind string

const (
	CPUProfile   ProfileKind = "cpuprofile"
	MemProfile   ProfileKind = "memprofile"
	BlockProfile ProfileKind = "blockprofile"
	MutexProfile ProfileKind = "mutexprofile"
	// Trace is an execution trace; traces cannot be merged or compared.
	Trace ProfileKind = "trace"
)

// ProfileKinds are all kinds, in the order of go help testflag.
var ProfileKinds = []ProfileKind{CPUProfile, MemProfile, BlockProfile, MutexProfile, Trace}

// sampleType is what a share is a share of.
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
// timing, and writes one file per kind into dir, named prefix + kind +
// extension. It returns the files by kind.
func CollectProfiles(ctx context.Context, run Exec, t Target, procs int, kinds []ProfileKind, benchtime time.Duration, dir, prefix string) (map[ProfileKind]string, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("collect profiles: %w", err)
	}
	files := map[ProfileKind]string{}
	argv := []string{
		t.Binary, "-test.run=^$", "-test.bench=" + pattern(t.Benchmark), "-test.count=1",
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

// MergeProfiles adds the profiles of files up into out, ready for go tool
// pprof.
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

// DiffProfiles returns the n functions whose share changed most, largest
// first. A share is what the function has itself, without what it calls, of
// the whole profile. Shares, not times: the two profiles need not have run equally long.
func DiffProfiles(old, new *profile.Profile, kind ProfileKind, n int) ([]result.FunctionChange, error) {
	before, err := shares(old, kind)
	if err != nil {
		return nil, fmt.Errorf("old profile: %w", err)
	}
	after, err := shares(new, kind)
	if err != nil {
		return nil, fmt.Errorf("new profile: %w", err)
	}
	for name, b := range before {
		s, ok := after[name]
		if !ok {
			s = result.FunctionChange{Name: name, File: b.File, Line: b.Line}
		}
		s.Old = b.New
		after[name] = s
	}
	var all []result.FunctionChange
	for _, s := range after {
		if s.Old != s.New {
			all = append(all, s)
		}
	}
	slices.SortFunc(all, func(a, b result.FunctionChange) int {
		da, db := math.Abs(a.New-a.Old), math.Abs(b.New-b.Old)
		switch {
		case da > db:
			return -1
		case da < db:
			return 1
		}
		return strings.Compare(a.Name, b.Name)
	})
	return all[:min(n, len(all))], nil
}

// shares has the share of every function in its New field.
func shares(p *profile.Profile, kind ProfileKind) (map[string]result.FunctionChange, error) {
	index := slices.IndexFunc(p.SampleType, func(t *profile.ValueType) bool { return t.Type == kind.sampleType() })
	if index < 0 {
		return nil, fmt.Errorf("it has no samples of type %q: is it a %s?", kind.sampleType(), kind)
	}
	type lineKey struct {
		name, file string
		line       int64
	}
	lines := map[lineKey]int64{}
	var total int64
	for _, s := range p.Sample {
		v := s.Value[index]
		total += v
		if len(s.Location) == 0 || len(s.Location[0].Line) == 0 {
			continue
		}
		// Line[0] of the leaf is the innermost inlined function.
		l := s.Location[0].Line[0]
		if l.Function != nil {
			lines[lineKey{l.Function.Name, l.Function.Filename, l.Line}] += v
		}
	}
	all := map[string]result.FunctionChange{}
	most := map[string]int64{}
	for k, v := range lines {
		s := all[k.name]
		s.Name = k.name
		if total > 0 {
			s.New += float64(v) / float64(total)
		}
		if v > most[k.name] || v == most[k.name] && int(k.line) < s.Line || s.File == "" {
			most[k.name] = v
			s.File, s.Line = k.file, int(k.line)
		}
		all[k.name] = s
	}
	return all, nil
}
