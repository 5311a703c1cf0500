// Package ci_test rehearses the steps of the GitHub action. Every script runs
// as on a runner, with real repositories, the real tare and payloads of real
// events. The API of GitHub is an HTTP server of the test.
package ci_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/tarebench/tare/cmd/tare/internal/test/executable"
)

func TestMain(m *testing.M) {
	if err := os.Chdir("../../../../../ci"); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

// job is a runner with a checkout of a pull request.
type job struct {
	t                     *testing.T
	origin, work, temp    string
	env                   []string
	outputs, summary, log string
}

const slow = `package x

var Sink int

const Steps = %d

func Work() int {
	s := 0
	for i := range Steps {
		s += i ^ Sink
	}
	return s
}
`

// bench reports its time itself, so that no verdict depends on the machine.
const bench = `package x

import "testing"

func BenchmarkWork(b *testing.B) {
	for b.Loop() {
		Sink = Work()
	}
	b.ReportMetric(Steps, "ns/op")
}
`

// newJob makes a repository whose main has advanced since the branch began, and
// a shallow clone of the branch.
func newJob(t *testing.T, event string, change func(dir string)) *job {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the action runs on Linux and macOS")
	}
	for _, tool := range []string{"bash", "git", "jq", "curl", "iconv"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skip("needs " + tool)
		}
	}
	bin := filepath.Dir(executable.Build(t, executable.Tare))
	j := &job{t: t, origin: t.TempDir(), work: filepath.Join(t.TempDir(), "work"), temp: t.TempDir()}
	write(t, j.origin, "go.mod", "module example.org/x\n\ngo 1.24\n")
	write(t, j.origin, "x.go", fmt.Sprintf(slow, 300))
	write(t, j.origin, "x_test.go", bench)
	j.git(j.origin, "init", "-q", "-b", "main")
	j.git(j.origin, "add", ".")
	j.git(j.origin, "commit", "-qm", "first")
	j.git(j.origin, "checkout", "-q", "-b", "feature")
	change(j.origin)
	j.git(j.origin, "add", ".")
	j.git(j.origin, "commit", "-q", "--allow-empty", "-m", "change")
	j.git(j.origin, "checkout", "-q", "main")
	write(t, j.origin, "README", "moved on")
	j.git(j.origin, "add", ".")
	j.git(j.origin, "commit", "-qm", "second")
	j.git(j.temp, "clone", "-q", "--depth=1", "--branch=feature", "file://"+j.origin, j.work)
	head := strings.TrimSpace(j.git(j.work, "rev-parse", "HEAD"))
	payload := strings.ReplaceAll(event, "HEAD_SHA", head)
	write(t, j.temp, "event.json", payload)
	j.outputs, j.summary = filepath.Join(j.temp, "output"), filepath.Join(j.temp, "summary")
	j.env = append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"), "GITHUB_EVENT_PATH="+filepath.Join(j.temp, "event.json"),
		"GITHUB_ACTIONS=true", "GITHUB_OUTPUT="+j.outputs, "GITHUB_STEP_SUMMARY="+j.summary, "GITHUB_SHA="+head, "RUNNER_TEMP="+j.temp,
		"TARE_PACKAGES=./...", "TARE_BENCH=.", "TARE_DELTA=10%", "TARE_TOTAL=10m", "TARE_ARGS=-lock=off", "CI=true")
	write(t, j.temp, "output", "")
	write(t, j.temp, "summary", "")
	return j
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

