//go:build lab

package explain

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/tarebench/tare/cmd/tare/internal/test/executable"
)

var (
	page   = flag.String("page", "", "write the rows of TestExplainSeeds to `FILE`")
	budget = flag.String("budget", "10s", "tare's -budget")
)

// right is how many of the seeded pairs the first cause named must be right
// for.
const right = 28

// TestExplainSeeds runs tare explain for the comparison of each seeded pair, as a user
// would, with the old variant committed and the new one in the working tree. If
// the seed lists observations of the running program, they must be reported.
func TestExplainSeeds(t *testing.T) {
	hits, all := 0, 0
	files := eachSeed(t, "seeds", func(t *testing.T, tare, name string, seed *txtar.Archive) {
		all++
		header := fields(string(seed.Comment))
		want := Kind(header["want"])
		if seen := header["running"]; seen != "" {
			want = Kind(seen)
		}
		e := explainSeed(t, tare, seed)
		got, words := firstOf(e)
		mark := "right"
		switch {
		case got == want:
			hits++
		case got == "unknown":
			mark = "unknown"
		default:
			mark = "**" + string(want) + "**"
		}
		description, _, _ := strings.Cut(string(seed.Comment), "\n")
		writeRow(t, "seeds", "| seed | what changed | first cause | in words | verdict |",
			fmt.Sprintf("| %s | %s | %s | %s | %s |\n", name, description, mark, words, e.Verdict))
	})
	if all == files && hits < right {
		t.Errorf("the first cause is right for %d of %d, want %d", hits, all, right)
	}
	t.Logf("right: %d of %d", hits, all)
}

// TestExplainUnseen does the same for pairs that were written after the rules. A
// regular expression must match their first cause.
func TestExplainUnseen(t *testing.T) {
	eachSeed(t, "unseen", func(t *testing.T, tare, name string, seed *txtar.Archive) {
		header := fields(string(seed.Comment))
		names, err := regexp.Compile(header["names"])
		if err != nil {
			t.Fatal(err)
		}
		e := explainSeed(t, tare, seed)
		got, words := firstOf(e)
		mark := "**wrong**"
		switch {
		case got == "unknown":
			mark = "unknown"
		case names.MatchString(words):
			mark = "right"
		case got == Body || got == Operands:
			mark = "the function alone"
		}
		description, _, _ := strings.Cut(string(seed.Comment), "\n")
		writeRow(t, "unseen", "| seed | what changed | at first | now | in words | verdict |",
			fmt.Sprintf("| %s | %s | %s | %s | %s | %s |\n", name, description, header["first"], mark, words, e.Verdict))
	})
}

// eachSeed calls a function with the seeds of a directory and the command, built
// for it, and returns the number of seeds.
func eachSeed(t *testing.T, folder string, do func(t *testing.T, tare, name string, seed *txtar.Archive)) int {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", folder, "*.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	tare := executable.Build(t, executable.Tare)
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".txtar")
		t.Run(name, func(t *testing.T) {
			seed, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			do(t, tare, name, seed)
		})
	}
	return len(files)
}

// firstOf is the first cause, as a cell of a table.
func firstOf(e Explanation) (kind Kind, words string) {
	if len(e.Causes) == 0 {
		return "unknown", ""
	}
	return e.Causes[0].Kind, strings.ReplaceAll(e.Causes[0].String(), "|", "\\|")
}

// explainSeed runs tare explain in a repository made of a seed.
func explainSeed(t *testing.T, tare string, seed *txtar.Archive) Explanation {
	t.Helper()
	header := fields(string(seed.Comment))
	dir := t.TempDir()
	run := func(name string, args ...string) []byte {
		t.Helper()
		cmd := exec.Command(name, args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GIT_AUTHOR_NAME=t", "GIT_AUTHOR_EMAIL=t@example.com", "GIT_COMMITTER_NAME=t", "GIT_COMMITTER_EMAIL=t@example.com",
			"GOFLAGS=-mod=mod", "GOWORK=off", "GOPROXY=off", "NO_COLOR=1", "TARE_LOCK="+filepath.Join(os.TempDir(), "tare-explain-seeds.lock"))
		out, err := cmd.Output()
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			t.Fatalf("%s %v: %v\n%s", name, args, err, exit.Stderr)
		}
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	write := func(side string) {
		for _, f := range seed.Files {
			name, mine := strings.CutPrefix(f.Name, side)
			if !mine && (strings.HasPrefix(name, "old/") || strings.HasPrefix(name, "new/")) {
				continue
			}
			path := filepath.Join(dir, name)
			if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o777), os.WriteFile(path, f.Data, 0o666)); err != nil {
				t.Fatal(err)
			}
		}
	}
	run("git", "init", "-q", ".")
	write("old/")
	run("git", "add", "--all")
	run("git", "-c", "commit.gpgsign=false", "commit", "-q", "-m", "old")
	write("new/")
	before, after := "HEAD", "."
	for setting := range strings.FieldsSeq(header["newflags"]) {
		after += ",env=" + setting
	}
	if profile := guided(t, header); profile != "" {
		before += ",flags=-pgo=" + profile
	}
	var out Explained
	run(tare, "compare", "-budget", *budget, "-bench", "Work", "-measure-all", before, after)
	studies, err := filepath.Glob(filepath.Join(dir, ".tare", "*-compare"))
	if err != nil || len(studies) != 1 {
		t.Fatalf("studies %v: %v", studies, err)
	}
	if err := json.Unmarshal(run(tare, "explain", "-json", studies[0], before, after), &out); err != nil {
		t.Fatal(err)
	}
	for _, e := range out.Benchmarks {
		if e.Name == "Work" {
			return e
		}
	}
	// Equal code has nothing to explain.
	return Explanation{Causes: []Cause{{Kind: Layout}}}
}

// writeRow puts the row of a seed into a table of the page, in place of an
// earlier one, and counts those that are right.
func writeRow(t *testing.T, which, head, row string) {
	t.Helper()
	if *page == "" {
		return
	}
	text, err := os.ReadFile(*page)
	if err != nil {
		t.Fatal(err)
	}
	begin, end := "<!-- "+which+" -->\n", "<!-- end of "+which+" -->"
	above, rest, ok := strings.Cut(string(text), begin)
	table, below, also := strings.Cut(rest, end)
	if !ok || !also {
		t.Fatalf("%s has no table of %s", *page, which)
	}
	name := func(row string) string { return strings.TrimSpace(strings.Split(row, "|")[1]) }
	rows := []string{row}
	for line := range strings.Lines(table) {
		if strings.HasPrefix(line, "| ") && name(line) != "seed" && name(line) != name(row) {
			rows = append(rows, line)
		}
	}
	slices.Sort(rows)
	hits := func(cell int) (n int) {
		for _, row := range rows {
			if strings.Split(row, " | ")[cell] == "right" {
				n++
			}
		}
		return n
	}
	summary := fmt.Sprintf("%d of %d right.", hits(2), len(rows))
	if which == "unseen" {
		summary = fmt.Sprintf("%d of %d right at first, %d now.", hits(2), len(rows), hits(3))
	}
	table = fmt.Sprintf("\n%s\n\n%s\n%s|\n%s\n", summary, head, strings.Repeat("|---", strings.Count(head, "|")-1), strings.Join(rows, ""))
	if err := os.WriteFile(*page, []byte(above+begin+table+end+below), 0o666); err != nil {
		t.Fatal(err)
	}
}
