package production

import (
	"bytes"
	"compress/gzip"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/pprof/profile"
)

// cpu is a profile with a sample of each stack, innermost first, and its time.
func cpu(kind string, stacks map[string]int64) *profile.Profile {
	p := &profile.Profile{SampleType: []*profile.ValueType{{Type: kind, Unit: "nanoseconds"}}}
	known := make(map[string]*profile.Location)
	for text, time := range stacks {
		s := &profile.Sample{Value: []int64{time}}
		for name := range strings.FieldsSeq(text) {
			if known[name] == nil {
				f := &profile.Function{ID: uint64(len(p.Function) + 1), Name: name}
				l := &profile.Location{ID: f.ID, Line: []profile.Line{{Function: f}}}
				p.Function, p.Location = append(p.Function, f), append(p.Location, l)
				known[name] = l
			}
			s.Location = append(s.Location, known[name])
		}
		p.Sample = append(p.Sample, s)
	}
	return p
}

func write(t *testing.T, data []byte) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "default.pgo")
	if err := os.WriteFile(file, data, 0o666); err != nil {
		t.Fatal(err)
	}
	return file
}

func encoded(t *testing.T, p *profile.Profile) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := p.Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestWeigh: names match across closures, type arguments and vendoring, and a stack
// counts once.
func TestWeigh(t *testing.T) {
	p, err := Read(write(t, encoded(t, cpu("cpu", map[string]int64{
		"runtime.memmove m.F.func1 m.F m.G main.main": 40e9,
		"m.G m.G main.main":                           30e9,
		"m.(*T[...]).Set.func2.1 main.main":           10e9,
		"m.(*T[...]).Set-range1-range2.1 main.main":   5e9,
		"m.(*T[...]).Set-fm m.Seq.1 main.main":        5e9,
		"a/vendor/v.org/x.Do runtime.main":            10e9,
	}))))
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{"m.F": true, "m.G": true, "m.(*T).Set": true, "v.org/x.Do": true, "m.Seq": true, "m.Absent": true}
	is := func(name string) bool { return names[name] }
	for name, want := range map[string]struct{ Total, Own float64 }{"m.F": {0.4, 0.4}, "m.G": {0.7, 0.3}, "m.(*T).Set": {0.2, 0.2}, "v.org/x.Do": {0.1, 0.1}, "m.Seq": {0.05, 0}, "m.Absent": {}} {
		got := p.Weigh(is)[name]
		if math.Abs(got.Total-want.Total) > 1e-12 || math.Abs(got.Own-want.Own) > 1e-12 {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
	standard := func(name string) bool { return strings.HasPrefix(name, "runtime.") }
	delete(names, "v.org/x.Do")
	if share, unknown := p.Matched(is, standard); math.Abs(share-0.9) > 1e-12 || unknown != 2 || p.Seconds != 100 {
		t.Errorf("matched %v, unknown %d, %v s", share, unknown, p.Seconds)
	}
}

// TestNear: the nearest by calls comes first, on either side, then the one with more
// time, then by name.
func TestNear(t *testing.T) {
	p, err := newProfile(cpu("cpu", map[string]int64{
		"m.Leaf m.F m.G main.main": 10,
		"m.F m.H main.main":        30,
		"m.Far m.Leaf m.F m.G":     10,
		"m.Twin m.F main.other":    20,
		"m.Apart main.main":        50,
	}))
	if err != nil {
		t.Fatal(err)
	}
	for of, want := range map[string]string{
		"m.F":      "m.H m.G m.Leaf m.Twin main.other main.main m.Far",
		"m.Apart":  "main.main",
		"m.Absent": "",
	} {
		if got := strings.Join(p.Near(of), " "); got != want {
			t.Errorf("near %s: %s, want %s", of, got, want)
		}
	}
}

// TestBadProfiles: each has a reason in words.
func TestBadProfiles(t *testing.T) {
	valid := encoded(t, cpu("cpu", map[string]int64{"m.F": 1}))
	var bomb bytes.Buffer
	z := gzip.NewWriter(&bomb)
	zeros := make([]byte, 1<<20)
	for range 257 {
		if _, err := z.Write(zeros); err != nil {
			t.Fatal(err)
		}
	}
	z.Close()
	for _, test := range []struct {
		data []byte
		want string
	}{
		{nil, "the file is empty"},
		{[]byte("# notes\n"), "it is no profile of pprof"},
		{append([]byte{0x1f, 0x8b}, "garbage"...), "it is broken"},
		{valid[:len(valid)-4], "it is broken"},
		{encoded(t, cpu("alloc_space", map[string]int64{"m.F": 1})), "it is no CPU profile: it has alloc_space"},
		{encoded(t, cpu("delay", map[string]int64{"m.F": 1})), "it is no CPU profile: it has delay"},
		{encoded(t, cpu("cpu", nil)), "it has no samples"},
		{make([]byte, 100<<20), "it has more than 32 MiB"},
		{bomb.Bytes(), "it has more than 32 MiB"},
	} {
		if _, err := Read(write(t, test.data)); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%v, want %q", err, test.want)
		}
	}
	if _, err := Read(filepath.Join(t.TempDir(), "none")); err == nil || !strings.Contains(err.Error(), "no such file") {
		t.Error(err)
	}
	if _, err := Read(os.DevNull); err == nil || !strings.Contains(err.Error(), "it is not a regular file") {
		t.Error(err)
	}
}

// TestDefault: a single default.pgo outside of vendored and hidden directories.
func TestDefault(t *testing.T) {
	root := t.TempDir()
	for _, dir := range []string{".git", "vendor/x", "cmd/a"} {
		path := filepath.Join(root, dir)
		if err := os.MkdirAll(path, 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(path, "default.pgo"), nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if file, err := Default(root); file != filepath.Join(root, "cmd/a/default.pgo") || err != nil {
		t.Error(file, err)
	}
	if err := os.WriteFile(filepath.Join(root, "default.pgo"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if file, err := Default(root); file != "" || err == nil {
		t.Error(file, err)
	}
}
