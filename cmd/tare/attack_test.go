package main

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/tarebench/tare/cmd/tare/internal/attempt"
	"github.com/tarebench/tare/cmd/tare/internal/explain"
	"github.com/tarebench/tare/cmd/tare/internal/history"
	"github.com/tarebench/tare/cmd/tare/internal/machine"
	"github.com/tarebench/tare/cmd/tare/internal/report"
	"github.com/tarebench/tare/cmd/tare/internal/report/html"
	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/session"
	"github.com/tarebench/tare/cmd/tare/internal/test/studies"
	"github.com/tarebench/tare/internal/finding"
)

// The attacks of SECURITY.md that need no live benchmark. Those of a machine that
// measures are in the scripts attack_words, attack_faults and attack_leaves.

// tryVerb runs a command line in this process.
func tryVerb(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, err bytes.Buffer
	code = run(t.Context(), session.Host{Tree: fstest.MapFS{}}, append([]string{"tare"}, args...), strings.NewReader(""), &out, &err)
	return code, out.String(), err.String()
}

// wantHarmless fails for text that a terminal, or a job of GitHub Actions, obeys.
func wantHarmless(t *testing.T, what, text string) {
	t.Helper()
	for line := range strings.Lines(text) {
		if strings.ContainsAny(line, "\x00\x07\x08\x1b\x7f\u009b\u202e\u2066") {
			t.Errorf("%s: control character in %q", what, line)
		}
		if strings.HasPrefix(strings.TrimSpace(line), "::") {
			t.Errorf("%s: workflow command %q", what, line)
		}
	}
}

const studyLine = `{"study":{"schema":2,"method":2,"kind":"compare","variants":[{"label":"a"},{"label":"b"}],"alpha":0.05,"delta":0.02,"max_blocks":8}}` + "\n"

