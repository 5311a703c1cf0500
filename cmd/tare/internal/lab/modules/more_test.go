//go:build lab

package modules

import (
	"context"
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
	"time"

	"github.com/tarebench/tare/cmd/tare/internal/lab/document"
	"github.com/tarebench/tare/cmd/tare/internal/process"
	"github.com/tarebench/tare/cmd/tare/internal/result"
)

var (
	morePage  = flag.String("more-page", "", "write the table of TestMore into this `FILE`, a path from the root of the repository")
	functions = flag.Int("functions", 6, "benchmark functions to take of each module of more.txt")
	patience  = flag.Duration("patience", 6*time.Minute, "how long a module of more.txt may take")
)

// readMore reads more.txt.
func readMore(t *testing.T) []module {
	t.Helper()
	text, err := os.ReadFile("more.txt")
	if err != nil {
		t.Fatal(err)
	}
	var list []module
	for line := range strings.Lines(string(text)) {
		words := strings.Fields(line)
		if len(words) == 0 || words[0][0] == '#' {
			continue
		}
		if len(words) < 3 {
			t.Fatalf("more.txt: %q: want MODULE OLD NEW [PACKAGES]", line)
		}
		m := module{path: words[0], old: words[1], new: words[2], packages: words[3:]}
		if len(m.packages) == 0 {
			m.packages = []string{"./..."}
		}
		list = append(list, m)
	}
	return list
}

// TestMoreList checks the purpose of more.txt: at least fifty modules, none of
// them in modules.txt.
func TestMoreList(t *testing.T) {
	known := make(map[string]bool)
	for _, m := range readList(t) {
		known[m.path] = true
	}
	more := readMore(t)
	for _, m := range more {
		if known[m.path] || m.old == m.new {
			t.Errorf("%s is there twice, or its versions are one", m.path)
		}
		known[m.path] = true
	}
	if len(more) < 50 {
		t.Errorf("%d modules, want at least 50", len(more))
	}
}

// survey is the result of a module.
type survey struct {
	module
	result.Comparison
	outcome string // worked, or the reason why not
	wall    time.Duration
	load    string
	said    []byte // the output of the command that failed
}

// TestMore compares two versions of each module of more.txt, and makes a table
// of successes, failures and their reasons. It judges nothing: a person has to
// find tare's own failures in the table.
func TestMore(t *testing.T) {
	tare := filepath.Join(t.TempDir(), "tare")
	command(t, root, nil, "go", "build", "-o", tare, "./cmd/tare")
	var rows []survey
	for _, m := range readMore(t) {
		t.Run(m.name(), func(t *testing.T) {
			s := survey{module: m, outcome: "the versions could not be fetched or committed"}
			began := time.Now()
			defer func() {
				s.wall, s.load = time.Since(began), load()
				rows = append(rows, s)
				t.Log(s.row())
				if s.outcome != "worked" {
					t.Logf("%s", s.said)
				}
				if *morePage != "" { // save each row: the test takes hours
					writeSurvey(t, filepath.Join(root, *morePage), rows)
				}
			}()
			checkout, env := t.TempDir(), []string{
				"TARE_LOCK=" + filepath.Join(t.TempDir(), "lock"), "NO_COLOR=1",
				"GIT_AUTHOR_NAME=t", "GIT_AUTHOR_EMAIL=t@example.com", "GIT_COMMITTER_NAME=t", "GIT_COMMITTER_EMAIL=t@example.com",
			}
			commitVersions(t, checkout, env, m)
			s.compare(t, tare, checkout, env)
		})
	}
}

// compare runs every benchmark once, selects some of those that run, and
// compares the versions.
func (s *survey) compare(t *testing.T, tare, checkout string, env []string) {
	ctx, cancel := context.WithTimeout(t.Context(), *patience)
	defer cancel()
	run := func(program string, args ...string) ([]byte, error) {
		cmd := process.Command(ctx, program, append(args, s.packages...)...)
		cmd.Dir, cmd.Env = checkout, append(os.Environ(), env...)
		words, err := cmd.CombinedOutput()
		s.said = words
		return words, process.Ended(err)
	}
	words, err := run("go", "test", "-run=^$", "-bench=.", "-benchtime=1x", "-timeout=30s")
	var names []string
	for _, m := range regexp.MustCompile(`(?m)^Benchmark(\w+)\S*\s+1\s`).FindAllStringSubmatch(string(words), -1) {
		if !slices.Contains(names, m[1]) {
			names = append(names, m[1])
		}
	}
	switch {
	case ctx.Err() != nil:
		s.outcome = fmt.Sprintf("benchmarks do not run once in %v", *patience)
		return
	case len(names) == 0:
		s.outcome = "no benchmark runs: " + lastLine(words, err)
		return
	}
	out := filepath.Join(t.TempDir(), "comparison.json")
	words, err = run(tare, "compare", "-json", "-o", out, "-budget", "1s", "-timeout", "1m", "-bench", pattern(names, *functions), "HEAD~1", "HEAD")
	text, readErr := os.ReadFile(out)
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		s.outcome = fmt.Sprintf("not done after %v", *patience)
	case readErr != nil || document.Read(text, &s.Comparison) != nil:
		s.outcome = lastLine(words, err)
	case s.Summary.Failed > 0:
		s.outcome = fmt.Sprintf("%d failed: %s", s.Summary.Failed, s.firstFailure())
	case err != nil && !(errors.As(err, &exit) && exit.ExitCode() == 1):
		s.outcome = lastLine(words, err)
	case len(s.Benchmarks) == 0:
		s.outcome = "no benchmark was measured"
	default:
		s.outcome = "worked"
	}
}

