package explain

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/pprof/profile"

	"github.com/tarebench/tare/cmd/tare/internal/production"
	"github.com/tarebench/tare/cmd/tare/internal/result"
)

// stacks is a CPU profile with one sample of each stack, innermost first. In x+y, x
// was inlined into y.
func stacks(all ...string) *profile.Profile {
	p := &profile.Profile{SampleType: []*profile.ValueType{{Type: "samples", Unit: "count"}, {Type: "cpu", Unit: "nanoseconds"}}}
	for _, text := range all {
		s := &profile.Sample{Value: []int64{1, 1e7}}
		for names := range strings.FieldsSeq(text) {
			l := &profile.Location{ID: uint64(len(p.Location) + 1)}
			for name := range strings.SplitSeq(names, "+") {
				f := &profile.Function{ID: uint64(len(p.Function) + 1), Name: name}
				p.Function, l.Line = append(p.Function, f), append(l.Line, profile.Line{Function: f})
			}
			p.Location, s.Location = append(p.Location, l), append(s.Location, l)
		}
		p.Sample = append(p.Sample, s)
	}
	return p
}

func changedFunctions(names ...string) *changes {
	all := &changes{functions: make(map[string]*result.ChangedFunction), inMain: map[string]string{"main.Run": "example.com/cmd/x.Run"}, reaching: map[int][]string{0: names}}
	for _, name := range names {
		all.functions[name] = &result.ChangedFunction{Name: name}
	}
	return all
}

// TestCount: a function counts once for a stack, also inlined, as a literal or with
// type arguments, and what no stack has counts too.
func TestCount(t *testing.T) {
	all := changedFunctions("m.F", "m.G", "m.Seq", "m.Rare")
	all.allocating = map[string]bool{"m.G": true}
	all.count(0, stacks("m.F-range1.2+m.Seq.1 m.F.func1 m.F m.BenchmarkF", "runtime.memmove m.G[...]+m.F", "m.G[...].gowrap2 m.G[...]", "runtime.gcBgMarkWorker"))
	for name, want := range map[string]result.Sampled{
		"m.F": {Samples: 2, Of: 4, Changed: 3}, "m.G": {Samples: 2, Of: 4, Changed: 3, Allocates: true}, "m.Seq": {Samples: 1, Of: 4, Changed: 3}, "m.Rare": {Of: 4, Changed: 3},
	} {
		if got := all.functions[name].Sampled; len(got) != 1 || got[0] != want {
			t.Errorf("%s: %+v, want %+v", name, got, want)
		}
	}
}

// TestCountAll: a profile without a sample of a function counts, also after one that
// has some.
func TestCountAll(t *testing.T) {
	all := changedFunctions("m.F")
	all.reaching[1] = []string{"m.F"}
	all.count(0, stacks("m.F", "m.G"))
	all.count(1, stacks("m.G", "m.G", "m.G"))
	if got := all.functions["m.F"].Sampled; len(got) != 2 || got[0].Of+got[1].Of != 5 {
		t.Errorf("%+v", got)
	}
}

// TestProfileTime: a fifth of the run, less the search for changed functions, but time
// for one profile, and never more than the total has left.
func TestProfileTime(t *testing.T) {
	for _, test := range []struct {
		variants            int
		total               float64
		elapsed, took, want time.Duration
	}{
		{2, 0, 100 * time.Second, 0, 20 * time.Second},
		{2, 0, 105 * time.Second, 5 * time.Second, 15 * time.Second},
		{3, 0, 105 * time.Second, 5 * time.Second, 5 * time.Second},
		{2, 101, 105 * time.Second, 5 * time.Second, -4 * time.Second},
		{2, 110, 105 * time.Second, 5 * time.Second, 5 * time.Second},
		{2, 0, 20 * time.Second, 10 * time.Second, time.Second},
	} {
		s := &result.Study{Variants: make([]result.Variant, test.variants)}
		s.TotalSeconds = test.total
		if got := profileTime(s, test.elapsed, test.took); got != test.want {
			t.Errorf("%+v: %v", test, got)
		}
	}
}

// TestWeighChanged: a profile of the program weighs, also functions of its package
// main, and one of another program is an error.
func TestWeighChanged(t *testing.T) {
	read := func(p *profile.Profile) *production.Profile {
		file := filepath.Join(t.TempDir(), "p")
		f, err := os.Create(file)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if err := p.Write(f); err != nil {
			t.Fatal(err)
		}
		out, err := production.Read(file)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	all := changedFunctions("m.F", "example.com/cmd/x.Run")
	known := func(name string) bool { return name == "m.F" }
	var use result.Production
	if err := all.weigh(read(stacks("m.F main.Run", "m.F main.Run", "runtime.x main.Run", "example.com/o.X")), &use, known); err != nil {
		t.Fatal(err)
	}
	near := func(what string, got, want float64) {
		if math.Abs(got-want) > 1e-12 {
			t.Errorf("%s: %v, want %v", what, got, want)
		}
	}
	near("F", all.functions["m.F"].Weight.Own, 0.5)
	near("Run", all.functions["example.com/cmd/x.Run"].Weight.Total, 0.75)
	near("own of Run", all.functions["example.com/cmd/x.Run"].Weight.Own, 0.25)
	near("matched", use.Matched, 0.5)
	err := changedFunctions("m.F").weigh(read(stacks("example.com/other.F")), &use, known)
	if err == nil || !strings.Contains(err.Error(), "of another program") {
		t.Error(err)
	}
}
