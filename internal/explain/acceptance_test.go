package explain

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

var (
	page   = flag.String("page", "", "write the rows of TestExplainSeeds to `FILE`")
	budget = flag.String("budget", "10s", "tare's -budget")
)

// right is how many of the seeded pairs the first cause named must be right
// for.
const right = 20

// TestExplainSeeds runs tare explain -prove for each seeded pair, as a user
// would, the old side committed and the new one in the working tree. Where the
// seed says what is seen while running, that is what must be named.
func TestExplainSeeds(t *testing.T) {
	if os.Getenv("TARE_LONG") == "" {
		t.Skip("TARE_LONG=1 measures and explains 24 pairs, several times each")
	}
	files, err := filepath.Glob("testdata/seeds/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	tare := filepath.Join(t.TempDir(), "tare")
	if out, err := exec.Command("go", "build", "-o", tare, "../../cmd/tare").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	hits, all := 0, 0
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".txtar")
		t.Run(name, func(t *testing.T) {
			seed, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			all++
			header := fields(string(seed.Comment))
			want := Kind(header["want"])
			if seen := header["running"]; seen != "" {
				want = Kind(seen)
			}
			e := explainSeed(t, tare, seed, header["newflags"])
			got, words := Kind("unknown"), ""
			if len(e.Causes) > 0 {
				got, words = e.Causes[0].Kind, e.Causes[0].String()
			}
			if got == want {
				hits++
			} else {
				t.Logf("first cause %s, want %s", got, want)
			}
			var proofs []string
			for _, c := range e.Causes {
				t.Log(c.String())
				if c.Proof == nil {
					continue
				}
				proofs = append(proofs, string(c.Kind)+" "+verdictOf(*c.Proof))
				if c.Proof.Cause && c.Kind != want && !slices.Contains(strings.Fields(header["also"]), string(c.Kind)) {
					t.Errorf("called proved, and it is not the cause: %s", c.String())
				}
			}
			for _, p := range e.Files {
				proofs = append(proofs, p.File+" "+verdictOf(p))
			}
			for _, note := range e.Notes {
				t.Log("note: " + note)
			}
			mark := "right"
			if got != want {
				mark = "**" + string(want) + "**"
				if got == "unknown" {
					mark = "unknown"
				}
			}
			description, _, _ := strings.Cut(string(seed.Comment), "\n")
			writeRow(t, fmt.Sprintf("| %s | %s | %s | %s | %s | %s |\n", name, description, mark, strings.ReplaceAll(words, "|", "\\|"), e.Verdict, strings.Join(proofs, "; ")))
		})
	}
	if all == len(files) && hits < right {
		t.Errorf("the first cause is right for %d of %d, want %d", hits, all, right)
	}
	t.Logf("right: %d of %d", hits, all)
}

func verdictOf(p Proof) string {
	if p.Cause {
		return "proved"
	}
	return "not the cause"
}

// explainSeed runs tare explain in a repository made of a seed.
func explainSeed(t *testing.T, tare string, seed *txtar.Archive, settings string) Explanation {
	t.Helper()
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
	variant := "."
	for setting := range strings.FieldsSeq(settings) {
		variant += ",env=" + setting
	}
	var out Explained
	if err := json.Unmarshal(run(tare, "explain", "-prove", "-budget", *budget, "-json", "HEAD", variant), &out); err != nil {
		t.Fatal(err)
	}
	for _, e := range out.Benchmarks {
		if e.Name == "Work" {
			return e
		}
	}
	// Nothing is to explain where the code is the same.
	return Explanation{Causes: []Cause{{Kind: Layout}}}
}

// writeRow puts the row of a seed into the table of the page, in place of an
// earlier one, and counts those that are right.
func writeRow(t *testing.T, row string) {
	t.Helper()
	if *page == "" {
		return
	}
	text, err := os.ReadFile(*page)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, ok := strings.Cut(string(text), "<!-- seeds -->\n")
	table, tail, also := strings.Cut(rest, "<!-- end of seeds -->")
	if !ok || !also {
		t.Fatalf("%s has no table of seeds", *page)
	}
	name := func(row string) string { return strings.TrimSpace(strings.Split(row, "|")[1]) }
	rows := []string{row}
	for line := range strings.Lines(table) {
		if strings.HasPrefix(line, "| ") && name(line) != "seed" && name(line) != name(row) {
			rows = append(rows, line)
		}
	}
	slices.Sort(rows)
	hits := 0
	for _, row := range rows {
		if strings.Contains(row, "| right |") {
			hits++
		}
	}
	table = fmt.Sprintf("\n%d of %d right.\n\n| seed | what changed | first cause | in words | verdict | what was taken away |\n|---|---|---|---|---|---|\n%s\n", hits, len(rows), strings.Join(rows, ""))
	if err := os.WriteFile(*page, []byte(head+"<!-- seeds -->\n"+table+"<!-- end of seeds -->"+tail), 0o666); err != nil {
		t.Fatal(err)
	}
}
