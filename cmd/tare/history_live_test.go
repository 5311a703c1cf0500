//go:build lab

package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tarebench/tare/cmd/tare/internal/test/executable"
)

// TestLiveHistory records a repository of 100 commits with five steps of 6 to
// 30% on this machine, commit by commit as CI does, and looks for the steps.
// TARE_COMMITS is another number of commits. TARE_LIVE is a folder that keeps
// the repository, so that the recording can be made in pieces: each goes on
// with the next commit, for as long as TARE_LIVE_TIME says, and the last one
// looks for the steps. TARE_LIVE_TOOL is a tare that is built already.
func TestLiveHistory(t *testing.T) {
	l := openLive(t)
	recorded, spent := l.progress()
	began := time.Now()
	for ; recorded < len(l.hashes); recorded++ {
		if l.limit > 0 && time.Since(began) > l.limit {
			break
		}
		from := time.Now()
		out := l.run(l.tool, "history", "record", "-commit", l.hashes[recorded], "-blocks", "11", "-budget", "5s", "-delta", "1%")
		spent += time.Since(from)
		l.write("../progress", fmt.Sprintln(recorded+1, spent.Seconds()))
		t.Logf("commit %d after %.0f s:\n%s", recorded, spent.Seconds(), out)
	}
	t.Logf("%d of %d commits recorded in %.0f s", recorded, len(l.hashes), spent.Seconds())
	t.Logf("\n%s", l.run(l.tool, "history"))
	if recorded < len(l.hashes) {
		t.Skipf("%d commits are left: TARE_LIVE=%s goes on", len(l.hashes)-recorded, os.Getenv("TARE_LIVE"))
	}
	if spent > 30*time.Minute {
		t.Errorf("recording took %.0f s, more than half an hour", spent.Seconds())
	}
	var history struct {
		Series []struct {
			Name    string
			Changes []struct{ Commit string }
		}
	}
	if err := json.Unmarshal([]byte(l.run(l.tool, "history", "-json")), &history); err != nil {
		t.Fatal(err)
	}
	steps := liveSteps(len(l.hashes))
	for _, s := range history.Series {
		for _, c := range s.Changes {
			at := slices.Index(l.hashes, c.Commit)
			if steps[at] == 0 || s.Name != "Decode" {
				t.Errorf("a change of %s at commit %d, which is no step", s.Name, at)
				continue
			}
			delete(steps, at)
		}
	}
	for at := range steps {
		t.Errorf("the step at commit %d was not found", at)
	}
	l.run(l.tool, "history", "-o", "../history.html")
	if status := l.run("git", "status", "--porcelain"); strings.TrimSpace(status) != "" {
		t.Errorf("the checkout changed:\n%s", status)
	}
}

// liveSteps are the rounds of Decode from a commit on.
func liveSteps(n int) map[int]int {
	steps := make(map[int]int)
	for i, to := range []int{530, 480, 600, 564, 720} {
		steps[(i+1)*n/6] = to
	}
	return steps
}

// live is a repository that is recorded.
type live struct {
	t          *testing.T
	tool, repo string
	hashes     []string
	limit      time.Duration
}

func openLive(t *testing.T) *live {
	dir := os.Getenv("TARE_LIVE")
	if dir == "" {
		dir = t.TempDir()
	}
	l := &live{t: t, tool: os.Getenv("TARE_LIVE_TOOL"), repo: filepath.Join(dir, "decode")}
	if text := os.Getenv("TARE_LIVE_TIME"); text != "" {
		var err error
		if l.limit, err = time.ParseDuration(text); err != nil {
			t.Fatal(err)
		}
	}
	if l.tool == "" {
		l.tool = executable.Build(t, executable.Tare)
	}
	if _, err := os.Stat(filepath.Join(dir, "progress")); err != nil {
		l.commits()
		l.write("../progress", "1 0\n") // the first commit has no parent
	}
	l.hashes = strings.Fields(l.run("git", "rev-list", "--reverse", "HEAD"))
	return l
}

// commits makes the repository.
func (l *live) commits() {
	n := 100
	if v, err := strconv.Atoi(os.Getenv("TARE_COMMITS")); err == nil {
		n = v
	}
	if err := os.MkdirAll(l.repo, 0o777); err != nil {
		l.t.Fatal(err)
	}
	l.run("git", "init", "-q")
	l.write("go.mod", "module example.org/decode\n\ngo 1.24\n")
	l.write("decode_test.go", liveBenchmarks)
	l.write(".gitignore", "/.tare/\n")
	rounds, steps := 500, liveSteps(n)
	for k := range n {
		if to := steps[k]; to != 0 {
			rounds = to
		}
		l.write("decode.go", fmt.Sprintf(liveCode, rounds, k))
		l.write("README", fmt.Sprintln("commit", k))
		l.run("git", "add", ".gitignore", "go.mod", "decode.go", "decode_test.go", "README")
		l.run("git", "commit", "-qm", fmt.Sprintf("decode: %d rounds (%d)", rounds, k))
		if k == 0 {
			l.run("git", "tag", "v1.0.0")
		}
	}
}

// progress is how many commits are recorded, and the time that took.
func (l *live) progress() (recorded int, spent time.Duration) {
	text, err := os.ReadFile(filepath.Join(l.repo, "../progress"))
	if err != nil {
		l.t.Fatal(err)
	}
	var seconds float64
	if _, err := fmt.Sscan(string(text), &recorded, &seconds); err != nil {
		l.t.Fatal(err)
	}
	return recorded, time.Duration(seconds * float64(time.Second))
}

func (l *live) run(name string, args ...string) string {
	l.t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = l.repo
	cmd.Env = append(os.Environ(), "GIT_AUTHOR_NAME=Ann", "GIT_AUTHOR_EMAIL=ann@example.org", "GIT_COMMITTER_NAME=Ann", "GIT_COMMITTER_EMAIL=ann@example.org")
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		l.t.Fatalf("%s %v: %v\n%s%s", name, args, err, out, stderr.String())
	}
	return string(out)
}

func (l *live) write(file, text string) {
	l.t.Helper()
	if err := os.WriteFile(filepath.Join(l.repo, file), []byte(text), 0o666); err != nil {
		l.t.Fatal(err)
	}
}

const liveCode = `package decode

var Sink int

// Decode does %d rounds, as of commit %[2]d.
func Decode() int {
	s := 0
	for i := range %[1]d {
		s += i ^ Sink
	}
	return s
}

// Encode never changes.
func Encode() int {
	s := 0
	for i := range 400 {
		s ^= i + Sink
	}
	return s
}
`

const liveBenchmarks = `package decode

import "testing"

func BenchmarkDecode(b *testing.B) {
	for b.Loop() {
		Decode()
	}
}

func BenchmarkEncode(b *testing.B) {
	for b.Loop() {
		Encode()
	}
}
`
