//go:build lab

package objcode

import (
	"cmp"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

var page = flag.String("page", "", "write the tables of TestTables to `FILE`")

// modules are released modules that the changes of TestTables are made to.
var modules = []struct{ path, version, pkg string }{
	{"github.com/cespare/xxhash/v2", "v2.3.0", "."},
	{"github.com/google/btree", "v1.1.3", "."},
	{"github.com/BurntSushi/toml", "v1.6.0", "."},
}

// TestTables makes the tables of docs/results/same-code.txt: the changes of the
// module in testdata, twenty changes of each of three released modules, and
// the pairs of versions of docs/results/modules.txt. It disassembles the linked
// binaries too: where a benchmark is called the same, no function that it calls
// directly may differ.
func TestTables(t *testing.T) {
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		t.Skip("it links binaries of linux/amd64")
	}
	for _, part := range []struct {
		name string
		rows func(*testing.T, func(row ...any))
	}{
		{"kinds", tableOfKinds}, {"modules", tableOfModules}, {"versions", tableOfVersions},
	} {
		t.Run(part.name, func(t *testing.T) {
			var out strings.Builder
			part.rows(t, func(row ...any) {
				for _, cell := range row {
					fmt.Fprintf(&out, "| %v ", cell)
				}
				out.WriteString("|\n")
				writePage(t, part.name, out.String())
			})
			t.Log("\n" + out.String())
		})
	}
}

func tableOfKinds(t *testing.T, add func(row ...any)) {
	base, err := txtar.ParseFile("testdata/module.txtar")
	if err != nil {
		t.Fatal(err)
	}
	var reader Reader
	old, oldBinary := build(t, &reader, unpack(t, base.Files), "./a")
	before := readLinked(t, oldBinary)
	for _, e := range edits {
		new, newBinary := build(t, &reader, unpack(t, e.apply(t, base.Files)), "./a", e.args...)
		same, measured, why := checked(t, e.name, old, new, before, readLinked(t, newBinary), "example.com/m/a")
		add(e.name, same, measured, why)
	}
}

func tableOfModules(t *testing.T, add func(row ...any)) {
	for _, m := range modules {
		t.Run(path.Base(strings.TrimSuffix(m.path, "/v2")), func(t *testing.T) {
			dir := download(t, m.path, m.version)
			var reader Reader
			old, oldBinary := build(t, &reader, dir, m.pkg)
			before := readLinked(t, oldBinary)
			changes := changesOf(t, dir, m.path)
			if len(changes) < 20 {
				t.Errorf("%s: %d changes, want 20", m.path, len(changes))
			}
			for _, change := range changes {
				restore := change.apply(t, dir)
				new, newBinary := build(t, &reader, dir, m.pkg)
				same, measured, why := checked(t, m.path+": "+change.name, old, new, before, readLinked(t, newBinary), m.path)
				restore()
				add(m.path, change.name, same, measured, why)
			}
		})
	}
}

// tableOfVersions compares the versions that internal/lab/modules measures.
func tableOfVersions(t *testing.T, add func(row ...any)) {
	list, err := os.ReadFile("../lab/modules/modules.txt")
	if err != nil {
		t.Fatal(err)
	}
	stanza := regexp.MustCompile(`(?m)^(\S+\.\S+) (\S+) (\S+)\n\tpackages (.*)$`)
	for _, found := range stanza.FindAllStringSubmatch(string(list), -1) {
		path, versions := found[1], found[2:4]
		for pkg := range strings.FieldsSeq(found[4]) {
			t.Run(path+" "+pkg, func(t *testing.T) {
				var reader Reader
				var programs [2]*Program
				var binaries [2]*linkedBinary
				for i, version := range versions {
					dir := download(t, path, version)
					if _, err := os.Stat(filepath.Join(dir, pkg)); err != nil {
						t.Skipf("%s is not in %s", pkg, version)
					}
					command := exec.Command("go", "mod", "download")
					command.Dir, command.Env = dir, append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod")
					if out, err := command.CombinedOutput(); err != nil {
						t.Skipf("go mod download: %v\n%s", err, out)
					}
					var binary string
					programs[i], binary = build(t, &reader, dir, pkg)
					binaries[i] = readLinked(t, binary)
				}
				full := strings.TrimSuffix(path+strings.TrimPrefix(pkg, "."), "/")
				same, measured, why := checked(t, path, programs[0], programs[1], binaries[0], binaries[1], full)
				add(path, versions[0]+" → "+versions[1], pkg, same, measured, why)
			})
		}
	}
}

// writePage replaces the rows of one table of the page, after its heading and up
// to its mark, that are about the same things: whose first cells are the same.
func writePage(t *testing.T, table, rows string) {
	t.Helper()
	if *page == "" {
		return
	}
	text, err := os.ReadFile(*page)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, ok := strings.Cut(string(text), "<!-- "+table+" -->\n")
	body, tail, also := strings.Cut(rest, "<!-- end of "+table+" -->")
	heading := regexp.MustCompile(`^\n\|.*\|\n\|[-|]*\|\n`).FindString(rest)
	if !ok || !also || heading == "" {
		t.Fatalf("no table %s in %s", table, *page)
	}
	about := func(row string) string { return strings.Split(row, "|")[1] }
	made := make(map[string]bool)
	for row := range strings.Lines(rows) {
		made[about(row)] = true
	}
	before, after := "", ""
	for row := range strings.Lines(strings.TrimPrefix(body, heading)) {
		switch {
		case !strings.HasPrefix(row, "|"):
		case made[about(row)]:
			before, after = before+after, ""
		default:
			after += row
		}
	}
	if err := os.WriteFile(*page, []byte(head+"<!-- "+table+" -->\n"+heading+before+rows+after+"\n<!-- end of "+table+" -->"+tail), 0o666); err != nil {
		t.Fatal(err)
	}
}

// checked counts the benchmarks that need no measurement, and checks each of
// them against the linked binaries.
func checked(t *testing.T, name string, old, new *Program, before, after *linkedBinary, pkg string) (same, measured int, why string) {
	t.Helper()
	c := Compare(old, new)
	for _, b := range c.Benchmarks() {
		v := c.Benchmark(b)
		if !v.Same {
			measured++
			why = cmp.Or(why, v.Why)
			continue
		}
		same++
		root := pkg + "." + b
		if _, ok := before.byName[root]; !ok {
			root = pkg + "_test." + b
		}
		if _, ok := before.byName[root]; !ok {
			t.Errorf("%s: no function %s", name, root)
		}
		if f := differs(before, after, root); f != "" && !strings.Contains(name, "renamed") {
			t.Errorf("%s: %s is called the same, but %s differs", name, b, f)
		}
	}
	return same, measured, why
}

// download copies a released module to a separate directory.
func download(t *testing.T, path, version string) string {
	t.Helper()
	out, err := exec.Command("go", "mod", "download", "-json", path+"@"+version).Output()
	if err != nil {
		t.Skipf("download %s: %v", path, err)
	}
	_, dir, _ := strings.Cut(string(out), `"Dir": "`)
	dir, _, _ = strings.Cut(dir, `"`)
	copied := t.TempDir()
	if err := os.CopyFS(copied, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	filepath.WalkDir(copied, func(path string, d fs.DirEntry, err error) error {
		if err == nil {
			err = os.Chmod(path, 0o777)
		}
		return err
	})
	return copied
}