func (j *job) git(dir string, args ...string) string {
	j.t.Helper()
	out, err := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=u", "-c", "user.email=u@example.org"}, args...)...).CombinedOutput()
	if err != nil {
		j.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return string(out)
}

// step runs a script and returns its exit code.
func (j *job) step(script string, env ...string) int {
	j.t.Helper()
	path, err := filepath.Abs(filepath.Join("github", script))
	if err != nil {
		j.t.Fatal(err)
	}
	cmd := exec.Command("bash", path)
	cmd.Dir, cmd.Env = j.work, append(j.env, env...)
	out, err := cmd.CombinedOutput()
	j.log = string(out)
	if cmd.ProcessState == nil {
		j.t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode()
}

func (j *job) output(name string) string {
	data, err := os.ReadFile(j.outputs)
	if err != nil {
		j.t.Fatal(err)
	}
	value := ""
	for line := range strings.Lines(string(data)) {
		if v, ok := strings.CutPrefix(line, name+"="); ok {
			value = strings.TrimSpace(v)
		}
	}
	return value
}

func (j *job) read(name string) string {
	data, err := os.ReadFile(filepath.Join(j.temp, name))
	if err != nil {
		j.t.Error(err)
	}
	return string(data)
}

const pullRequest = `{"action":"opened","number":7,"pull_request":{"number":7,"head":{"sha":"HEAD_SHA","repo":{"full_name":"%s"}},"base":{"ref":"main","repo":{"full_name":"owner/x"}}}}`

func TestPullRequest(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, repo    string
		change        func(dir string)
		env           []string
		outcome       string
		gate          int
		comment, lack string
	}{
		{
			name: "regression on an own branch", repo: "owner/x",
			change:  func(dir string) { write(t, dir, "x.go", fmt.Sprintf(slow, 1200)) },
			outcome: "regression", gate: 1, comment: "slower", lack: "did not",
		},
		{
			name: "no change, from a fork", repo: "stranger/x",
			change:  func(dir string) { write(t, dir, "doc.txt", "text") },
			outcome: "pass", gate: 0, comment: "Work", lack: "did not",
		},
		{
			name: "too few blocks for a verdict", repo: "owner/x",
			change:  func(dir string) { write(t, dir, "x.go", fmt.Sprintf(slow, 1200)) },
			env:     []string{"TARE_TOTAL=", "TARE_ARGS=-lock=off -blocks 2", "TARE_UNDECIDED=retry"},
			outcome: "undecided", gate: 0, comment: "undecided", lack: "did not",
		},
		{
			name: "broken build", repo: "owner/x",
			change:  func(dir string) { write(t, dir, "x.go", "package x\n\nfunc Work() int { return undefined }\n") },
			outcome: "failed", gate: 1, comment: "undefined",
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			j := newJob(t, fmt.Sprintf(pullRequest, test.repo), test.change)
			j.env = append(append(j.env, "GITHUB_BASE_REF=main"), test.env...)
			if code := j.step("base.sh"); code != 0 {
				t.Fatalf("base.sh: exit %d\n%s", code, j.log)
			}
			if want := strings.TrimSpace(j.git(j.origin, "merge-base", "main", "feature")); j.output("base") != want {
				t.Errorf("the base is %s, not the merge base %s", j.output("base"), want)
			}
			if code := j.step("compare.sh", "TARE_OLD="+j.output("base")); code != 0 {
				t.Fatalf("compare.sh: exit %d\n%s", code, j.log)
			}
			outcome := j.output("outcome")
			if outcome != test.outcome {
				t.Fatalf("the outcome is %q, want %q\n%s", outcome, test.outcome, j.log)
			}
			comment := j.read("tare/comment.md")
			if !strings.Contains(comment, test.comment) || test.lack != "" && strings.Contains(comment, test.lack) {
				t.Errorf("comment:\n%s", comment)
			}
			if !strings.Contains(comment, "tare compare -gate -delta 10") || !strings.Contains(comment, j.output("base")) {
				t.Errorf("the comment does not contain a way to reproduce it:\n%s", comment)
			}
			if strings.TrimSpace(j.read("tare/number")) != "7" || strings.TrimSpace(j.read("tare/outcome")) != outcome {
				t.Errorf("the artifact names pull request %q and outcome %q", j.read("tare/number"), j.read("tare/outcome"))
			}
			if outcome != "failed" {
				if !strings.Contains(j.read("summary"), "Work") {
					t.Errorf("job summary:\n%s", j.read("summary"))
				}
				if !strings.Contains(j.read("tare/report.html"), "<html") {
					t.Error("no report")
				}
			}
			if culprit := regexp.MustCompile(`(?m)^::error file=x\.go,line=[1-9][0-9]*,title=Work(-\d+)?::slower: .*Work`); outcome == "regression" && !culprit.MatchString(j.log) {
				t.Errorf("no annotation of the line of Work in\n%s", j.log)
			}
			if outcome == "undecided" {
				for _, input := range []string{"fail", "retry"} {
					if code := j.step("gate.sh", "TARE_OUTCOME=undecided", "TARE_UNDECIDED="+input); code != 1 || !strings.Contains(j.log, "::error") {
						t.Errorf("gate.sh, undecided: %s: exit %d\n%s", input, code, j.log)
					}
				}
			}
			if code := j.step("gate.sh", "TARE_OUTCOME="+outcome, "TARE_UNDECIDED=pass"); code != test.gate {
				t.Errorf("gate.sh: exit %d, want %d", code, test.gate)
			}
			if warned := strings.Contains(j.log, "::warning"); warned != (outcome == "undecided") {
				t.Errorf("gate.sh of %s:\n%s", outcome, j.log)
			}
			if outcome == "regression" {
				j.reproduce(comment)
			}
			if status := j.git(j.work, "status", "--porcelain"); status != "" {
				t.Errorf("the checkout was changed: %s", status)
			}
		})
	}
}

