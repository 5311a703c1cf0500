package study

import (
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/tarebench/tare/cmd/tare/internal/result"
)

// TestCut: the parts together are the list, in its order, and as even as they
// can be.
func TestCut(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		all := make([]Function, rapid.IntRange(0, 60).Draw(t, "functions"))
		for i := range all {
			all[i].Name = string(rune('a' + i))
		}
		of := rapid.IntRange(1, 20).Draw(t, "of")
		var joined []Function
		least, most := len(all), 0
		for n := 1; n <= of; n++ {
			mine := Cut(all, result.Part{Number: n, Of: of})
			joined = append(joined, mine...)
			least, most = min(least, len(mine)), max(most, len(mine))
		}
		if !slices.Equal(joined, all) || most-least > 1 {
			t.Fatalf("%d functions in %d parts of %d to %d", len(joined), of, least, most)
		}
	})
}

// headOf is the study line of a part.
func headOf(n, of int) result.Study {
	return result.Study{
		Schema: result.RecordingSchema, Method: result.Method, Family: 3, Created: time.Date(2026, 11, 22, 9, n, 0, 0, time.UTC),
		Plan: result.Plan{
			Kind: "compare", Command: []string{"tare", "compare", "-shard", "1/3", "main", "HEAD~1 $(x)"},
			Seed: 7, Alpha: 0.05, Delta: 0.02, MaxBlocks: 40, BudgetSeconds: 10,
			Packages: []string{"./..."}, Bench: ".", Part: &result.Part{Number: n, Of: of},
		},
		Variants: []result.Variant{{Label: "main", Revision: "aaaa", Go: "go1.26.8"}, {Label: "HEAD", Revision: "bbbb", Go: "go1.26.8"}},
		Machine:  &result.Machine{OS: "linux", Arch: "amd64", Go: map[string]string{"GOAMD64": "v1"}},
	}
}

// recorded is a part with these benchmarks.
func recorded(name string, study result.Study, benchmarks ...result.Benchmark) Recorded {
	rec := &result.Recording{Study: study, Benchmarks: benchmarks, End: &result.End{Seconds: float64(study.Created.Minute())}}
	for i := range benchmarks {
		rec.Stops = append(rec.Stops, result.Stop{Benchmark: i, Reason: "blocks"})
	}
	return Recorded{Name: name, Recording: rec}
}

func benchmark(name string, blocks ...int) result.Benchmark {
	b := result.Benchmark{Key: result.Key{Pkg: "p", Name: name, Procs: 1}}
	for _, k := range blocks {
		b.Blocks = append(b.Blocks, result.Block{Block: k, Seconds: float64(k)})
	}
	return b
}

// TestMerge: the family is that of the whole, less what has the same code.
func TestMerge(t *testing.T) {
	b := recorded("2", headOf(2, 2), benchmark("B", 0), benchmark("C"))
	b.Recording.Stops[1].Reason = result.SameCode
	lines, err := Merge([]Recorded{recorded("1", headOf(1, 2), benchmark("A", 0, 1)), b}, nil)
	if err != nil {
		t.Fatal(err)
	}
	rec := result.NewRecording(lines)
	if rec.Study.Family != 2 || len(rec.Benchmarks) != 3 || rec.Stops[2].Benchmark != 2 || rec.Stops[2].Reason != result.SameCode {
		t.Errorf("study %+v, stops %+v", rec.Study, rec.Stops)
	}
	if rec.Benchmarks[1].Blocks[0].Benchmark != 1 || rec.Benchmarks[1].Blocks[0].Machine != 1 {
		t.Errorf("block %+v", rec.Benchmarks[1].Blocks[0])
	}
}