// TestHostileFiles gives every reader files that no tool would write. Each is an
// answer or an error that names the file, soon, in bounded memory.
func TestHostileFiles(t *testing.T) {
	const benchmark = `{"benchmark":{"pkg":"p","name":"X","procs":1}}` + "\n"
	ragged := make([]byte, 1<<16)
	for i := range ragged {
		ragged[i] = byte(i * 7)
	}
	files := map[string]string{
		"empty":                     "",
		"newline":                   "\n",
		"zeros":                     string(make([]byte, 1<<20)),
		"bytes":                     string(ragged),
		"escape sequences":          "\x1b]0;pwn\x07\x1b[2J\n::error::pwned\n",
		"name of an escape":         "Benchmark\x1b]0;pwn\x07X 1 1 ns/op\nBenchmark::error::pwned 1 1 ns/op\n  ::error::x\n",
		"key of a command":          "::error::pwned: x\npkg: ::error::y\u202e\nBenchmarkX 1 1 ns/op\n",
		"unit of a command":         "BenchmarkX 1 1 ::error::u/op 2 \x1b[2J/op\n",
		"panic of a command":        "BenchmarkX 1 1 ns/op\npanic: \x1b[2J\n::error::z\n",
		"numbers":                   "BenchmarkX 1 1e999 ns/op NaN B/op -1 allocs/op\nBenchmarkX 99999999999999999999 1 ns/op\n",
		"a line of 1 MiB":           "{\"study\":{\"schema\":2,\"kind\":\"" + strings.Repeat("x", 1<<20),
		"deep arrays":               "{\"study\":" + strings.Repeat("[", 200_000) + "\n",
		"deep objects":              strings.Repeat(`{"study":`, 100_000) + "\n",
		"study":                     studyLine,
		"two studies":               studyLine + studyLine,
		"newer schema":              `{"study":{"schema":99}}` + "\n",
		"older schema":              `{"study":{"schema":1,"command":["tare","\u001b[2J","$(touch PWN)\n::error::q"]}}` + "\n",
		"label of a command":        strings.Replace(studyLine, `"label":"b"`, `"label":"b\u001b[2J\n::error::label"`, 1) + benchmark,
		"rounds without end":        studyLine + benchmark + `{"block":{"b":0,"rounds":{"count":1048576,"sides":[{"n":1},{"n":1}]}}}` + "\n",
		"blocks far apart":          studyLine + benchmark + `{"block":{"b":0,"k":4611686018427387904,"rounds":{"count":1,"sides":[{"n":1},{"n":1}]}}}` + "\n",
		"part of many":              strings.Replace(studyLine, `"kind":`, `"part":{"number":1,"of":1099511627776},"kind":`, 1),
		"finding of a command":      studyLine + `{"finding":{"id":"\u001b]0;p\u0007\n::error::id","severity":"warning","subject":"\n::error::s","message":"\u001b[2J","action":"\n::error::a"}}` + "\n",
		"machine of a command":      studyLine + `{"machine":{"os":"\u001b[2J","name":"\n::error::m"}}` + "\n",
		"many variants":             strings.Replace(studyLine, `{"label":"a"}`, strings.Repeat(`{"label":"a"},`, 20_000)+`{"label":"a"}`, 1) + benchmark,
		"many findings":             studyLine + strings.Repeat(`{"finding":{"id":"x","message":"m"}}`+"\n", 20_000),
		"negative everything":       studyLine + benchmark + `{"block":{"b":0,"k":-1,"try":-1,"first":-1,"seconds":-1,"rounds":{"count":-1}}}` + "\n",
		"a bisection":               `{"schema":2,"of":"commits","axis":[{"variant":"\u001b[2J\n::error::v"},{"variant":"b,flags=-toolexec=touch PWN"}]}` + "\n",
		"a bisection of many words": `{"schema":2,"of":"` + strings.Repeat("x", 1<<20) + `"}` + "\n",
		"history entry":             `{"schema":1,"study":{"old":{"hash":"\u001b[2J"},"new":{"hash":"\n::error::h","subject":"\u001b[2J"},"rows":[{"name":"\n::error::n","unit":"\u001b[2J","logRatio":1e308,"lo":-1e308,"hi":1e308,"blocks":-1}]}}`,
		"gzip of nothing":           "\x1f\x8b\x08\x00\x00\x00\x00\x00",
		"gzip that is torn":         "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff\x4b\x04",
		"json of others":            `[{"name":"\u001b[2J"}]`,
	}
	for name, text := range files {
		dir := t.TempDir()
		file := filepath.Join(dir, "result.jsonl")
		for _, at := range []string{file, filepath.Join(dir, "bisect.jsonl"), filepath.Join(dir, "20261123-000000-000000000000.json")} {
			if err := os.WriteFile(at, []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		readers := [][]string{
			{"show", file}, {"show", "-format", "pull-request", file}, {"show", "-format", "junit", file}, {"show", file, file},
			{"stat", file}, {"stat", "-format", "markdown", file, file}, {"compare", file, file}, {"compare", "-resume", dir, "a", "b"}, {"explain", dir, "a", "b"},
			{"bisect", "-resume", dir, "HEAD", "HEAD"}, {"doctor", "-root", dir},
		}
		for _, args := range readers {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			code, stdout, stderr := tryVerb(t, args...)
			runtime.ReadMemStats(&after)
			what := fmt.Sprintf("%s: tare %s", name, strings.ReplaceAll(strings.Join(args, " "), dir, "DIR"))
			if stdout+stderr == "" {
				t.Errorf("%s: exit code %d without a word", what, code)
			}
			wantHarmless(t, what, stdout)
			wantHarmless(t, what, stderr)
			if used := after.TotalAlloc - before.TotalAlloc; used > 1<<30 {
				t.Errorf("%s: allocated %d MiB", what, used>>20)
			}
		}
	}
	if _, err := os.Stat("PWN"); err == nil {
		t.Error("a command of a file ran")
	}
}

// TestEndlessFiles: a device is no file to read to its end.
func TestEndlessFiles(t *testing.T) {
	if _, err := os.Stat("/dev/zero"); err != nil {
		t.Skip("needs /dev/zero")
	}
	fifo, device := t.TempDir(), t.TempDir()
	if out, err := exec.Command("mkfifo", filepath.Join(fifo, "result.jsonl")).CombinedOutput(); err != nil {
		t.Skipf("mkfifo: %s", out)
	}
	if err := os.Symlink("/dev/zero", filepath.Join(device, "result.jsonl")); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{fifo, device} {
		if code, stdout, stderr := tryVerb(t, "show", dir); code != exitFailed || !strings.Contains(stdout+stderr, "remove the study") {
			t.Errorf("%s: exit code %d, %s%s", dir, code, stdout, stderr)
		}
	}
	for _, args := range [][]string{{"show", "/dev/zero"}, {"stat", "/dev/zero"}, {"compare", "/dev/zero", "/dev/zero"}} {
		if code, stdout, stderr := tryVerb(t, args...); code != exitFailed || !strings.Contains(stdout+stderr, "/dev/zero") {
			t.Errorf("%q: exit code %d, %s%s", args, code, stdout, stderr)
		}
	}
}

// TestEveryWordStaysText fills every text of every document, also of fields that are
// added later, and looks at every format.
func TestEveryWordStaysText(t *testing.T) {
	rec := studies.Study(4, 12, 12, 1)
	timeIterations(rec)
	rec.Findings = append(rec.Findings, finding.Finding{ID: "x", Severity: "x", Subject: "x", Message: "x", Action: "x"})
	rec.Benchmarks[3].Blocks[0].Failed, rec.Benchmarks[2].Blocks[0].Disturbed = "x", "x"
	f := filler{random: rand.New(rand.NewPCG(1, 1)), chosen: []string{"Kind", "Loop", "Reason", "Units"}}
	f.fill(reflect.ValueOf(rec).Elem(), "", 99)
	if f.texts < 20 {
		t.Fatalf("only %d texts", f.texts)
	}
	for kind, d := range map[string]report.Document{"compare": studies.Compared(rec), "run": studies.Measured(studies.RunOf(rec))} {
		for _, format := range append(formatNames(false), "distribution", "benchstat", "line", "summary") {
			if kind == "run" && slices.Contains([]string{"svg", "benchstat", "line", "summary"}, format) {
				continue
			}
			wantText(t, format, format+" of "+kind, render(t, format, d))
		}
	}

	// Documents of any content: one that contradicts itself may panic, but most are
	// written.
	page := func(name string, d any, write func(w io.Writer) error) {
		tries := 200
		if raceDetector { // which takes ten times as long, and there are no goroutines
			tries = 20
		}
		written := 0
		for seed := range uint64(tries) {
			f := filler{random: rand.New(rand.NewPCG(seed, 2)), add: true}
			var out bytes.Buffer
			func() {
				defer func() { recover() }()
				f.fill(reflect.ValueOf(d).Elem(), "", 6)
				if write(&out) == nil {
					written++
				}
			}()
			wantText(t, name, name, out.String())
			reflect.ValueOf(d).Elem().SetZero()
			if t.Failed() {
				return
			}
		}
		if written < tries/4 {
			t.Errorf("%s: only %d of %d documents were written", name, written, tries)
		}
	}
	var (
		bisection result.Bisection
		self      result.SelfTest
		explained explain.Explained
		diagnosis machine.Diagnosis
		recorded  history.Outcome
		h         report.History
		answer    attempt.Result
		session   attempt.Session
		findings  []finding.Finding
	)
	page("bisection", &bisection, func(w io.Writer) error { return report.BisectionText(w, bisection) })
	page("self-test", &self, func(w io.Writer) error { return report.SelfTestText(w, &self) })
	page("explain", &explained, func(w io.Writer) error { return report.ExplainText(w, explained, report.Options{}) })
	page("doctor", &diagnosis, func(w io.Writer) error { return report.DiagnosisText(w, &diagnosis, report.Options{}) })
	page("record", &recorded, func(w io.Writer) error { return report.RecordedText(w, recorded) })
	page("history", &h, func(w io.Writer) error { return report.HistoryText(w, h) })
	page("html", &h, func(w io.Writer) error { return html.WriteHistory(w, h) })
	page("try", &answer, func(w io.Writer) error { return report.AttemptText(w, answer, report.Options{}) })
	page("audit", &findings, func(w io.Writer) error { return report.AuditText(w, findings, report.Options{}) })
	page("log", &session, func(w io.Writer) error { return report.AttemptLog(w, session, "folder", report.Options{}) })
}

// filler fills the exported fields of a value. Texts are hostile, except of the chosen
// fields, which select what is read as an index does.
type filler struct {
	random *rand.Rand
	chosen []string
	add    bool // also what is missing
	texts  int
}

func (f *filler) fill(v reflect.Value, name string, depth int) {
	if depth == 0 || !v.CanSet() {
		return
	}
	switch v.Kind() {
	case reflect.String:
		if f.add && name == "Kind" { // of the causes that explain finds
			v.SetString("inlining")
		} else if !slices.Contains(f.chosen, name) && (v.String() != "" || name != "Failed" && name != "Disturbed" || f.add) {
			f.texts++
			long := ""
			if f.texts < 3 {
				long = strings.Repeat("w", 1<<16)
			}
			v.SetString(fmt.Sprintf("\x1b[2J\u202e\n::error::w%d\r\nBenchmarkForged 1 1 ns/op\n<img src=x>%s", f.texts, long))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			f.fill(v.Field(i), v.Type().Field(i).Name, depth-1)
		}
	case reflect.Slice:
		if f.add && v.Len() == 0 {
			v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		}
		for i := range v.Len() {
			f.fill(v.Index(i), name, depth-1)
		}
	case reflect.Array:
		for i := range v.Len() {
			f.fill(v.Index(i), name, depth-1)
		}
	case reflect.Pointer:
		if f.add && v.IsNil() && f.random.IntN(2) == 0 {
			v.Set(reflect.New(v.Type().Elem()))
		}
		if !v.IsNil() {
			f.fill(v.Elem(), name, depth-1)
		}
	case reflect.Map:
		if f.add && v.Type().Key().Kind() == reflect.String && v.IsNil() {
			key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
			f.fill(key, name, depth-1)
			f.fill(value, name, depth-1)
			v.Set(reflect.MakeMap(v.Type()))
			v.SetMapIndex(key, value)
		}
	case reflect.Interface:
		if f.add && v.Type() == reflect.TypeFor[error]() {
			v.Set(reflect.ValueOf(errors.New("\x1b[2J\n::error::e")))
		}
	case reflect.Bool:
		if f.add {
			v.SetBool(f.random.IntN(2) == 0)
		}
	case reflect.Int, reflect.Int64:
		if f.add {
			v.SetInt(f.random.Int64N(2))
		}
	case reflect.Float64:
		if f.add {
			v.SetFloat(f.random.Float64())
		}
	}
}

// wantText fails for a format in which a hostile text is more than text.
func wantText(t *testing.T, format, what, out string) {
	t.Helper()
	switch format {
	case "json":
		if !json.Valid([]byte(out)) {
			t.Errorf("%s is no JSON", what)
		}
		return
	case "csv": // names are unchanged
		if _, err := csv.NewReader(strings.NewReader(out)).ReadAll(); err != nil {
			t.Errorf("%s: %v", what, err)
		}
		return
	case "html", "svg", "junit", "markdown", "pull-request":
		if strings.Contains(out, "<img") {
			t.Errorf("%s passes markup on", what)
		}
	}
	wantHarmless(t, what, out)
	for line := range strings.Lines(out) {
		if strings.HasPrefix(line, "BenchmarkForged") {
			t.Errorf("%s: a text becomes a line", what)
		}
	}
}

// TestHostileNames puts names that a reader of each format obeys into every place
// of a recording.
func TestHostileNames(t *testing.T) {
	payloads := []string{
		studies.Evil,
		"\x1b]8;;http://evil\x07click\x1b]8;;\x07", "\u009b2J", "a\r\n::error::pwned", "::set-output name=x::y", "  ::stop-commands::z",
		"<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "\"><svg onload=alert(1)>", "]]><x>", "--><script>alert(1)</script>",
		"[x](javascript:alert(1))", "![x](http://evil/p.png)", "@everyone", "| a | b |\n|---|---|", "`; touch PWN`", "$(touch PWN)", "\u202egnp.exe", "=cmd|' /C calc'!A0",
	}
	for _, payload := range payloads {
		rec := studies.Study(4, 12, 12, 1)
		timeIterations(rec)
		rec.Study.Variants[0].Label, rec.Study.Variants[1].Label = payload, payload+"2"
		rec.Study.Command = []string{"tare", "compare", payload}
		for i := range rec.Benchmarks {
			rec.Benchmarks[i].Pkg, rec.Benchmarks[i].Name = payload, fmt.Sprint(payload, i)
		}
		for i := range rec.Findings {
			rec.Findings[i].ID, rec.Findings[i].Subject, rec.Findings[i].Message, rec.Findings[i].Action = payload, payload, payload, payload
		}
		rec.Study.Machine.CPU.Model, rec.Study.Machine.Kernel = payload, payload
		for kind, d := range map[string]report.Document{"compare": studies.Compared(rec), "run": studies.Measured(studies.RunOf(rec))} {
			for _, format := range append(formatNames(false), "distribution", "github") {
				if format == "svg" && kind == "run" {
					continue
				}
				what := fmt.Sprintf("%s of %s with %q", format, kind, payload)
				var out string
				if format == "github" {
					if kind == "run" {
						continue
					}
					var log bytes.Buffer
					if err := report.Annotations(&log, d); err != nil {
						t.Fatal(err)
					}
					for line := range strings.Lines(log.String()) {
						if !strings.HasPrefix(line, "::error ") && !strings.HasPrefix(line, "::warning ") || strings.ContainsAny(line, "\r\x1b\u009b\u202e") {
							t.Errorf("%s: annotation %q", what, line)
						}
					}
				} else {
					out = render(t, format, d)
				}
				switch format {
				case "csv", "json": // data
				default:
					wantHarmless(t, what, out)
				}
				switch format {
				case "html", "svg", "junit", "markdown", "pull-request", "github":
					for _, markup := range []string{"<script>alert", "<img src=x", "<svg onload", "]]><x>", "--><"} {
						if strings.Contains(out, markup) {
							t.Errorf("%s: %s in the output", what, markup)
						}
					}
				}
				switch format {
				case "markdown", "pull-request", "github":
					for _, markup := range []string{"[x](javascript", "![x](http", " @everyone", "\n|---|---|\n|---"} {
						if strings.Contains(out, markup) {
							t.Errorf("%s: %s in the output", what, markup)
						}
					}
				}
			}
		}
	}
}

// TestHostileWords gives revisions, remotes, launchers and keys of variants that
// git, go or a shell would take for options or commands. Nothing of it runs, and
// no file appears.
func TestHostileWords(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	dir := t.TempDir()
	t.Chdir(dir)
	t.Setenv("GOCACHE", goEnv(t, "GOCACHE"))
	t.Setenv("XDG_CACHE_HOME", filepath.Join(dir, ".cache"))
	t.Setenv("TARE_LOCK", filepath.Join(t.TempDir(), "lock"))
	t.Setenv("GOFLAGS", "-mod=mod")
	for name, text := range map[string]string{
		"go.mod": "module example.com/m\n\ngo 1.24\n", "m_test.go": "package m\n\nimport \"testing\"\n\nfunc BenchmarkX(b *testing.B) {\n\tfor b.Loop() {\n\t}\n}\n", ".gitignore": ".cache\n.tare\n",
	} {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{{"init", "-q"}, {"add", "."}, {"-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "commit.gpgsign=false", "commit", "-qm", "one"}} {
		if out, err := exec.Command("git", args...).CombinedOutput(); err != nil {
			t.Fatalf("git %q: %v\n%s", args, err, out)
		}
	}
	list := func() string {
		entries, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, e := range entries {
			if e.Name() != ".cache" && e.Name() != ".tare" {
				names = append(names, e.Name())
			}
		}
		refs, _ := exec.Command("git", "for-each-ref").Output()
		status, _ := exec.Command("git", "status", "--porcelain").Output()
		return fmt.Sprintf("%q\n%s%s", names, refs, status)
	}
	before := list()
	cases := [][]string{
		{"compare", "--", "--output=PWN", "HEAD"},
		{"compare", "HEAD", "--", "--upload-pack=touch PWN"},
		{"compare", "HEAD;touch PWN", "HEAD"},
		{"compare", "$(touch PWN)", "HEAD"},
		{"compare", "HEAD^{/--output=PWN}", "HEAD"},
		{"compare", "HEAD:m_test.go", "HEAD"},
		{"compare", "ext::sh -c touch% PWN", "HEAD"},
		{"compare", ".,env=-x=1", "HEAD"},
		{"compare", ".,env=A;touch PWN", "HEAD"},
		{"compare", ".,flags=touch PWN", "HEAD"},
		{"compare", ".,flags=-o=PWN", "HEAD"},
		{"compare", ".,flags=-C=..", "HEAD"},
		{"compare", ".,flags=-cpuprofile=PWN", "HEAD"},
		{"compare", ".,flags=-exec=touch PWN", "HEAD"},
		{"compare", ".,go=1.26;touch PWN", "HEAD"},
		{"compare", ".,go=-toolexec", "HEAD"},
		{"compare", ".,mod=-x@v1", "HEAD"},
		{"compare", ".,mod=$(touch PWN)@v1", "HEAD"},
		{"compare", ".,tags=-toolexec=touch", "HEAD"},
		{"compare", "bin=-PWN", "HEAD"},
		{"compare", "bin=|touch PWN", "HEAD"},
		{"compare", "HEAD", "HEAD", "--output=PWN"},
		{"compare", "-on", "", "HEAD", "HEAD"},
		{"compare", "-on", "'", "HEAD", "HEAD"},
		{"compare", "-shard", "1;touch PWN/2", "HEAD", "HEAD"},
		{"compare", "-cpu", "0;touch PWN", "HEAD", "HEAD"},
		{"compare", "-bench", "(", "HEAD", "HEAD"},
		{"run", "./...;touch PWN"},
		{"bisect", "--output=PWN", "HEAD"},
		{"bisect", "HEAD", "--", "--output=PWN"},
		{"bisect", "-of", "touch PWN", "HEAD", "HEAD"},
		{"try", "--output=PWN"},
		{"explain", "--output=PWN"},
		{"explain", "HEAD;touch PWN", "HEAD"},
		{"history", "-since=--output=PWN"},
		{"history", "record", "-commit=--output=PWN"},
		{"history", "record", "-against=--output=PWN"},
		{"history", "push", "--", "--receive-pack=touch PWN"},
		{"history", "push", "ext::sh -c touch% PWN"},
		{"history", "fetch", "--", "--upload-pack=touch PWN"},
		{"history", "fetch", "ext::sh -c touch% PWN"},
		{"lint", "--", "-toolexec=touch PWN"},
		{"lint", "./...;touch PWN"},
		{"doctor", "-root", "--output=PWN"},
	}
	for _, args := range cases {
		code, stdout, stderr := tryVerb(t, args...)
		if code != exitFailed && code != exitUsage && (code != exitDone || args[0] != "history") {
			t.Errorf("%q: exit code %d\n%s%s", args, code, stdout, stderr)
		}
		wantHarmless(t, fmt.Sprintf("%q", args), stdout+stderr)
		if after := list(); after != before {
			t.Fatalf("%q left\n%s\nbefore\n%s", args, after, before)
		}
	}
}

func goEnv(t *testing.T, name string) string {
	t.Helper()
	out, err := exec.Command("go", "env", name).Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}