// reproduce runs the block of a comment as a person would, in a full clone.
func (j *job) reproduce(comment string) {
	j.t.Helper()
	m := regexp.MustCompile("(?s)Reproduce at your desk</summary>\n\n```\n(.*?)```").FindStringSubmatch(comment)
	if m == nil {
		j.t.Fatalf("no block in\n%s", comment)
	}
	desk := filepath.Join(j.temp, "desk")
	j.git(j.temp, "clone", "-q", "file://"+j.origin, desk)
	cmd := exec.Command("bash", "-e", "-c", m[1])
	cmd.Dir, cmd.Env = desk, j.env
	out, _ := cmd.CombinedOutput()
	if !strings.Contains(string(out), "slower") || cmd.ProcessState.ExitCode() != 3 || !strings.Contains(m[1], "-seed ") {
		j.t.Errorf("exit %d from\n%s\n%s", cmd.ProcessState.ExitCode(), m[1], out)
	}
}

// A push is compared with the previous state of the branch, and a new branch
// with the parent of its commit.
func TestBaseOfPush(t *testing.T) {
	t.Parallel()
	for _, before := range []string{"BEFORE", strings.Repeat("0", 40), ""} {
		j := newJob(t, `{"ref":"refs/heads/main"}`, func(dir string) {})
		parent := strings.TrimSpace(j.git(j.origin, "rev-parse", "feature~1"))
		write(t, j.temp, "event.json", fmt.Sprintf(`{"before":%q}`, strings.ReplaceAll(before, "BEFORE", parent)))
		if code := j.step("base.sh"); code != 0 {
			t.Fatalf("before %q: exit %d\n%s", before, code, j.log)
		}
		if got := j.output("base"); got != parent {
			t.Errorf("before %q: the base is %q, want %q", before, got, parent)
		}
	}
}

func TestBaseThatIsNamed(t *testing.T) {
	t.Parallel()
	j := newJob(t, `{}`, func(dir string) {})
	want := strings.TrimSpace(j.git(j.origin, "rev-parse", "main"))
	if code := j.step("base.sh", "TARE_BASE=main"); code != 0 || j.output("base") != want {
		t.Errorf("exit %d, base %q, want %q\n%s", code, j.output("base"), want, j.log)
	}
}

// TestBaseIsNoOption: git fetch has options that run commands.
func TestBaseIsNoOption(t *testing.T) {
	t.Parallel()
	j := newJob(t, `{}`, func(dir string) {})
	for _, base := range []string{"--upload-pack=touch PWN;git-upload-pack", "--output=PWN", "-c"} {
		if code := j.step("base.sh", "TARE_BASE="+base); code != 1 || j.output("base") != "" {
			t.Errorf("%s: exit %d, base %q\n%s", base, code, j.output("base"), j.log)
		}
	}
	if _, err := os.Stat(filepath.Join(j.work, "PWN")); err == nil {
		t.Error("the input base ran a command")
	}
}

// github is the part of the API that comment.sh needs.
type github struct {
	mu       sync.Mutex
	head     string
	comments []comment
	writes   []string // "POST body", "PATCH 3 body"
}

type comment struct {
	ID   int               `json:"id"`
	Body string            `json:"body"`
	User map[string]string `json:"user"`
}

func (g *github) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if r.Header.Get("Authorization") != "Bearer secret" {
		http.Error(w, "{}", http.StatusUnauthorized)
		return
	}
	var posted struct{ Body string }
	if r.Method != http.MethodGet {
		data, _ := io.ReadAll(r.Body)
		if err := json.Unmarshal(data, &posted); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
	}
	path := strings.TrimPrefix(r.URL.Path, "/repos/owner/x/")
	switch {
	case r.Method == http.MethodGet && path == "pulls/7":
		json.NewEncoder(w).Encode(map[string]any{"head": map[string]string{"sha": g.head}})
	case r.Method == http.MethodGet && path == "commits/"+g.head+"/pulls":
		json.NewEncoder(w).Encode([]map[string]any{{"number": 7, "state": "open"}})
	case r.Method == http.MethodGet && path == "issues/7/comments":
		page, _ := strconv.Atoi(r.URL.Query().Get("page"))
		all := append([]comment{}, g.comments...)[min(len(g.comments), 100*(page-1)):]
		json.NewEncoder(w).Encode(all[:min(len(all), 100)])
	case r.Method == http.MethodPost && path == "issues/7/comments":
		g.writes = append(g.writes, "POST "+posted.Body)
		fmt.Fprint(w, "{}")
	case r.Method == http.MethodPatch && strings.HasPrefix(path, "issues/comments/"):
		g.writes = append(g.writes, "PATCH "+strings.TrimPrefix(path, "issues/comments/")+" "+posted.Body)
		fmt.Fprint(w, "{}")
	default:
		http.Error(w, "{}", http.StatusNotFound)
	}
}

