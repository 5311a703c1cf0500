package count

import (
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/pprof/profile"

	"github.com/tarebench/tare/cmd/tare/internal/result"
)

// cpu makes a profile of functions with their cpu time.
func cpu(values map[string]int64) *profile.Profile {
	p := &profile.Profile{
		SampleType: []*profile.ValueType{{Type: "samples", Unit: "count"}, {Type: "cpu", Unit: "nanoseconds"}},
		PeriodType: &profile.ValueType{Type: "cpu", Unit: "nanoseconds"}, Period: 1,
	}
	id := uint64(0)
	for name, v := range values {
		id++
		f := &profile.Function{ID: id, Name: name, Filename: name + ".go"}
		l := &profile.Location{ID: id, Line: []profile.Line{{Function: f, Line: int64(id)}}}
		p.Function = append(p.Function, f)
		p.Location = append(p.Location, l)
		p.Sample = append(p.Sample, &profile.Sample{Location: []*profile.Location{l}, Value: []int64{v, v}})
	}
	return p
}

func TestDiffProfiles(t *testing.T) {
	old := cpu(map[string]int64{"a": 500, "b": 300, "gone": 200})
	// Twice as long, so that times and shares disagree about b.
	new := cpu(map[string]int64{"a": 1000, "b": 600, "born": 400})
	diff := func(old, new *profile.Profile) (c result.ProfileChange) {
		t.Helper()
		if err := DiffProfiles(&c, old, new, CPUProfile, 10); err != nil {
			t.Fatal(err)
		}
		return c
	}
	c := diff(old, new)
	got := c.Functions
	if len(got) != 2 || got[0].Name != "born" || got[1].Name != "gone" || c.OldSamples != 1000 || c.NewSamples != 2000 {
		t.Fatalf("DiffProfiles = %+v, want born and gone: a and b kept their share", c)
	}
	if got[0].Old != 0 || math.Abs(got[0].New-0.2) > 1e-12 || got[1].File != "gone.go" {
		t.Errorf("DiffProfiles = %+v", got)
	}
	// 70 samples per variant cannot distinguish 25% from 15%.
	if few := diff(cpu(map[string]int64{"a": 18, "b": 52, "once": 1}), cpu(map[string]int64{"a": 10, "b": 60})); len(few.Functions) != 0 || few.OldSamples != 71 {
		t.Errorf("differences within the sampling error are shown: %+v", few)
	}
	if err := DiffProfiles(&result.ProfileChange{}, old, new, MemProfile, 10); err == nil {
		t.Error("a CPU profile was taken for a memory profile")
	}
	if c := diff(cpu(nil), cpu(nil)); len(c.Functions) != 0 {
		t.Errorf("empty profiles: %v", c)
	}
}

// TestFisher: p-values by enumeration in exact rational arithmetic, and
// Fisher's lady tasting tea.
func TestFisher(t *testing.T) {
	for _, tt := range []struct {
		k, n, l, m int
		want       float64
	}{
		{3, 4, 1, 4, 0.4857142857142857},
		{18, 70, 10, 70, 0.13825919218426885},
		{1, 70, 0, 70, 1.0},
		{50, 100, 20, 100, 1.388917069033008e-05},
		{0, 10, 0, 12, 1.0},
		{140, 1000, 90, 1000, 0.0005706451387149473},
		{30, 5000, 400, 5000, 8.368012633129102e-87},
	} {
		if got := fisher(tt.k, tt.n, tt.l, tt.m); math.Abs(got-tt.want) > 1e-9*tt.want {
			t.Errorf("fisher(%d of %d, %d of %d) = %.12g, want %.12g", tt.k, tt.n, tt.l, tt.m, got, tt.want)
		}
	}
}

func TestMergeProfiles(t *testing.T) {
	dir := t.TempDir()
	var files []string
	for i, v := range []map[string]int64{{"a": 10}, {"a": 5, "b": 5}} {
		files = append(files, filepath.Join(dir, string(rune('0'+i))))
		f, err := os.Create(files[i])
		if err != nil {
			t.Fatal(err)
		}
		if err := cpu(v).Write(f); err != nil {
			t.Fatal(err)
		}
		f.Close()
	}
	out := filepath.Join(dir, "merged")
	if _, err := MergeProfiles(files, out); err != nil {
		t.Fatal(err)
	}
	back, err := readProfile(out)
	if err != nil {
		t.Fatal(err)
	}
	s, err := shares(back, CPUProfile)
	if err != nil || math.Abs(s.functions["a"].part-0.75) > 1e-12 {
		t.Errorf("shares of the merged profile: %v, %v", s, err)
	}
	if _, err := MergeProfiles(append(files, filepath.Join(dir, "none")), out); err == nil || !strings.Contains(err.Error(), "none") {
		t.Errorf("a missing profile: %v", err)
	}
}

func TestCollectProfiles(t *testing.T) {
	dir := t.TempDir()
	binary := filepath.Join(dir, "counted.test")
	build := exec.Command("go", "test", "-c", "-o", binary, ".")
	build.Dir, build.Env = filepath.Join("testdata", "counted"), append(os.Environ(), "GOWORK=off")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	target := Target{Binary: binary, Dir: dir, Benchmark: "Fields"}
	kinds := []ProfileKind{CPUProfile, MemProfile, BlockProfile, MutexProfile, Trace}
	files, err := CollectProfiles(t.Context(), Run, target, 1, kinds, 50*time.Millisecond, dir, "old-")
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range kinds {
		info, err := os.Stat(files[k])
		if err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", k, err)
		}
	}
	p, err := readProfile(files[MemProfile])
	if err != nil {
		t.Fatal(err)
	}
	s, err := shares(p, MemProfile)
	if err != nil || s.functions["strings.Fields"].part == 0 {
		t.Errorf("strings.Fields has no share of the memory profile: %v, %v", s, err)
	}
	target.Binary = filepath.Join(dir, "none")
	if _, err := CollectProfiles(t.Context(), Run, target, 1, kinds, time.Millisecond, dir, ""); err == nil {
		t.Error("a missing binary was profiled")
	}
}
