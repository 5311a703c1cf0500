package recorder

import (
	"cmp"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/tarebench/tare/cmd/tare/internal/benchfile"
	"github.com/tarebench/tare/cmd/tare/internal/history"
	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/stats"
)

// benchmarkPoints are those of a file of Go benchmark results. The commit is
// that of the configuration line "commit: HASH", or the name of the file.
func benchmarkPoints(path string, f *benchfile.File) (list []history.Points, why string) {
	var left []string
	for _, finding := range f.Findings {
		left = append(left, finding.Message)
	}
	type id struct{ commit, machine string }
	samples := make(map[id]*sample)
	nameless := 0
	for _, s := range f.Series {
		commit := cmp.Or(s.Get("commit"), hashOf(path))
		if commit == "" {
			nameless++
			continue
		}
		id := id{commit, machineOf(s)}
		if samples[id] == nil {
			c := history.Commit{Hash: commit}
			c.Time, _ = time.Parse(time.RFC3339, s.Get("commit-time"))
			samples[id] = newSample(history.Points{Source: "benchmarks", Machine: id.machine, Commit: c})
		}
		samples[id].add(s)
	}
	for _, s := range samples {
		list = append(list, s.summary())
	}
	slices.SortFunc(list, func(a, b history.Points) int {
		return cmp.Or(cmp.Compare(a.Commit.Hash, b.Commit.Hash), cmp.Compare(a.Machine, b.Machine))
	})
	if nameless > 0 {
		left = append(left, "no commit: the file has no line \"commit: HASH\", and its name is no hash")
	}
	return list, strings.Join(left, "; ")
}

// hashOf is the hash that a file is named after, empty where it is none.
func hashOf(path string) string {
	name, _, _ := strings.Cut(filepath.Base(path), ".")
	if !hexadecimal(name) {
		return ""
	}
	return name
}

// machineOf is what a file says about the machine.
func machineOf(s *benchfile.Series) string {
	var parts []string
	for _, key := range []string{"machine", "host", "cpu"} {
		if v := s.Get(key); v != "" {
			parts = append(parts, v)
		}
	}
	if system := s.Get("goos"); system != "" {
		parts = append(parts, strings.TrimSuffix(system+"/"+s.Get("goarch"), "/"))
	}
	return cmp.Or(strings.Join(parts, ", "), "unknown")
}

// sample gathers the values of one commit on one machine.
type sample struct {
	points history.Points
	order  []sampleKey
	values map[sampleKey][]float64
	// procs are the values of GOMAXPROCS of a benchmark.
	procs map[[2]string][]int
}

type sampleKey struct {
	result.Key
	unit string
}

func newSample(p history.Points) *sample {
	return &sample{points: p, values: make(map[sampleKey][]float64), procs: make(map[[2]string][]int)}
}

func (s *sample) add(of *benchfile.Series) {
	key := of.Key()
	name := [2]string{key.Pkg, key.Name}
	if !slices.Contains(s.procs[name], key.Procs) {
		s.procs[name] = append(s.procs[name], key.Procs)
	}
	for i, u := range of.Units {
		k := sampleKey{key, u.Base}
		if s.values[k] == nil {
			s.order = append(s.order, k)
		}
		s.values[k] = append(s.values[k], of.Values[i].Values()...)
	}
}

// summary is the median of each benchmark. A benchmark that ran with several
// values of GOMAXPROCS is several, named as in the file.
func (s *sample) summary() history.Points {
	p := s.points
	for _, k := range s.order {
		values := s.values[k]
		slices.Sort(values)
		v := history.Value{Pkg: k.Pkg, Name: k.Name, Unit: k.unit, Value: stats.Median(values), N: len(values)}
		if len(s.procs[[2]string{k.Pkg, k.Name}]) > 1 {
			v.Name = fmt.Sprintf("%s-%d", k.Name, k.Procs)
		}
		if lo, hi, _ := stats.MedianOrder(len(values), 0.95); lo >= 1 && hi <= len(values) {
			v.Lo, v.Hi = values[lo-1], values[hi-1]
		}
		if !math.IsNaN(v.Value) && !math.IsInf(v.Value, 0) {
			p.Values = append(p.Values, v)
		}
	}
	p.Values = distinct(p.Values)
	return p
}
