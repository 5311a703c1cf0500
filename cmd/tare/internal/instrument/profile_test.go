package instrument

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/pprof/profile"
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
	if err := MergeProfiles(files, out); err != nil {
		t.Fatal(err)
	}
	back, err := ReadProfileFile(out)
	if err != nil {
		t.Fatal(err)
	}
	total := make(map[string]int64)
	for _, s := range back.Sample {
		total[s.Location[0].Line[0].Function.Name] += s.Value[1]
	}
	if total["a"] != 15 || total["b"] != 5 {
		t.Errorf("values of the merged profile: %v", total)
	}
	if err := MergeProfiles(append(files, filepath.Join(dir, "none")), out); err == nil || !strings.Contains(err.Error(), "none") {
		t.Errorf("a missing profile: %v", err)
	}
	inner := t.TempDir() // a benchmark can replace its profile
	if err := os.Symlink(files[0], filepath.Join(inner, "link")); err != nil {
		t.Skip(err)
	}
	if err := MergeProfiles([]string{filepath.Join(inner, "link")}, out); err == nil {
		t.Error("a link out of the directory was read")
	}
	before, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := MergeProfiles(files, filepath.Join(inner, "link")); err == nil { // it came with a checkout
		t.Error("a profile was written to a link")
	}
	if after, err := os.ReadFile(files[0]); err != nil || !bytes.Equal(before, after) {
		t.Error("the file behind a link was changed")
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
	kinds := []ProfileKind{cpuProfile, memProfile, blockProfile, mutexProfile, Trace}
	files, err := CollectProfiles(t.Context(), target, 1, kinds, 50*time.Millisecond, dir, "old-")
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range kinds {
		info, err := os.Stat(files[k])
		if err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", k, err)
		}
	}
	p, err := ReadProfileFile(files[memProfile])
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(p.Function, func(f *profile.Function) bool { return f.Name == "strings.Fields" }) {
		t.Errorf("strings.Fields is not in the memory profile: %v", p.Function)
	}
	target.Binary = filepath.Join(dir, "none")
	if _, err := CollectProfiles(t.Context(), target, 1, kinds, time.Millisecond, dir, ""); err == nil {
		t.Error("a missing binary was profiled")
	}
}

// TestManySamples: a profile of a stranger is small, and what it describes is not.
func TestManySamples(t *testing.T) {
	head := "\x0a\x00\x32\x00" // a type of samples, and an empty string
	for name, text := range map[string]string{
		"samples": strings.Repeat("\x12\x00", mostMessages),
		"labels":  "\x12\x80\x80\x80\x04" + strings.Repeat("\x1a\x00", mostMessages), // of a sample of 8 MiB
	} {
		var packed bytes.Buffer
		z := gzip.NewWriter(&packed)
		io.WriteString(z, head+text)
		z.Close()
		if _, err := ReadProfile(&packed); err == nil || !strings.Contains(err.Error(), "more than") {
			t.Errorf("%s: %v", name, err)
		}
	}
	data := new(bytes.Buffer)
	if err := cpu(map[string]int64{"a": 10, "b": 5}).WriteUncompressed(data); err != nil {
		t.Fatal(err)
	}
	if n := messages(data.Bytes(), 2); n < 10 || n > 100 {
		t.Errorf("a profile of two samples has %d messages", n)
	}
	for i := range data.Len() {
		messages(data.Bytes()[:i], 2)
	}
}
