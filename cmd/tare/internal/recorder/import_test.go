package recorder

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tarebench/tare/cmd/tare/internal/history"
)

func TestWithoutNaN(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		`{"a": NaN, "b": [-Infinity, Infinity]}`: `{"a": null, "b": [null, null]}`,
		`{"NaN": "is \"NaN\" and \\", "b": NaN}`: `{"NaN": "is \"NaN\" and \\", "b": null}`,
		`"NaN`:                                   `"NaN`,
		`"\`:                                     `"\`,
		``:                                       ``,
	} {
		if got := string(withoutNaN([]byte(in))); got != want {
			t.Errorf("%s becomes %s", in, got)
		}
	}
}

func TestFindCommit(t *testing.T) {
	t.Parallel()
	a, b, c := "aaaaaaaa"+strings.Repeat("0", 32), "aaaaaaab"+strings.Repeat("0", 32), "c"+strings.Repeat("0", 39)
	known := newCommits([]history.Commit{{Hash: c, Subject: "c"}, {Hash: b, Subject: "b"}, {Hash: a, Subject: "a"}})
	other := strings.Repeat("f", 40)
	for _, test := range []struct{ hash, want, why string }{
		{a, a, ""},
		{"AAAAAAAA", a, ""},
		{"aaaaaaab", b, ""},
		{"c000000", c, ""},
		{"aaaaaaa", "", "several commits begin with aaaaaaa"},
		{"c00000000001", "", "not in this repository"},
		{other, other, ""},
		{"c00000", "", "is no hash"},
		{"--all", "", "is no hash"},
		{"master", "", "is no hash"},
	} {
		got, why := known.find(history.Commit{Hash: test.hash})
		if (why == "") != (test.why == "") || !strings.Contains(why, test.why) || why == "" && got.Hash != test.want {
			t.Errorf("%s: %+v, %s", test.hash, got, why)
		}
	}
}

func write(t *testing.T, dir, name, text string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// Several machines, commits and values of GOMAXPROCS in one file.
func TestBenchmarkPoints(t *testing.T) {
	t.Parallel()
	path := write(t, t.TempDir(), "a.txt", `goos: linux
goarch: amd64
pkg: p
machine: big
commit: aaaaaaaa
commit-time: 2025-01-05T10:00:00+01:00
BenchmarkA-4 1 10 ns/op
BenchmarkA-8 1 20 ns/op
BenchmarkB-8 1 7 widgets
commit: bbbbbbbb
machine: small
BenchmarkB-8 1 9 widgets
BenchmarkB-8 1 oops widgets
`)
	in := read(path)
	list, why := in.points, in.why
	if !strings.Contains(why, "oops") && !strings.Contains(why, "parsing") {
		t.Errorf("left out %q", why)
	}
	same := read(write(t, t.TempDir(), "a.txt", "commit: aaaaaaaa\nBenchmarkA-4 1 1 ns/op\nBenchmarkA-8 1 1 ns/op\nBenchmarkA-4-8 1 2 ns/op\n")).points
	if len(same) != 1 || len(same[0].Values) != 2 {
		t.Errorf("of one name: %+v", same)
	}
	if len(list) != 2 || list[0].Machine != "big, linux/amd64" || list[1].Machine != "small, linux/amd64" ||
		list[0].Commit.Time.UTC().Hour() != 9 {
		t.Fatalf("points %+v", list)
	}
	want := []history.Value{
		{Pkg: "p", Name: "A-4", Unit: "sec/op", Value: 1e-8, N: 1},
		{Pkg: "p", Name: "A-8", Unit: "sec/op", Value: 2e-8, N: 1},
		{Pkg: "p", Name: "B", Unit: "widgets", Value: 7, N: 1},
	}
	near := cmp.Comparer(func(a, b float64) bool { return a-b < 1e-15 && b-a < 1e-15 })
	if d := cmp.Diff(want, list[0].Values, near); d != "" {
		t.Error(d)
	}
}

// What cannot be stored is no reason to lose the rest, and nothing read from a
// file breaks the store.
func FuzzASV(f *testing.F) {
	f.Add([]byte(`{"commit_hash":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa","result_columns":["result","params","stats_ci_99_a","stats_ci_99_b","stats_repeat"],"results":{"a":[[1,2,3,4],[["1","2"],["x","x"]],[1,null,2],[1,null,5],[1]]}}`))
	f.Add([]byte(`{"commit_hash":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa","results":{"a":1,"b":NaN,"c":{"result":[1,2],"params":[[]],"stats":[{"ci_99":[-Infinity,2],"repeat":1e99}]},"d":"x","":3}}`))
	f.Add([]byte(`{"commit_hash":"x","date":99999999999999999}`))
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, data []byte) {
		list, _, _ := asvPoints(filepath.Join(dir, "aaaaaaaa-py3.json"), data)
		for _, p := range list {
			if _, err := history.Encode(history.Entry{Points: &p}); err != nil {
				t.Fatalf("%s: %v", data, err)
			}
		}
	})
}

// A file that is JSON of another tool is read as what it is.
func TestImportLeavesOut(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	hash := strings.Repeat("d", 40)
	write(t, dir, hash+".json", `{"Action":"output","Package":"p","Output":"BenchmarkA 1 10 ns/op\n"}`+"\n")
	write(t, dir, "other.json", `{"a":1}`)
	write(t, dir, "aaaaaaaa-env.json", `{"commit_hash":"`+hash+`","results":{"a":"text"}}`)
	write(t, dir, "bbbbbbbb-env.json", `{"commit_hash":"`+hash+`"}`)
	store := history.OpenFolder(filepath.Join(t.TempDir(), "h"))
	git := func(context.Context, string, string, ...string) ([]byte, error) { return nil, os.ErrNotExist }
	out, err := Import(context.Background(), store, Repository{Run: git}, []string{dir}, time.Unix(0, 0))
	if err != nil || out.Values != 1 || out.Commits != 1 || len(out.Left) != 3 {
		text, _ := json.Marshal(out)
		t.Fatalf("%s, %v", text, err)
	}
	for i, want := range []string{"not in a known form: a", "no results", "no benchmark result"} {
		if !strings.Contains(out.Left[i], want) {
			t.Errorf("left out %s, want %s", out.Left[i], want)
		}
	}
}
