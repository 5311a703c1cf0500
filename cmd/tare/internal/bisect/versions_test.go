//go:build lab

package bisect

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// release is a module whose releases are made a history, a commit for each.
// The release that brings the change is known from go test -bench -benchmem of
// every release by itself.
type release struct {
	module, first, last, unit, culprit string
	// test is a benchmark of the module, and pkg its package.
	pkg, test string
}

var releases = []release{
	{"github.com/rivo/uniseg", "v0.3.1", "v0.4.7", "sec/op", "v0.4.6", "uniseg",
		`func BenchmarkVersions(b *testing.B) {
	for i := 0; i < b.N; i++ {
		GraphemeClusterCount("The quick brown fox, größer, 🏳️‍🌈🇩🇪 ภาษาไทย jumps")
	}
}`},
	{"github.com/BurntSushi/toml", "v1.0.0", "v1.6.0", "allocs/op", "v1.4.0", "toml",
		`func BenchmarkVersions(b *testing.B) {
	const text = "title = \"x\"\n[owner]\nname = \"Tom\"\nage = 42\nlist = [1, 2, 3, 4]\n[servers.alpha]\nip = \"10.0.0.1\"\n[servers.beta]\nip = \"10.0.0.2\"\n"
	for i := 0; i < b.N; i++ {
		var v map[string]interface{}
		if _, err := Decode(text, &v); err != nil {
			b.Fatal(err)
		}
	}
}`},
	{"github.com/gorilla/mux", "v1.4.0", "v1.8.1", "B/op", "v1.6.2", "mux",
		`func BenchmarkVersions(b *testing.B) {
	r := NewRouter()
	r.HandleFunc("/v1/{v1}", func(http.ResponseWriter, *http.Request) {})
	q, err := http.NewRequest("GET", "/v1/anything", nil)
	if err != nil {
		b.Fatal(err)
	}
	for i := 0; i < b.N; i++ {
		r.ServeHTTP(nil, q)
	}
}`},
}

// TestModuleVersions bisects the releases of modules that others wrote.
func TestModuleVersions(t *testing.T) {
	for _, m := range releases {
		t.Run(m.module, func(t *testing.T) {
			r := newCheckout(t)
			r.write("go.mod", "module x.test\n")
			goCommand := func(args ...string) []byte {
				cmd := exec.Command("go", args...)
				cmd.Dir = r.dir
				out, err := cmd.Output()
				if err != nil {
					t.Fatalf("go %v: %v", args, err)
				}
				return out
			}
			versions := strings.Fields(string(goCommand("list", "-m", "-versions", m.module)))[1:]
			from, to := slices.Index(versions, m.first), slices.Index(versions, m.last)
			if from < 0 || to < from {
				t.Skipf("no %s or no %s among %v", m.first, m.last, versions)
			}
			for _, v := range versions[from : to+1] {
				var download struct{ Dir string }
				if err := json.Unmarshal(goCommand("mod", "download", "-json", m.module+"@"+v), &download); err != nil {
					t.Fatal(err)
				}
				r.replaceBy(download.Dir)
				if _, err := os.Stat(filepath.Join(r.dir, "go.mod")); err != nil {
					r.write("go.mod", "module "+m.module+"\n")
				}
				r.write("versions_test.go", "package "+m.pkg+"\n\nimport (\n\t\"net/http\"\n\t\"testing\"\n)\n\nvar _ http.Handler\n\n"+m.test+"\n")
				r.commit(v)
			}
			found := r.bisect("Versions", m.unit, ".")
			var named []string
			for _, s := range found.Steps {
				for _, p := range s.Points {
					named = append(named, p.Title)
				}
			}
			t.Logf("| %s | %d | %s | %s | %v | %d | %d | %.0f s |", m.module, found.Points-1, m.unit, m.culprit, named, len(found.SameCode), found.Blocks, found.Seconds)
			if len(named) > 0 && !slices.Contains(named, m.culprit) {
				t.Errorf("named %v, want %s", named, m.culprit)
			}
		})
	}
}

// replaceBy makes the files of a directory the only ones of the repository,
// without their tests.
func (r checkout) replaceBy(folder string) {
	r.t.Helper()
	entries, err := os.ReadDir(r.dir)
	if err != nil {
		r.t.Fatal(err)
	}
	for _, e := range entries {
		if e.Name() != ".git" {
			if err := os.RemoveAll(filepath.Join(r.dir, e.Name())); err != nil {
				r.t.Fatal(err)
			}
		}
	}
	err = filepath.WalkDir(folder, func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() || strings.HasSuffix(path, "_test.go") {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(folder, path)
		if err != nil {
			return err
		}
		r.write(rel, string(data))
		return nil
	})
	if err != nil {
		r.t.Fatal(err)
	}
}
