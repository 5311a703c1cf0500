package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/tarebench/tare/cmd/tare/internal/session"
	"github.com/tarebench/tare/cmd/tare/internal/test/executable"
)

// TestStatAgainstBenchstat runs the real benchstat and tare stat -format
// benchstat over testdata/benchstat: each case is an archive of input files
// with the arguments in "args" and the reason of the case on top. The outputs
// are equal, byte for byte, but for the cases named diff_*, which must
// differ: there "tare" holds what tare says, and the comment says why
// (docs/stat.md lists these).
func TestStatAgainstBenchstat(t *testing.T) {
	benchstat := executable.Build(t, executable.Benchstat)
	cases, err := filepath.Glob("testdata/benchstat/*.txtar")
	if err != nil || len(cases) < 30 {
		t.Fatalf("%d cases, want at least 30 (%v)", len(cases), err)
	}
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range cases {
		name := strings.TrimSuffix(filepath.Base(path), ".txtar")
		t.Run(name, func(t *testing.T) {
			archive, err := txtar.ParseFile(filepath.Join(here, path))
			if err != nil {
				t.Fatal(err)
			}
			dir := t.TempDir()
			var args []string
			tareSays := -1
			for i, f := range archive.Files {
				switch f.Name {
				case "args":
					args = splitArgs(strings.TrimSpace(string(f.Data)))
				case "tare":
					tareSays = i
				default:
					if err := os.WriteFile(filepath.Join(dir, f.Name), f.Data, 0o666); err != nil {
						t.Fatal(err)
					}
				}
			}
			cmd := exec.Command(benchstat, args...)
			cmd.Dir = dir
			var theirs bytes.Buffer
			cmd.Stdout = &theirs
			if err := cmd.Run(); err != nil {
				t.Fatal(err)
			}
			t.Chdir(dir)
			var ours, problems bytes.Buffer
			argv := append([]string{"tare", "stat", "-format", "benchstat"}, args...)
			if code := run(context.Background(), session.Host{Tree: os.DirFS("/")}, argv, nil, &ours, &problems); code != 0 {
				t.Fatalf("exit %d: %s", code, problems.String())
			}
			if !strings.HasPrefix(name, "diff_") {
				if d := cmp.Diff(theirs.String(), ours.String()); d != "" {
					t.Errorf("-benchstat +tare:\n%s\nbenchstat:\n%s\ntare:\n%s", d, theirs.String(), ours.String())
				}
				return
			}
			if theirs.String() == ours.String() {
				t.Errorf("benchstat says the same now: the difference is to be taken off the list\n%s", ours.String())
			}
			if *update {
				if tareSays < 0 {
					archive.Files = append(archive.Files, txtar.File{Name: "tare"})
					tareSays = len(archive.Files) - 1
				}
				archive.Files[tareSays].Data = ours.Bytes()
				if err := os.WriteFile(filepath.Join(here, path), txtar.Format(archive), 0o666); err != nil {
					t.Fatal(err)
				}
				return
			}
			if tareSays < 0 {
				t.Fatal("no golden part: run with -update")
			}
			if d := cmp.Diff(string(archive.Files[tareSays].Data), ours.String()); d != "" {
				t.Errorf("-want +got:\n%s", d)
			}
		})
	}
}

// splitArgs splits at spaces outside single quotes.
func splitArgs(s string) []string {
	var args []string
	for i, part := range strings.Split(s, "'") {
		if i%2 == 1 {
			args = append(args, part)
		} else {
			args = append(args, strings.Fields(part)...)
		}
	}
	return args
}

// TestBenchstatReadsGoLines gives the lines of a comparison to the real benchstat:
// it finds the sides, the rows and the blocks.
func TestBenchstatReadsGoLines(t *testing.T) {
	var lines, notes bytes.Buffer
	argv := []string{"tare", "show", "-format", "go", "testdata/recordings/one_sided.jsonl"}
	if code := run(context.Background(), session.Host{Tree: os.DirFS("/")}, argv, nil, &lines, &notes); code != 0 {
		t.Fatalf("exit %d: %s", code, notes.String())
	}
	if !strings.Contains(notes.String(), "p-values of these lines are too small") {
		t.Errorf("no warning in %q", notes.String())
	}
	file := filepath.Join(t.TempDir(), "lines.txt")
	if err := os.WriteFile(file, lines.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(executable.Build(t, executable.Benchstat), "-col", "variant", file).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for _, want := range []string{".,env=SIDE=new,tags=new", "vs base", "n=2", "\nMetric", "retries/op"} {
		if !strings.Contains(string(out), want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
}