func TestComment(t *testing.T) {
	t.Parallel()
	const head = "0123456789abcdef0123456789abcdef01234567"
	mark := "<!-- tare benchmark comparison -->\n"
	bot, other, human := map[string]string{"login": "github-actions[bot]"}, map[string]string{"login": "other[bot]"}, map[string]string{"login": "ann"}
	many := make([]comment, 120)
	for i := range many {
		many[i] = comment{i + 1, "text", human}
	}
	many[110] = comment{111, mark + "old", bot}
	tests := []struct {
		name       string
		artifact   map[string]string // nil: none was downloaded
		conclusion string
		head       string
		comments   []comment
		code       int
		write      string // expression that the only write matches, empty for none
	}{
		{"first", map[string]string{"number": "7\n", "comment.md": "**1 slower** `x`"}, "failure", head, nil, 0, `^POST (?s).*commit 0123456789ab.*\*\*1 slower\*\*`},
		{"update on the second page", map[string]string{"number": "7\n", "comment.md": "**no change**"}, "success", head, many, 0, `^PATCH 111 (?s).*no change`},
		{"the marker of another bot", map[string]string{"number": "7\n", "comment.md": "x"}, "success", head, []comment{{1, mark, other}}, 0, `^POST `},
		{"text that hides what follows", map[string]string{"number": "7\n", "comment.md": "<!-- ```"}, "success", head, nil, 0, `^POST (?s).*commit 0123456789ab.*<!-- `},
		{"a person's copy of the marker stays", map[string]string{"number": "7\n", "comment.md": "x"}, "success", head, []comment{{1, mark, human}}, 0, `^POST `},
		{"cancelled without an artifact", nil, "cancelled", head, nil, 0, `^POST (?s).*did not run.*cancelled`},
		{"failed before measuring", map[string]string{"number": "7\n"}, "failure", head, nil, 0, "^POST (?s).*did not run.*`failure`"},
		{"the branch moved on", map[string]string{"number": "7\n", "comment.md": "x"}, "success", strings.Repeat("f", 40), nil, 0, ""},
		{"a number that is none", map[string]string{"number": "7/../../8\n", "comment.md": "x"}, "success", head, nil, 1, ""},
		{"a number that is a command", map[string]string{"number": "$(touch owned)\n", "comment.md": "$(touch owned) `touch owned`"}, "success", head, nil, 1, ""},
		{"text is not executed", map[string]string{"number": "7\n", "comment.md": "$(touch owned) `touch owned`"}, "success", head, nil, 0, `^POST (?s).*\$\(touch owned\)`},
		{"too long", map[string]string{"number": "7\n", "comment.md": strings.Repeat("é", 60_000)}, "success", head, nil, 0, `^POST `},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			j := newJob(t, `{}`, func(string) {})
			g := &github{head: test.head, comments: test.comments}
			server := httptest.NewServer(g)
			defer server.Close()
			folder := filepath.Join(j.temp, "artifact")
			if test.artifact != nil {
				if err := os.Mkdir(folder, 0o777); err != nil {
					t.Fatal(err)
				}
				for name, text := range test.artifact {
					write(t, folder, name, text)
				}
			}
			code := j.step("comment.sh", "TARE_FOLDER="+folder, "TARE_SHA="+head, "TARE_CONCLUSION="+test.conclusion,
				"TARE_RUN_URL=https://example.org/run", "GITHUB_TOKEN=secret", "GITHUB_API_URL="+server.URL, "GITHUB_REPOSITORY=owner/x")
			if code != test.code {
				t.Errorf("exit %d, want %d\n%s", code, test.code, j.log)
			}
			if _, err := os.Stat(filepath.Join(j.work, "owned")); err == nil {
				t.Error("text of the artifact was executed")
			}
			switch {
			case test.write == "" && len(g.writes) > 0:
				t.Errorf("wrote %q", g.writes)
			case test.write != "" && (len(g.writes) != 1 || !regexp.MustCompile(test.write).MatchString(g.writes[0])):
				t.Errorf("wrote %.300q, want %s\n%s", g.writes, test.write, j.log)
			}
			for _, w := range g.writes {
				if len(w) > 65536+20 || !strings.Contains(w, mark) {
					t.Errorf("a comment of %d bytes", len(w))
				}
			}
		})
	}
}

