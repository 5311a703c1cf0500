package explain

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/tarebench/tare/cmd/tare/internal/lab"
	"github.com/tarebench/tare/cmd/tare/internal/objcode"
	"github.com/tarebench/tare/cmd/tare/internal/test/objects"
)

// TestSeeds checks that the first cause of each seeded pair is the seeded one,
// or that there is none if machine code cannot show it.
func TestSeeds(t *testing.T) {
	files, err := filepath.Glob("testdata/seeds/*.txtar")
	if err != nil || len(files) != 34 {
		t.Fatalf("%d seeds, want 34: %v", len(files), err)
	}
	var reader objcode.Reader
	builtins := objcode.Builtins(goroot(t))
	if len(builtins) < 100 {
		t.Fatalf("%d functions of the runtime have names", len(builtins))
	}
	for _, file := range files {
		if !lab.Long && strings.HasSuffix(file, "goamd64.txtar") {
			continue // it compiles the standard library
		}
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel() // it waits for the go command
			seed, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			header := fields(string(seed.Comment))
			var profile []string
			if path := guided(t, header); path != "" { // go list ignores -pgo
				profile = []string{"-gcflags=example.com/x=-pgoprofile=" + path}
			}
			old := open(t, &reader, seed, "old/", profile...)
			new := open(t, &reader, seed, "new/", strings.Fields(header["newflags"])...)
			causes := benchmarkCauses(objcode.Compare(old, new), "BenchmarkWork", builtins)
			if header["shares"] != "" {
				shares := map[string]float64{}
				for pair := range strings.FieldsSeq(header["shares"]) {
					name, value, _ := strings.Cut(pair, "=")
					shares[name], err = strconv.ParseFloat(value, 64)
					if err != nil {
						t.Fatal(err)
					}
				}
				causes = inHotFunctions(causes, nil, shares)
			}
			ranked := rank(causes, true)
			for _, c := range ranked {
				t.Logf("%s", c)
			}
			got, function, subject := Kind("unknown"), "", ""
			if len(ranked) > 0 {
				got, function, subject = ranked[0].Kind, ranked[0].Function, ranked[0].Subject
			}
			if want := Kind(header["want"]); got != want {
				t.Errorf("first cause %s, want %s", got, want)
			}
			if want := header["function"]; want != "" && function != want {
				t.Errorf("in %s, want %s", function, want)
			}
			if want := header["subject"]; want != "" && subject != want {
				t.Errorf("of %s, want %s", subject, want)
			}
			if want := header["type"]; want != "" && (len(ranked) == 0 || ranked[0].Type != want) {
				t.Errorf("the first cause does not name type %s", want)
			}
		})
	}
}

// guided writes the profile that the old variant of a seed is compiled with;
// empty without one.
func guided(t *testing.T, header map[string]string) string {
	t.Helper()
	call := strings.Fields(header["hotcall"])
	if len(call) == 0 {
		return ""
	}
	path := filepath.Join(t.TempDir(), "cpu.pprof")
	line, err := strconv.Atoi(call[2])
	if err != nil {
		t.Fatal(err)
	}
	if err := writeHotCall(path, call[0], call[1], line); err != nil {
		t.Fatal(err)
	}
	return path
}

// fields reads "name: value" lines.
func fields(text string) map[string]string {
	all := make(map[string]string)
	for line := range strings.Lines(text) {
		if name, value, ok := strings.Cut(line, ": "); ok {
			all[name] = strings.TrimSpace(value)
		}
	}
	return all
}

// open builds one variant of a seed: the files of its directory, and the files
// without one.
func open(t *testing.T, reader *objcode.Reader, seed *txtar.Archive, side string, settings ...string) *objcode.Program {
	t.Helper()
	dir := t.TempDir()
	for _, f := range seed.Files {
		name, mine := strings.CutPrefix(f.Name, side)
		if !mine && (strings.HasPrefix(name, "old/") || strings.HasPrefix(name, "new/")) {
			continue
		}
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, f.Data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	linkDir, args := objects.Compile(t, dir, ".", settings...)
	p, err := reader.Open(linkDir, args)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// goroot is the GOROOT of the go command, whose library the tests compile
// against.
func goroot(t *testing.T) string {
	t.Helper()
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}