// pattern matches at most n of the names, evenly over the list.
func pattern(names []string, n int) string {
	var chosen []string
	for i := range min(n, len(names)) {
		chosen = append(chosen, names[i*len(names)/min(n, len(names))])
	}
	return "^Benchmark(" + strings.Join(chosen, "|") + ")$"
}

func TestPattern(t *testing.T) {
	for _, tt := range []struct {
		names []string
		n     int
		want  string
	}{
		{[]string{"A"}, 3, "^Benchmark(A)$"},
		{[]string{"A", "B", "C", "D"}, 2, "^Benchmark(A|C)$"},
		{[]string{"A", "B", "C"}, 3, "^Benchmark(A|B|C)$"},
	} {
		if got := pattern(tt.names, tt.n); got != tt.want {
			t.Errorf("pattern(%v, %d) = %s, want %s", tt.names, tt.n, got, tt.want)
		}
	}
}

// firstFailure is the message of the first finding of a benchmark that was not
// measured.
func (s *survey) firstFailure() string {
	for _, b := range s.Benchmarks {
		for _, f := range b.Findings {
			if b.Blocks == 0 {
				return b.Name + ": " + f.Message
			}
		}
	}
	return "no finding tells why"
}

func lastLine(words []byte, err error) string {
	lines := strings.Split(strings.TrimSpace(string(words)), "\n")
	if last := lines[len(lines)-1]; last != "" {
		return last
	}
	return fmt.Sprint(err)
}

// row is a row of the table.
func (s *survey) row() string {
	c := s.Summary
	return fmt.Sprintf("| %s | %s → %s | %d | %d | %d | %d | %d | %d | %d | %.0f s | %s | %s |",
		s.name(), s.old, s.new, len(s.Benchmarks), c.Faster, c.Slower, c.Same, c.Undecided, c.Missing+c.Skipped, c.Failed, s.wall.Seconds(), s.load, cell(s.outcome))
}

// writeSurvey writes the page with the table. Modules of the list that were not
// surveyed keep their rows.
func writeSurvey(t *testing.T, path string, done []survey) {
	t.Helper()
	rows := make(map[string]string)
	if page, err := os.ReadFile(path); err == nil {
		for line := range strings.Lines(string(page)) {
			if name, _, ok := strings.Cut(strings.TrimPrefix(line, "| "), " | "); ok {
				rows[name] = strings.TrimSpace(line)
			}
		}
	}
	for _, s := range done {
		rows[s.name()] = s.row()
	}
	var table strings.Builder
	worked, all := 0, 0
	for _, m := range readMore(t) {
		row := rows[m.name()]
		if row == "" {
			continue
		}
		all++
		if strings.HasSuffix(row, "| worked |") {
			worked++
		}
		fmt.Fprintln(&table, row)
	}
	text := fmt.Sprintf(`# More modules of others

Two released versions each of the modules in [more.txt](../../internal/lab/modules/more.txt), unmodified, with a few of the benchmarks of each and `+"`-budget 1s`"+`: what works, what fails, and why. %d of %d worked. `+"`load`"+` is the load average at the end of a row: where it is high, the wall time is that of other work too. One command makes the table, and `+"`-run TestMore/klauspost`"+` replaces one of its rows:

`+"```"+`
go test -tags lab ./cmd/tare/internal/lab/modules -run TestMore$ -v -timeout 8h -args -more-page docs/results/more-modules.txt
`+"```"+`

| module | versions | rows | faster | slower | same | undecided | not on both sides, or skipped | failed | wall | load | outcome |
|---|---|---|---|---|---|---|---|---|---|---|---|
%s`, worked, all, table.String())
	if page, err := os.ReadFile(path); err == nil { // keep the text about the table
		if _, about, ok := strings.Cut(string(page), aboutSurvey); ok {
			text += aboutSurvey + about
		}
	}
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// aboutSurvey begins the text that a person wrote below the table.
const aboutSurvey = "\n## Why"

// TestWriteSurvey replaces one row and keeps the other rows and the text below.
func TestWriteSurvey(t *testing.T) {
	path := filepath.Join(t.TempDir(), "page.md")
	list := readMore(t)
	first, second := survey{module: list[0], outcome: "worked"}, survey{module: list[1], outcome: "not done"}
	writeSurvey(t, path, []survey{second})
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, append(page, aboutSurvey+" they fail\n"...), 0o666); err != nil {
		t.Fatal(err)
	}
	writeSurvey(t, path, []survey{first})
	if page, err = os.ReadFile(path); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"1 of 2 worked", first.row() + "\n" + second.row() + "\n\n## Why they fail"} {
		if !strings.Contains(string(page), want) {
			t.Errorf("no %q in\n%s", want, page)
		}
	}
}
