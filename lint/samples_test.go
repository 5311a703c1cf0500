package lint

import (
	"context"
	"path/filepath"
	"slices"
	"testing"
)

// TestSamples finds the wrong halves of the lessons in samples/, by the checks
// that are on by default, and nothing else there.
func TestSamples(t *testing.T) {
	want := []string{
		"mistakes BenchmarkFibWrong bnsize",
		"mistakes BenchmarkFibWrong2 bninput",
		"mistakes BenchmarkSearchWrong loopnoise",
		"paused BenchmarkPaused pausedloop",
		"popcnt BenchmarkPopcntDropped deadresult",
	}
	pkgs, err := Load(context.Background(), Options{Dir: ".."}, "./samples/...")
	if err != nil {
		t.Fatal(err)
	}
	checks := slices.DeleteFunc(Checks(), func(c Check) bool { return !c.Default })
	list, err := Run(pkgs, checks)
	if err != nil {
		t.Fatal(err)
	}
	loops, err := TimedLoops(pkgs)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, d := range list {
		// The function of a finding is that of its loop; one has none.
		name := "BenchmarkFibWrong"
		for _, l := range loops {
			if l.Source.File == d.File && l.Source.Line <= d.Line && d.Line <= l.Source.Last {
				name = l.Benchmark
			}
		}
		got = append(got, filepath.Base(filepath.Dir(d.File))+" "+name+" "+d.ID)
	}
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("found\n%q\nwant\n%q", got, want)
	}
}