// TestHooks runs the command of the pre-commit hook in two modules. One has no
// mistakes. The other has a benchmark that measures the wrong thing.
func TestHooks(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("../.pre-commit-hooks.yaml")
	if err != nil {
		t.Fatal(err)
	}
	entries := regexp.MustCompile(`(?m)^  entry: (.+)$`).FindAllStringSubmatch(string(data), -1)
	if len(entries) != 1 {
		t.Fatalf("hooks %q", entries)
	}
	j := newJob(t, `{}`, func(string) {})
	for _, wrong := range []bool{false, true} {
		if wrong {
			write(t, j.work, "wrong_test.go", "package x\n\nimport \"testing\"\n\nfunc BenchmarkNoLoop(b *testing.B) {\n\tSink = Work()\n}\n")
		}
		for _, m := range entries {
			cmd := exec.Command("bash", "-c", m[1])
			cmd.Dir, cmd.Env = j.work, j.env
			if out, err := cmd.CombinedOutput(); (err != nil) != wrong {
				t.Errorf("%s with a wrong benchmark %t: %v\n%s", m[1], wrong, err, out)
			}
		}
	}
}

// Every external action is pinned by a hash.
func TestActionsArePinned(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../docs/ci/github/*.yml")
	if err != nil {
		t.Fatal(err)
	}
	uses := regexp.MustCompile(`uses: +(\S+)`)
	pinned := regexp.MustCompile(`^(\./|tarebench/tare@main$|[^@]+@[0-9a-f]{40}$)`)
	for _, file := range append(files, "../action.yml") {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range uses.FindAllStringSubmatch(string(data), -1) {
			if !pinned.MatchString(m[1]) {
				t.Errorf("%s uses %s", file, m[1])
			}
		}
		if strings.Contains(string(data), "pull_request_target") {
			t.Errorf("%s runs on pull_request_target, with the rights of the repository", file)
		}
	}
}

// TestLinesEndAlike: git for Windows would give the scripts and golden files other
// line ends.
func TestLinesEndAlike(t *testing.T) {
	t.Parallel()
	out, err := exec.Command("git", "-C", "..", "-c", "core.autocrlf=true", "archive", "--worktree-attributes", "HEAD", "test").Output()
	if err != nil {
		t.Skipf("not a git repository: %v", err)
	}
	if !strings.Contains(string(out), "env bash\n") || strings.Contains(string(out), "\r\n") {
		t.Error("./test has lines that end in \\r\\n")
	}
}

func TestWorkflowsPassActionlint(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../docs/ci/github/*.yml")
	if err != nil {
		t.Fatal(err)
	}
	own, err := filepath.Glob("../.github/workflows/*.yml")
	if err != nil || len(own) != 2 {
		t.Fatalf("own workflows %q: %v", own, err)
	}
	files = append(files, own...)
	cmd := exec.Command("go", append([]string{"tool", "-modfile=../tools/go.mod", "actionlint", "-shellcheck="}, files...)...)
	cmd.Env = append(os.Environ(), "GOWORK=off")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("actionlint: %v\n%s", err, out)
	}
}

// TestGateOfUnknownInput: a value of undecided that the action does not have fails
// whatever was found, and the line names the values that it has.
func TestGateOfUnknownInput(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("bash"); err != nil || runtime.GOOS == "windows" {
		t.Skip("needs bash")
	}
	j := &job{t: t, work: t.TempDir()}
	for _, outcome := range []string{"pass", "undecided"} {
		for input, want := range map[string]int{"": 0, "pass": 0, "fial": 1, "Retry": 1, "pass fail": 1} {
			code := j.step("gate.sh", "PATH="+os.Getenv("PATH"), "TARE_OUTCOME="+outcome, "TARE_UNDECIDED="+input)
			if named := strings.Contains(j.log, "pass, fail or retry"); code != want || named != (want == 1) {
				t.Errorf("%s, undecided: %q: exit %d, want %d\n%s", outcome, input, code, want, j.log)
			}
		}
	}
}
