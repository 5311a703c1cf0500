package lint_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/tarebench/tare/cmd/tare/internal/lab"
	"github.com/tarebench/tare/cmd/tare/internal/lintdriver"
	"github.com/tarebench/tare/cmd/tare/lint"
)

var (
	update = flag.Bool("update", false, "rewrite the generated documents and golden files")
	only   = flag.String("corpus", "", "of the corpus, look at this module alone (std is the standard library)")
)

// judgment is one finding of the corpus, read by a person.
type judgment struct {
	verdict string // true, false, doubtful
	finding string // "id module file:line"
	why     string
}

const judgedFile = "testdata/corpus/judged.txt"

func (j judgment) id() string { id, _, _ := strings.Cut(j.finding, " "); return id }

// judged reads the judgments: verdict, id, module, file:line, and a reason.
func judged(t *testing.T) []judgment {
	t.Helper()
	var list []judgment
	for _, line := range textLines(t, judgedFile) {
		words := strings.SplitN(line, " ", 5)
		if len(words) < 4 {
			t.Fatalf("%s: %q: want verdict, id, module, file:line", judgedFile, line)
		}
		j := judgment{verdict: words[0], finding: strings.Join(words[1:4], " ")}
		if len(words) == 5 {
			j.why = words[4]
		}
		switch j.verdict {
		case "true", "false", "doubtful":
		default:
			t.Fatalf("%s: %q: a finding is true, false or doubtful", judgedFile, line)
		}
		list = append(list, j)
	}
	return list
}

// textLines reads the lines of a file that are neither empty nor comments.
func textLines(t *testing.T, name string) []string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for sc := bufio.NewScanner(bytes.NewReader(text)); sc.Scan(); {
		if line := strings.TrimSpace(sc.Text()); line != "" && line[0] != '#' {
			list = append(list, line)
		}
	}
	return list
}

// TestCorpus runs every check over real benchmarks: the standard library's and
// those of the modules in testdata/corpus/modules.txt. Every finding must have
// been judged.
func TestCorpus(t *testing.T) {
	lab.Only(t, "fetches and compiles the modules of testdata/corpus (-timeout 60m)")
	known := make(map[string]string)
	for _, j := range judged(t) {
		known[j.finding] = j.verdict
	}
	seen := make(map[string]bool)
	corpus := append([]string{"std " + runtime.Version()}, textLines(t, "testdata/corpus/modules.txt")...)
	for _, line := range corpus {
		path, version, _ := strings.Cut(line, " ")
		if *only != "" && path != *only {
			continue
		}
		t.Run(path, func(t *testing.T) {
			for _, f := range corpusFindings(t, path, version) {
				seen[f] = true
				if known[f] == "" {
					t.Errorf("not judged: %s", f)
				}
			}
			for f := range known {
				if strings.Contains(f, " "+path+" ") && !seen[f] {
					t.Errorf("judged, but not found any more: %s", f)
				}
			}
		})
	}
}

// corpusFindings runs all checks over one module and names what they found.
func corpusFindings(t *testing.T, path, version string) []string {
	t.Helper()
	dir, pattern := filepath.Join(goroot(t), "src"), "std"
	env := append(os.Environ(), "GOFLAGS=-mod=mod")
	if path == "std" {
		env = os.Environ()
	} else {
		dir, pattern = moduleSource(t, path+"@"+version), "./..."
	}
	pkgs, broken, err := lintdriver.Load(context.Background(), lintdriver.Options{Dir: dir, Env: env}, pattern)
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range broken {
		t.Logf("left out: %v", err)
	}
	list, err := lintdriver.Run(pkgs, lint.Checks())
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, d := range list {
		rel, err := filepath.Rel(dir, d.File)
		if err != nil {
			t.Fatal(err)
		}
		name := fmt.Sprintf("%s %s %s:%d", d.ID, path, filepath.ToSlash(rel), d.Line)
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	t.Logf("%s %s: %d packages, %d findings", path, version, len(pkgs), len(names))
	return names
}

// moduleSource fetches a module and returns a writable copy of it.
func moduleSource(t *testing.T, module string) string {
	t.Helper()
	cmd := exec.Command("go", "mod", "download", "-json", module)
	cmd.Dir = t.TempDir()
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("fetch %s: %v\n%s", module, err, out)
	}
	var m struct{ Dir string }
	if err := json.Unmarshal(out, &m); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "module")
	if err := os.CopyFS(dir, os.DirFS(m.Dir)); err != nil {
		t.Fatal(err)
	}
	path, _, _ := strings.Cut(module, "@")
	if _, err := os.Stat(filepath.Join(dir, "go.mod")); os.IsNotExist(err) { // older than modules
		if err := os.Chmod(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		write(t, dir, "go.mod", "module "+path+"\n\ngo 1.17\n")
	}
	// The cache is read-only, and the go command writes go.sum.
	for _, name := range []string{".", "go.mod", "go.sum"} {
		if err := os.Chmod(filepath.Join(dir, name), 0o755); err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
	}
	return dir
}

// goroot is where the installed Go keeps its sources.
func goroot(t *testing.T) string {
	t.Helper()
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}