func TestMergeRefuses(t *testing.T) {
	with := func(edit func(*result.Study)) Recorded {
		s := headOf(2, 3)
		edit(&s)
		return recorded("b", s)
	}
	for _, c := range []struct {
		name string
		part Recorded
		want string
	}{
		{"missing", with(func(*result.Study) {}), "the parts 3/3 are missing: measure them like a (tare compare -shard 1/3 main 'HEAD~1 $(x)'), each with its -shard"},
		{"twice", with(func(s *result.Study) { s.Part.Number = 1 }), "part 1 is given twice, a and b"},
		{"whole", with(func(s *result.Study) { s.Part = nil }), "b is a whole study"},
		{"commit", with(func(s *result.Study) { s.Variants[1].Revision = "cccc" }), `differ in variants.1.revision, "bbbb" and "cccc": start every part with the same commits`},
		{"digest", with(func(s *result.Study) { s.Variants[1].Digest = "cccc" }), "differ in variants.1.digest"},
		{"go", with(func(s *result.Study) { s.Variants[0].Go = "go1.27.1" }), "differ in variants.0.go"},
		{"flags", with(func(s *result.Study) { s.Variants[0].Flags = []string{"-race"} }), `differ in variants.0.flags.0, none and "-race"`},
		{"seed", with(func(s *result.Study) { s.Seed = 8 }), "differ in seed, 7 and 8"},
		{"method", with(func(s *result.Study) { s.Method++ }), "differ in method"},
		{"alpha", with(func(s *result.Study) { s.Alpha = 0.01 }), "differ in alpha"},
		{"budget", with(func(s *result.Study) { s.BudgetSeconds = 1 }), "differ in budget_seconds"},
		{"bench", with(func(s *result.Study) { s.Bench = "X" }), "differ in bench"},
		{"of", with(func(s *result.Study) { s.Part.Of = 4 }), "differ in part.of"},
		{"arch", with(func(s *result.Study) { s.Machine.Arch = "arm64" }), "differ in machine.arch"},
		{"GOAMD64", with(func(s *result.Study) { s.Machine.Go["GOAMD64"] = "v3" }), "differ in machine.go.GOAMD64"},
	} {
		_, err := Merge([]Recorded{recorded("a", headOf(1, 3)), c.part}, nil)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
	if _, err := Merge([]Recorded{recorded("a", headOf(1, 2), benchmark("A", 3)), recorded("b", headOf(2, 2), benchmark("A", 3))}, nil); err == nil || !strings.Contains(err.Error(), "A is in a and in b") {
		t.Errorf("overlapping: %v", err)
	}
	cut := recorded("b", headOf(2, 2))
	cut.Recording.End = nil
	if _, err := Merge([]Recorded{recorded("a", headOf(1, 2)), cut}, nil); err == nil || !strings.Contains(err.Error(), "b did not finish") {
		t.Errorf("a part that did not end: %v", err)
	}
}

func TestParsePart(t *testing.T) {
	if p, err := ParsePart("3/8"); err != nil || p != (result.Part{Number: 3, Of: 8}) {
		t.Errorf("3/8: %+v, %v", p, err)
	}
	for _, text := range []string{"", "3", "0/8", "9/8", "3/8/2", "a/b", "1/1099511627776"} {
		if _, err := ParsePart(text); err == nil {
			t.Errorf("%q is taken", text)
		}
	}
}

// TestSeed: the same for every part and whatever its output, another for other
// commits or arguments.
func TestSeed(t *testing.T) {
	seed := func(edit func(*result.Study)) uint64 {
		s := headOf(1, 8)
		edit(&s)
		v, err := Seed(s)
		if err != nil || v == 0 || v >= 1<<53+1 {
			t.Fatalf("seed %d: %v", v, err)
		}
		return v
	}
	first := seed(func(*result.Study) {})
	if other := seed(func(s *result.Study) { s.Part.Number = 5; s.Output.Gate = result.DefaultLimits(); s.Command = nil }); other != first {
		t.Error("parts of one study have seeds of their own")
	}
	for name, edit := range map[string]func(*result.Study){
		"commit": func(s *result.Study) { s.Variants[0].Revision = "cccc" },
		"bench":  func(s *result.Study) { s.Bench = "X" },
		"of":     func(s *result.Study) { s.Part.Of = 9 },
	} {
		if seed(edit) == first {
			t.Errorf("another %s has the same seed", name)
		}
	}
}
